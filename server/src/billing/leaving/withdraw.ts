import { type Leaving, SHOWN_MINUTES, withdrawalEnds } from '@tradepost/contract/leaving'
import { daysLeftOf } from '@tradepost/contract/returned-part'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { isLive } from '../../stripe/subscriptions.ts'
import { oweDebt } from '../debts/debts.queries.ts'
import { isWithBank, refundDebt } from '../debts/debts.ts'
import { listPayments, type Payment } from '../debts/payments.queries.ts'
import { leftToReturn, unusedOf } from '../debts/returns-of-end.ts'
import { incomeOf } from '../debts/trader-share.ts'
import { endRow } from '../subscriptions/end-without-asking.ts'
import { requireOwn } from '../subscriptions/manage-subscription.ts'
import { enqueueSubscription } from '../subscriptions/subscriptions.jobs.ts'
import { findLeaver, type Leaver, sumReturned, wasDelivered } from './leaving.queries.ts'
import { isPaid } from './plan-end.ts'

/**
 * The right to withdraw from a subscription, and its result.
 * @property asOf of the amounts, and of whether anything was delivered
 * @property daysLeft where they decide the amount, else null
 * @property refunds cents by payment; none of zero
 */
type Terms = {
  until: Date
  asOf: Date
  paidCents: number
  returnsCents: number
  delivered: boolean
  daysLeft: number | null
  refunds: { payment: Payment; cents: number }[]
}

/** The amounts of a withdrawal, in cents. */
export type Withdrawn = { paidCents: number; returnsCents: number; currency: string }

/** One of the caller's. @throws subscription_not_found */
export async function requireLeaver(db: Queryable, caller: { userId: string }, id: string): Promise<Leaver> {
  const leaver = await findLeaver(db, await requireOwn(db, caller, id))
  if (!leaver) throw refusal('subscription_not_found')
  return leaver
}

/** The ways out of a subscription by now, by the payments that are known here (rule G-126). Changes nothing and asks nobody. */
export async function readLeaving(db: Queryable, leaver: Leaver, now: Date): Promise<Leaving> {
  const terms = await findTerms(db, leaver, now)
  const { cancelAt, currency, currentPeriodEnd } = leaver
  return {
    endsAt: cancelAt?.toISOString() ?? null,
    cancelAt: isPaid(leaver) ? (currentPeriodEnd?.toISOString() ?? null) : null,
    inTrial: leaver.status === 'trialing',
    withdrawal: terms && {
      until: terms.until.toISOString(),
      paidCents: terms.paidCents,
      returnsCents: terms.returnsCents,
      currency,
      delivered: terms.delivered,
      daysLeft: terms.daysLeft,
    },
    asOf: now.toISOString(),
  }
}

/**
 * Withdraws from a subscription within fourteen days of its first payment (rule G-126): access ends and the refunds are owed in one
 * transaction, which asks nothing at Stripe (ADR 0026). Repeating it changes nothing.
 * @param asOf of the amounts that the subscriber was shown; they hold for ten minutes
 * @throws withdrawal_over; payment_provider_error while the first payment is not known here
 */
export async function withdraw(
  { db }: { db: Queryable },
  leaver: Leaver,
  asOf: Date | null,
  now: Date,
): Promise<Withdrawn> {
  const at = heldInstant(asOf, now)
  if (await lookForPayment(db, leaver)) throw refusal('payment_provider_error')
  return withTransaction(db, async (tx) => {
    // The order of locks is that of every other end.
    await lockTraderSequence(tx, leaver.traderId)
    const fresh = await findLeaver(tx, leaver)
    if (fresh?.endReason === 'withdrawn') return readWithdrawn(tx, fresh)
    const terms = fresh && (await findTerms(tx, fresh, at))
    if (!terms || fresh.stripeId === null) throw refusal('withdrawal_over')
    await endRow(tx, fresh, fresh, 'withdrawn', now)
    const of = { id: fresh.stripeId, currency: fresh.currency }
    for (const {
      cents,
      payment: { invoiceId },
    } of terms.refunds)
      await oweDebt(tx, fresh, refundDebt(of, invoiceId, 'withdrawn', cents), now)
    await notifyBoth(tx, fresh, terms, now)
    return { paidCents: terms.paidCents, returnsCents: terms.returnsCents, currency: fresh.currency }
  })
}

