import type { MailOrder } from '../../mail/outbox/queue-mail.ts'
import type { StripeInvoice } from '../../stripe/invoices.ts'
import { isLive, type Pair, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { isChargeback } from '../debts/debts.ts'
import { isOverBy, type Suspended } from '../entitlements/pair.queries.ts'
import type { PayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isRejected } from '../payouts/payout-status.ts'
import type { Judged } from './judge-subscription.ts'

/**
 * The mails that follow from how a subscription stands. Each cause is Stripe's and mails once, however often it is
 * written. Mails about money that went back wait for the money (`oweReturnMails`).
 * @param trader how they spell their name
 */
export function mailsOf(pair: Pair, trader: string, one: Judged, now: Date): MailOrder[] {
  const { invoices, status, subscription } = one
  const userId = pair.subscriberId
  const disputes = invoices.flatMap((invoice) => disputeMails(pair, trader, invoice))
  if (!isLive({ status }))
    return subscription.neverBegan ? [] : [...disputes, ...endingMails(pair, trader, one)]
  const problems = invoices.flatMap((invoice): MailOrder[] => {
    if (!invoice.isRenewal || invoice.problem === null) return []
    const money = { amountCents: invoice.amountDueCents, currency: invoice.currency }
    // The first failure is mailed, and the last: that is all that anybody can use.
    const last = invoice.attempts > 1 && invoice.nextAttemptAt === null
    const facts = { trader, ...money, problem: invoice.problem, ...(last && { last }) }
    return [{ kind: 'payment_problem', userId, cause: `${invoice.id}:${last ? 'last' : '1'}`, facts }]
  })
  return [...disputes, ...problems, ...recentCancellation(pair, trader, one, now)]
}

/** To the trader, who gives the money back until the bank has decided; and how it has decided. */
function disputeMails(
  { traderId }: Pair,
  trader: string,
  { currency, dispute, payment }: StripeInvoice,
): MailOrder[] {
  if (!dispute || !payment?.transfer || !isChargeback(dispute)) return []
  const facts = { trader, amountCents: dispute.amountCents, currency }
  const { status } = dispute
  if (status === 'won' || status === 'lost')
    return [
      {
        kind: 'dispute_decided',
        userId: traderId,
        // A bank can decide again, the other way.
        cause: `${dispute.id}:${status}`,
        facts: { ...facts, outcome: status },
      },
    ]
  return [{ kind: 'payment_disputed', userId: traderId, cause: dispute.id, facts }]
}

function endingMails(pair: Pair, trader: string, ended: Judged): MailOrder[] {
  const { reason, subscription } = ended
  const [cause, userId] = [subscription.id, pair.subscriberId]
  switch (reason) {
    case 'double':
    case 'to_oneself':
    // The mail of the closing has said so.
    case 'account_closed':
    // The mail of the withdrawal has, too.
    case 'withdrawn':
      return []
    case 'trader_unavailable':
      return lossMails(pair, trader, ended)
    case 'dispute':
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why: 'disputed' } }]
    case 'unpaid':
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why: 'unpaid' } }]
    case 'trial_used':
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why: 'trial_used' } }]
    case 'left':
      return [leftMail(pair, trader, subscription.id)]
    case null: {
      const why = subscription.endedUnpaid ? 'unpaid' : 'canceled'
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why } }]
    }
  }
}

/** To somebody whose cancellation ended their subscription at once, since no time was paid. @param cause Stripe's id of it */
export function leftMail({ subscriberId: userId }: Pair, trader: string, cause: string): MailOrder {
  return { kind: 'subscription_ended', userId, cause, facts: { trader, why: 'canceled' } }
}

/**
 * The acknowledgment of a cancellation, however it was made: once each, since Stripe dates each.
 * @returns null for a subscription that renews
 */
export function canceledMail(
  { subscriberId: userId }: Pair,
  trader: string,
  { cancelAt, canceledAt, id, status }: StripeSubscription,
): MailOrder | null {
  if (cancelAt === null || canceledAt === null || !isLive({ status })) return null
  const cause = `${id}:${canceledAt.toISOString()}`
  const facts = {
    trader,
    canceledAt: canceledAt.toISOString(),
    endsAt: cancelAt.toISOString(),
    inTrial: status === 'trialing',
  }
  return { kind: 'subscription_canceled', userId, cause, facts }
}

/** A cancellation of long ago is acknowledged no more: its reader knows. */
const ACKNOWLEDGED_MS = 2 * 86_400_000

function recentCancellation(pair: Pair, trader: string, { subscription }: Judged, now: Date): MailOrder[] {
  const mail = canceledMail(pair, trader, subscription)
  const isRecent = now.getTime() - (subscription.canceledAt?.getTime() ?? 0) < ACKNOWLEDGED_MS
  return mail && isRecent ? [mail] : []
}

function lossMails({ traderId }: Pair, trader: string, ended: Judged): MailOrder[] {
  const { payouts, row, subscription, suspended } = ended
  // A row that has ended already is mailed no second time, and the loss may be over. A trader who has left is told of no loss.
  if ((row && !isLive(row)) || isOverBy(ended.closed.trader, subscription.createdAt)) return []
  const gone = subscription.destination !== payouts?.stripeAccountId
  return [
    lossMail(traderId, trader, { payouts, suspended, replaced: gone ? subscription.destination : null }),
  ]
}

/**
 * One loss ends many subscriptions, and is mailed to the trader when the first of them ends.
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
