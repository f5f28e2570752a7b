import { withdrawalEnds } from '@tradepost/contract/leaving'
import { findLastCause } from '../../mail/outbox/outbox.queries.ts'
import { type MailOrder, queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { StripeInvoice } from '../../stripe/invoices.ts'
import { isLive, type Pair, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { isChargeback } from '../debts/debts.ts'
import { findFirstPaidAt } from '../debts/invoices.queries.ts'
import { incomeOf } from '../debts/trader-share.ts'
import { isOverBy, type Suspended } from '../entitlements/pair.queries.ts'
import type { PayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isRejected } from '../payouts/payout-status.ts'
import { nextCharge } from '../prices/next-charge.ts'
import type { Judged } from './judge-subscription.ts'

/**
 * The mails that follow from how a subscription stands. Each cause is Stripe's and mails once, however often it is
 * written. Mails about money that went back wait for the money (`oweReturnMails`), and those of a planned end are `acknowledgeEnd`'s.
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
    // The first failure is mailed, and the last: that is all that anybody can use.
    const last = invoice.attempts > 1 && invoice.nextAttemptAt === null
    const facts = { trader, ...money, problem: invoice.problem, ...(last && { last }) }
    return [{ kind: 'payment_problem', userId, cause: `${invoice.id}:${last ? 'last' : '1'}`, facts }]
  })
  return [...disputes, ...problems]
}

/** To the trader, who gives the money back until the bank has decided; and how it has decided. */
function disputeMails(
  { traderId }: Pair,
  trader: string,
  { currency, dispute, payment }: StripeInvoice,
): MailOrder[] {
  if (!dispute || !payment?.transfer || !isChargeback(dispute)) return []
  const { amountCents } = dispute
  const facts = { trader, amountCents, currency, shareCents: incomeOf(payment, amountCents) }
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
    // The mail of the warning has, as well.
    case 'fraud_warning':
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

/** A cancellation of long ago that is found is acknowledged no more: its reader knows. */
const ACKNOWLEDGED_MS = 2 * 86_400_000

/** A subscription as it was here. @property cancelAt its planned end; null for one that renews, or was not known */
type Before = Pair & { id: string; cancelAt: Date | null }

/**
 * Queues the acknowledgment of a cancellation, or of one that was taken back (rule G-126), however it was made. Once each: Stripe dates a
 * cancellation, and that date is the cause of both mails.
 * @param at.trader how they spell their name
 * @param at.isPressed just now, so that its mail is late in no case
 */
export async function acknowledgeEnd(
  tx: Queryable,
  before: Before,
  found: StripeSubscription,
  at: { trader: string; isPressed: boolean; now: Date },
): Promise<void> {
  if (!isLive(found)) return
  if (found.cancelAt !== null) return acknowledgeCancellation(tx, before, found, at)
  if (before.cancelAt === null) return
  const { subscriberId: userId } = before
  const about = { kind: 'subscription_canceled', userId, about: found.id }
  const cause = (await findLastCause(tx, about)) ?? `${found.id}:${before.cancelAt.toISOString()}`
  const renewsAt = found.paused ? null : (found.currentPeriodEnd?.toISOString() ?? null)
  const { currency, priceCents, status } = found
  const amountCents = nextCharge(found)?.cents ?? priceCents
  const facts = { trader: at.trader, renewsAt, amountCents, currency, inTrial: status === 'trialing' }
  await queueMail(tx, { kind: 'subscription_kept', userId, cause, facts }, at.now)
}

async function acknowledgeCancellation(
  tx: Queryable,
  { id, subscriberId: userId, traderId }: Before,
  { cancelAt, canceledAt, id: stripeId, status }: StripeSubscription,
  { isPressed, now, trader }: { trader: string; isPressed: boolean; now: Date },
): Promise<void> {
  if (cancelAt === null || canceledAt === null) return
  if (!isPressed && now.getTime() - canceledAt.getTime() >= ACKNOWLEDGED_MS) return
  const paidAt = await findFirstPaidAt(tx, { traderId, id })
  const until = paidAt && withdrawalEnds(paidAt)
  const facts = {
    trader,
    canceledAt: canceledAt.toISOString(),
    endsAt: cancelAt.toISOString(),
    inTrial: status === 'trialing',
    ...(until !== null && now < until && { withdrawUntil: until.toISOString() }),
  }
  const cause = `${stripeId}:${canceledAt.toISOString()}`
  await queueMail(tx, { kind: 'subscription_canceled', userId, cause, facts }, now)
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