/** An amount that was shown holds for ten minutes, also where the trader has published since, or a cent has gone by. */
function heldInstant(asOf: Date | null, now: Date): Date {
  const age = asOf === null ? 0 : now.getTime() - asOf.getTime()
  return asOf !== null && age > 0 && age <= SHOWN_MINUTES * 60_000 ? asOf : now
}

/**
 * Has a first payment looked for at Stripe of which no event has arrived. Call it before the terms of somebody who is to see them.
 * @returns whether there should be one by now
 */
export async function lookForPayment(db: Queryable, leaver: Leaver): Promise<boolean> {
  const { status, stripeId } = leaver
  if (stripeId === null || !isLive(leaver)) return false
  if ((await listPayments(db, leaver)).length > 0) return false
  await enqueueSubscription(db, stripeId)
  return status !== 'trialing'
}

async function findTerms(db: Queryable, leaver: Leaver, at: Date): Promise<Terms | null> {
  if (leaver.stripeId === null || !isLive(leaver)) return null
  const payments = await listPayments(db, leaver)
  const [first] = payments
  if (!first || at >= withdrawalEnds(first.paidAt)) return null
  // Free days are over when the payment comes: nobody paid for what came in them.
  const delivered = await wasDelivered(db, leaver, { from: leaver.trialEndsAt, to: at })
  const refunds = payments
    .map((payment) => ({ payment, cents: centsOf(payment, delivered, at) }))
    .filter(({ cents }) => cents > 0)
  const paidCents = sum(payments.map((one) => one.paidCents))
  const returnsCents = sum(refunds.map(({ cents }) => cents))
  const leftCents = sum(payments.map((payment) => centsOf(payment, false, at)))
  const { periodEnd } = payments.at(-1) ?? first
  const isPartOfDays = returnsCents < leftCents || (delivered && returnsCents === paidCents)
  const daysLeft = periodEnd && isPartOfDays ? daysLeftOf(periodEnd, at) : null
  const until = withdrawalEnds(first.paidAt)
  return { until, asOf: at, paidCents, returnsCents, delivered, daysLeft, refunds }
}

/** Everything of a payment for which nothing was published, else its unused part; nothing of one that a bank has taken back. */
function centsOf(payment: Payment, wasUsed: boolean, at: Date): number {
  if (isWithBank(payment)) return 0
  return wasUsed ? unusedOf(payment, at) : leftToReturn(payment)
}

async function readWithdrawn(tx: Queryable, leaver: Leaver): Promise<Withdrawn> {
  const payments = await listPayments(tx, leaver)
  const returned = await sumReturned(tx, { ...leaver, stripeId: leaver.stripeId ?? '' })
  const { currency } = leaver
  return { paidCents: sum(payments.map((one) => one.paidCents)), returnsCents: returned, currency }
}

/** The acknowledgment of the subscriber, and the word to the trader: once each, since a subscription ends once. */
async function notifyBoth(tx: Queryable, leaver: Leaver, terms: Terms, now: Date): Promise<void> {
  const facts = {
    trader: leaver.username,
    at: now.toISOString(),
    paidCents: terms.paidCents,
    amountCents: terms.returnsCents,
    shareCents: sum(terms.refunds.map(({ cents, payment }) => incomeOf(payment, cents))),
    currency: leaver.currency,
    delivered: terms.delivered,
    asOf: terms.asOf.toISOString(),
    daysLeft: terms.daysLeft,
  }
  const cause = leaver.stripeId ?? leaver.id
  for (const to of ['subscriber', 'trader'] as const) {
    const userId = to === 'trader' ? leaver.traderId : leaver.subscriberId
    await queueMail(tx, { kind: 'subscription_withdrawn', userId, cause, facts: { ...facts, to } }, now)
  }
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
