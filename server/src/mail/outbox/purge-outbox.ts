import type { Queryable } from '../../platform/database.ts'
import type { Sweep } from '../../platform/sweeps.ts'
import { deleteEndedMails, emptyEndedMails } from './purge.queries.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 7
const TEXTS_KEPT_DAYS = 90
const BATCH = 5000

/**
 * Delete ended mails after 7 days. Those of a cause stay, so that a later read of Stripe does not mail the same cause again,
 * and lose their facts after 90 days.
 */
export function outboxPurges(db: Queryable): Sweep[] {
  const before = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)
  return [
    {
      name: 'purge of ended mails',
      run: (now) => inBatches((limit) => deleteEndedMails(db, before(now, KEPT_DAYS), limit)),
    },
    {
      name: 'purge of the texts of mails',
      run: (now) => inBatches((limit) => emptyEndedMails(db, before(now, TEXTS_KEPT_DAYS), limit)),
    },
  ]
}

async function inBatches(work: (limit: number) => Promise<number>): Promise<void> {
  for (let done = BATCH; done === BATCH; ) done = await work(BATCH)
}
