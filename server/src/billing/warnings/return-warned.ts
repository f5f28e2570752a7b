import { formatMoney } from '@tradepost/contract/money'
import { findUsername } from '../../accounts/accounts.queries.ts'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { FraudWarning } from '../../stripe/fraud-warnings.ts'
import { oweDebt } from '../debts/debts.queries.ts'
import { isWithBank, refundDebt } from '../debts/debts.ts'
import { findPaidInvoice, noteWarning, type PaidInvoice } from '../debts/invoices.queries.ts'
import { listPayments, type Payment } from '../debts/payments.queries.ts'
import { leftToReturn, unusedOf } from '../debts/returns-of-end.ts'
import { incomeOf } from '../debts/trader-share.ts'
import { listPairRows, type PairRow } from '../entitlements/pair.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { pairLock, withProviderLock } from '../provider/provider-lock.ts'
import { endRow } from '../subscriptions/end-without-asking.ts'
import { enqueueSubscription } from '../subscriptions/subscriptions.jobs.ts'
import { listOpenWarnings } from './open-warnings.queries.ts'

/** Warnings in one list. Newer ones appear in it as older ones are dealt with. */
const MOST_LISTED = 500

/** A payment that can go back, with its subscription. @property cents what is left of it */
type Warned = {
  paid: PaidInvoice
  row: PairRow
  stripeId: string
  payment: Payment
  others: Payment[]
  cents: number
}

/**
 * Keeps that a card network warned of a payment, and returns it: access ends and the refund is owed in one transaction, which asks
 * nothing at Stripe (ADR 0026). Above `FRAUD_WARNING_MAX_CENTS` the operator is asked. Safe to repeat.
 * @returns false when the database does not know the payment
 */
export async function returnWarned(
  { db, settings }: Pick<BillingDeps, 'db' | 'settings'>,
  warning: FraudWarning,
  now: Date,
): Promise<boolean> {
  const { chargeId, createdAt, isOpen, paymentId } = warning
  const paid = paymentId === null ? null : await findPaidInvoice(db, { paymentId })
  if (!paid) return false
  await withProviderLock(db, pairLock(paid), async (tx) => {
    const isFirst = await noteWarning(tx, paid, createdAt)
    const warned = isOpen ? await findWarned(tx, paid) : null
    if (!warned) return
    if (warned.cents <= settings.fraudWarningMaxCents) await giveBack(tx, warned, now)
    else if (isFirst) await askOperator(tx, warned, chargeId, now)
  })
  return true
}

/**
 * Returns a payment that its card network warned of, whatever its amount, because the operator says so.
 * @returns how it stands, in words
 * @throws when no warning of this charge is known here
 */
export async function returnForOperator(db: Queryable, chargeId: string, now: Date): Promise<string> {
  const paid = await findPaidInvoice(db, { chargeId })
  if (!paid) throw new Error('No payment for a subscription has this charge.')
  return withProviderLock(db, pairLock(paid), async (tx) => {
    const warned = await findWarned(tx, paid)
    if (!warned) return 'Nothing of it is here to return.'
    if (warned.payment.warnedAt === null) throw new Error('No card network has warned of this charge.')
    if (!(await giveBack(tx, warned, now))) return 'It is owed already; `debts` lists it.'
    await enqueueSubscription(tx, warned.stripeId)
    return `Returning ${formatMoney(warned.cents, warned.row.currency)}; the subscription has ended.`
  })
}

/**
 * Lists the warnings that wait for the operator, the oldest first.
 * @returns one line each: when the card network warned (UTC), the charge, the amount that is left of the payment, and the trader
 */
export async function readWarnings(db: Queryable): Promise<string[]> {
  return (await listOpenWarnings(db, MOST_LISTED)).map(
    ({ chargeId, currency, leftCents, paidCents, trader, warnedAt }) => {
      const money = `${formatMoney(leftCents, currency)} of ${formatMoney(paidCents, currency)}`
      return [warnedAt.toISOString(), chargeId, money, `@${trader ?? '-'}`].join('  ')
    },
  )
}

/** @returns null where nothing of it is left, or a bank has it */
async function findWarned(tx: Queryable, paid: PaidInvoice): Promise<Warned | null> {
  // The order of locks is that of every other end; a withdrawal takes this one alone.
  await lockTraderSequence(tx, paid.traderId)
  const row = (await listPairRows(tx, paid)).find(({ id }) => id === paid.subscriptionId)
  const payments = await listPayments(tx, { traderId: paid.traderId, id: paid.subscriptionId })
  const payment = payments.find(({ invoiceId }) => invoiceId === paid.invoiceId)
  // Of a dispute that was won the trader has been paid again: that is for a person to judge.
  if (!row?.stripeId || !payment || isWithBank(payment) || payment.disputeStatus === 'won') return null
  const cents = leftToReturn(payment)
  const others = payments.filter((one) => one !== payment)
  return cents === 0 ? null : { paid, row, stripeId: row.stripeId, payment, others, cents }
}

/** @returns false when it was owed before */
async function giveBack(tx: Queryable, warned: Warned, now: Date): Promise<boolean> {
  const { cents, paid, row, stripeId } = warned
  const of = { id: stripeId, currency: row.currency }
  if (!(await oweDebt(tx, paid, refundDebt(of, paid.invoiceId, 'fraud_warning', cents), now))) return false
  const ended = await endRow(tx, paid, row, 'fraud_warning', now)
  await notifyBoth(tx, warned, ended, now)
  return true
}

async function notifyBoth(
  tx: Queryable,
  { cents, others, paid, payment, row }: Warned,
  ended: boolean,
  now: Date,
): Promise<void> {
  const facts = {
    trader: (await findUsername(tx, paid.traderId)) ?? '',
    amountCents: cents,
    shareCents: incomeOf(payment, cents),
    currency: row.currency,
    paidAt: payment.paidAt.toISOString(),
    ended,
    // The days that are left of another payment go back with the end.
    more: ended && others.some((one) => one.warnedAt === null && !isWithBank(one) && unusedOf(one, now) > 0),
  }
  for (const to of ['subscriber', 'trader'] as const) {
    const userId = to === 'trader' ? paid.traderId : paid.subscriberId
    await queueMail(
      tx,
      { kind: 'payment_warned', userId, cause: paid.invoiceId, facts: { ...facts, to } },
      now,
    )
  }
}

/** The operator's command is for a payment that is too large to go back unseen. */
function askOperator(tx: Queryable, { cents, row }: Warned, chargeId: string, now: Date): Promise<void> {
  const what = 'a payment may be fraud, says the card network'
  const text = `${what}: ${chargeId}, of which ${formatMoney(cents, row.currency)} is left, more than FRAUD_WARNING_MAX_CENTS.

\`npm run operator -- refund-warning ${chargeId}\` returns it and ends its subscription. Left alone it may become a dispute.
`
  const cause = `alert:${what}:${chargeId}`
  const facts = { subject: `payments: ${what}`, text }
  return queueMail(tx, { kind: 'operator_notice', userId: null, cause, facts }, now)
}
