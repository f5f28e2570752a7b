import { isEntitled } from '@tradepost/contract/subscriptions'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database.ts'
import { isLive, type Pair } from '../../stripe/subscriptions.ts'
import { hadFollowerBefore } from './followers.queries.ts'
import type { Judged } from './judge-subscription.ts'

/** Whether a subscription begins to give access now: it did not by its row, which is not one that has ended here. */
export function begins({ row, status }: Pick<Judged, 'row' | 'status'>): boolean {
  return isEntitled(status) && (row === null || (isLive(row) && !isEntitled(row.status)))
}

/**
 * Owes the mails of a subscription that begins to give access: to the follower what the trader holds already, once for each
 * subscription, so that somebody who returns after an end gets it again; to the trader, once ever, that they have a first
 * follower. Call it after the subscription was written, in that transaction: it holds the lock of the trader's head, so of two
 * that begin at once one is the first.
 * @param trader how they spell their name
 * @param id of the subscription here
 */
export async function announceFollower(
  tx: Queryable,
  { traderId, subscriberId }: Pair,
  { trader, id, subscription }: { trader: string; id: string } & Pick<Judged, 'subscription'>,
  now: Date,
): Promise<void> {
  await queueMail(
    tx,
    {
      kind: 'subscription_started',
      userId: subscriberId,
      cause: id,
      facts: { trader, traderId, subscriptionId: id },
    },
    now,
  )
  if (await hadFollowerBefore(tx, traderId)) return
  const { priceCents: amountCents, currency, feePercent } = subscription
  await queueMail(
    tx,
    {
      kind: 'first_follower',
      userId: traderId,
      cause: 'first',
      facts: { trader, amountCents, currency, feePercent },
    },
    now,
  )
}
