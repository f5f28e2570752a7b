import type { Queryable } from '../platform/database.ts'
import { emptyMoneyMails } from './owed-mails.queries.ts'

/** 90 days. */
const KEPT_MS = 90 * 86_400_000
const BATCH = 5000

/**
 * Deletes the texts of money mails that are older than 90 days, in batches. An unsent one is deleted too, since the queue
 * tries a mail for four days only. The rows stay, so that a later read of Stripe does not mail the same cause again.
 * @returns how many texts were deleted
 */
export async function purgeMoneyMails(db: Queryable, now: Date): Promise<number> {
  const owedBefore = new Date(now.getTime() - KEPT_MS)
  let total = 0
  for (let emptied = BATCH; emptied === BATCH; total += emptied) {
    emptied = await emptyMoneyMails(db, owedBefore, BATCH)
  }
  return total
}
