import type { Queryable } from '../../platform/database.ts'
import { deleteEndedMails, emptyEndedMails, emptyMoneyMails } from './purge.queries.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 7
const TEXTS_KEPT_DAYS = 90
const BATCH = 5000

/**
 * Deletes ended mails after 7 days. Those of a cause stay, so that a later read of Stripe does not mail the same cause again,
 * and lose their facts after 90 days.
 * @returns of how many mails something was deleted
 */
export async function purgeOutbox(db: Queryable, now: Date): Promise<number> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const deleted = await inBatches((limit) => deleteEndedMails(db, before(KEPT_DAYS), limit))
  const emptied = await inBatches((limit) => emptyEndedMails(db, before(TEXTS_KEPT_DAYS), limit))
  // What the version before sends.
  await inBatches((limit) => emptyMoneyMails(db, before(TEXTS_KEPT_DAYS), limit))
  return deleted + emptied
}

async function inBatches(work: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (let done = BATCH; done === BATCH; total += done) done = await work(BATCH)
  return total
}
