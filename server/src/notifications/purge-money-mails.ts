import type { Queryable } from '../platform/database.ts'
import { emptyMoneyMails } from './owed-mails.queries.ts'

const KEPT_MS = 90 * 86_400_000
const BATCH = 5000

/**
 * Forgets in batches what old money mails said, sent or not: what the queue has not sent in its four days is not sent
 * any more. Their causes stay, since Stripe may be read again years later and finds the same subscription ended.
 * @returns how many
 */
export async function purgeMoneyMails(db: Queryable, now: Date): Promise<number> {
  const owedBefore = new Date(now.getTime() - KEPT_MS)
  let total = 0
  for (let emptied = BATCH; emptied === BATCH; total += emptied) {
    emptied = await emptyMoneyMails(db, owedBefore, BATCH)
  }
  return total
}
