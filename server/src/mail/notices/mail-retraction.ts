import { findLastMailNo } from '../../billing/entitlements/mailing-order.queries.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { findReaders } from '../outbox/outbox.queries.ts'
import { queueMails } from '../outbox/queue-mail.ts'
import { findRecipients } from '../plan/audience.queries.ts'
import { RecipientPage } from '../plan/recipient-page.ts'
import { listTraders, type NotifiedTogether } from './retraction-mails.queries.ts'

const TRADERS_AT_ONCE = 100
/** Places in a trader's mailing order of which one statement reads the followers and another one writes their mails. */
const FOLLOWERS_AT_ONCE = 1000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Queues one mail for each person about the prices that a retraction took back (ADR 0078): for people who would have been mailed its events,
 * and for the traders themselves. Called when its last position is right; safe to repeat, as after a run that was cut off.
 * @returns how many are mailed who were not before
 */
export async function mailRetraction(db: Queryable, retractionId: string, now: Date): Promise<number> {
  const order = { kind: 'prices_retracted', facts: { retractionId }, cause: retractionId } as const
  const queue = (userIds: string[]) => queueMails(db, order, userIds, now)
  let mailed = 0
  for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
    const page: NotifiedTogether[] = await listTraders(db, retractionId, { after, limit: TRADERS_AT_ONCE })
    const traders = await findReaders(
      db,
      page.map(({ traderId }) => traderId),
    )
    const reached = traders.filter(({ suppressed, suspended }) => !suppressed && !suspended)
    mailed += await queue(reached.map(({ userId }) => userId))
    for (const trader of page) mailed += await mailFollowers(db, trader, queue, now)
    after = page.at(-1)?.traderId
  }
  return mailed
}

/** A follower of several of the traders, or of several events, is queued at the first. */
async function mailFollowers(
  db: Queryable,
  { eventNos, traderId }: NotifiedTogether,
  queue: (userIds: string[]) => Promise<number>,
  now: Date,
): Promise<number> {
  const last = await findLastMailNo(db, traderId)
  let mailed = 0
  for (const eventNo of eventNos) {
    for (let after = 0; after < last; after += FOLLOWERS_AT_ONCE) {
      const part = { traderId, eventNo, after, upTo: after + FOLLOWERS_AT_ONCE }
      const followers = await findRecipients(db, part, now)
      mailed += await queue(new RecipientPage(followers).userIds())
    }
  }
  return mailed
}
