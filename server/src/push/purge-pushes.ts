import type { Queryable } from '../platform/database.ts'
import { deleteEndedDeliveries } from './purge.queries.ts'

/** Longer than an event can be given to the reader again, so that no message is planned twice (decision 0063). */
const KEPT_MS = 2 * 86_400_000
const BATCH = 5000

/** Deletes messages that have ended two days ago. @returns how many */
export async function purgePushes(db: Queryable, now: Date): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS)
  let total = 0
  for (let done = BATCH; done === BATCH; total += done) done = await deleteEndedDeliveries(db, before, BATCH)
  return total
}
