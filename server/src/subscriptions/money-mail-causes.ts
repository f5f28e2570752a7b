import { findUsername } from '../accounts/accounts.queries.ts'
import { findLastCause } from '../mail/outbox/outbox.queries.ts'
import { type MailOrder, queueMail } from '../mail/outbox/queue-mail.ts'
import type { PayoutAccount } from '../payments/payout-accounts.queries.ts'
import { isRejected } from '../payments/payout-status.ts'
import type { Queryable } from '../platform/database.ts'
import type { StripeInvoice } from '../stripe/invoices.ts'
import { isLive, type Pair } from '../stripe/subscriptions.ts'
import { type Debt, listReturns } from './debts.queries.ts'
import type { Judged } from './judge-subscription.ts'
import type { Suspended } from './pair.queries.ts'
import { isChargeback } from './settle-dispute.ts'

/**
 * The mails that follow from how a subscription stands. Each cause is Stripe's and mails once, however often it is
 * written. What tells of money that went back waits for the money (`oweReturnMails`).
 * @param trader how they spell their name
 */
export function mailsOf(pair: Pair, trader: string, one: Judged): MailOrder[] {
  const { invoices, status, subscription } = one
  const userId = pair.subscriberId
  const disputes = invoices.flatMap((invoice) => disputeMails(pair, trader, invoice))
  if (!isLive({ status }))
    return subscription.neverBegan ? [] : [...disputes, ...endingMails(pair, trader, one)]
  const problems = invoices.flatMap((invoice): MailOrder[] => {
    if (!invoice.isRenewal || invoice.problem === null) return []
    const money = { amountCents: invoice.amountDueCents, currency: invoice.currency }
    // The first failure is told, and the last: that is all that anybody can use.
    const last = invoice.attempts > 1 && invoice.nextAttemptAt === null
    const facts = { trader, ...money, problem: invoice.problem, ...(last && { last }) }
    return [{ kind: 'payment_problem', userId, cause: `${invoice.id}:${last ? 'last' : '1'}`, facts }]
  })
  return [...disputes, ...problems]
}

/** To the trader, who gives the money back until the bank has decided. */
function disputeMails(
  { traderId }: Pair,
  trader: string,
  { currency, dispute, payment }: StripeInvoice,
): MailOrder[] {
  if (!dispute || !payment?.transfer || !isChargeback(dispute) || dispute.status === 'won') return []
  const facts = { trader, amountCents: dispute.amountCents, currency }
  return [{ kind: 'payment_disputed', userId: traderId, cause: dispute.id, facts }]
}

function endingMails(pair: Pair, trader: string, ended: Judged): MailOrder[] {
  const { reason, subscription } = ended
  const [cause, userId] = [subscription.id, pair.subscriberId]
  switch (reason) {
    case 'double':
    case 'to_oneself':
      return []
    case 'trader_unavailable':
      return lossMails(pair, trader, ended)
    case 'dispute':
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why: 'disputed' } }]
    case 'unpaid':
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why: 'unpaid' } }]
    case null: {
      const why = subscription.endedUnpaid ? 'unpaid' : 'canceled'
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why } }]
    }
  }
}

function lossMails({ traderId }: Pair, trader: string, ended: Judged): MailOrder[] {
  const { payouts, row, subscription, suspended } = ended
  // Written again later, it is no news, and the loss may be over.
  if (row && !isLive(row)) return []
  const gone = subscription.destination !== payouts?.stripeAccountId
  return [
    lossMail(traderId, trader, { payouts, suspended, replaced: gone ? subscription.destination : null }),
  ]
}

/**
 * One loss ends many subscriptions, and is told to the trader when the first of them ends.
 * @param loss.replaced the account that the money went to, where it is not the trader's any more
 */
export function lossMail(
  traderId: string,
  trader: string,
  loss: { payouts: PayoutAccount | null; suspended: Suspended; replaced: string | null },
): MailOrder {
  const { payouts, replaced, suspended } = loss
  const closed = payouts === null || payouts.closedAt !== null || replaced !== null
  const since = payouts?.lostAt ?? payouts?.closedAt ?? suspended.trader
  return {
    kind: 'payouts_lost',
    userId: traderId,
    cause: `${replaced ?? payouts?.stripeAccountId ?? traderId}:${since?.toISOString() ?? 'gone'}`,
    facts: {
      trader,
      after: closed ? 'account_closed' : payouts.lostAt ? 'waiting' : 'suspended',
      ...(!closed && isRejected(payouts) && { rejected: true }),
    },
  }
}

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
