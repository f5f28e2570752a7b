import { findUsername } from '../../accounts/accounts.queries.ts'
import { findLastCause } from '../../mail/outbox/outbox.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Pair } from '../../stripe/subscriptions.ts'
import type { Suspended } from '../entitlements/pair.queries.ts'
import type { PayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isRejected } from '../payouts/payout-status.ts'

/**
 * Queues the mails that charging is paused, or goes on, once Stripe has done that. A person who is suspended themselves
 * gets another mail.
 */
export async function oweCollectionMails(
  tx: Queryable,
  debt: Pair & { subscriptionId: string },
  now: Date,
  facts: { collected: boolean; payouts: PayoutAccount | null; suspended: Suspended },
): Promise<void> {
  const { subscriberId: userId, subscriptionId, traderId } = debt
  const { collected, payouts, suspended } = facts
  const trader = { trader: (await findUsername(tx, traderId)) ?? '' }
  if (collected) {
    const cause = await findLastCause(tx, { kind: 'collection_paused', userId, about: subscriptionId })
    if (cause) await queueMail(tx, { kind: 'collection_resumed', userId, cause, facts: trader }, now)
    return
  }
  const since = (payouts?.lostAt ?? suspended.trader)?.toISOString()
  if (!since) return
  const cause = `${subscriptionId}:${since}`
  await queueMail(tx, { kind: 'collection_paused', userId, cause, facts: trader }, now)
  // The mail of the rejection has notified them, and that there is nothing to do.
  if (!payouts?.lostAt || isRejected(payouts)) return
  const loss = `${payouts.stripeAccountId}:${since}`
  await queueMail(tx, { kind: 'payouts_paused', userId: traderId, cause: loss, facts: trader }, now)
}
