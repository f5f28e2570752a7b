import { findUsername } from '../../accounts/accounts.queries.ts'
import { findLastCause } from '../../mail/outbox/outbox.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database.ts'
import type { Suspended } from '../entitlements/pair.queries.ts'
import type { PayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isRejected } from '../payouts/payout-status.ts'
import { type Debt, listReturns } from './debts.queries.ts'

/**
 * Owes the mails that tell that nothing is charged for now, or that it is again, once Stripe has done that. A person
 * who is suspended themselves is told by another mail.
 */
export async function oweCollectionMails(
  tx: Queryable,
  debt: Pick<Debt, 'traderId' | 'subscriberId' | 'subscriptionId'>,
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
  // Whose account was rejected has been told so, and that there is nothing to do.
  if (!payouts?.lostAt || isRejected(payouts)) return
  const loss = `${payouts.stripeAccountId}:${since}`
  await queueMail(tx, { kind: 'payouts_paused', userId: traderId, cause: loss, facts: trader }, now)
}

/**
 * Owes the mails that tell of money that went back, once a subscription's end and refunds are settled. A refund that
 * Stripe refuses does not keep a subscriber from hearing that their trader is gone.
 * @param debt the one that was just settled or refused
 */
export async function oweReturnMails(
  tx: Queryable,
  debt: Pick<Debt, 'traderId' | 'subscriberId' | 'subscriptionId' | 'currency'>,
  now: Date,
): Promise<void> {
  const { currency, subscriberId, subscriptionId: cause, traderId } = debt
  const returns = await listReturns(tx, debt)
  const reason = returns.find(({ kind }) => kind === 'end')?.cause
  const unsettled = returns.filter(({ state }) => state === 'open')
  if (unsettled.some(({ kind, refused }) => kind === 'end' || !refused)) return
  const refunds = returns.filter(({ kind, state }) => kind === 'refund' && state !== 'dropped')
  const amountCents = refunds.reduce((sum, refund) => sum + (refund.amountCents ?? 0), 0)
  const facts = { trader: (await findUsername(tx, traderId)) ?? '', amountCents, currency }
  if (reason === 'trader_unavailable')
    await queueMail(tx, { kind: 'trader_unavailable', userId: subscriberId, cause, facts }, now)
  if (reason !== 'double' || unsettled.length > 0 || amountCents === 0) return
  for (const to of ['subscriber', 'trader'] as const) {
    const userId = to === 'trader' ? traderId : subscriberId
    await queueMail(tx, { kind: 'double_payment_returned', userId, cause, facts: { ...facts, to } }, now)
  }
}
