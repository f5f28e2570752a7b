import type { Queryable } from '../platform/database.ts'
import { deletePreviews } from './quotes.queries.ts'

/** Kept for a day after they expire, so that a late key is told the truth about itself. */
const KEPT_MS = 24 * 60 * 60 * 1000
const BATCH = 5000

/** Forgets old previews in batches; a position keeps the price and the id of its preview. @returns how many */
export async function purgePreviews(db: Queryable, now: Date): Promise<number> {
  const expiredBefore = new Date(now.getTime() - KEPT_MS)
  let total = 0
  for (let deleted = BATCH; deleted === BATCH; total += deleted) {
    deleted = await deletePreviews(db, expiredBefore, BATCH)
  }
  return total
}
