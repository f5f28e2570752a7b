import { eachPaidInvoice, leftOf, type StripeInvoice } from '../../stripe/invoices.ts'
import type { EndReason, StripeSubscription } from '../../stripe/subscriptions.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { isReturnedWhole, type NewDebt, refundDebt } from './debts.ts'

/** The refunds that the end of a subscription leads to, as debts that are not written yet. */
export async function returnsOf(
  deps: BillingDeps,
  ended: StripeSubscription,
  debt: { cause: string; tries: number; createdAt: Date },
  now: Date,
): Promise<NewDebt[]> {
  const reason = debt.cause as EndReason
  // By how much the end was delayed, when Stripe refused an earlier try to end it.
  const lateMs = debt.tries > 0 ? now.getTime() - debt.createdAt.getTime() : 0
  if (reason === 'dispute' && lateMs === 0) return []
  const returns: NewDebt[] = []
  for await (const invoice of eachPaidInvoice(deps, ended.id)) {
    const cents = centsToReturn(reason, invoice, ended.endedAt, lateMs)
    if (cents > 0) returns.push(refundDebt(ended, invoice.id, reason, cents))
    if (!isReturnedWhole(reason) && (cents === 0 || lateMs === 0)) break
  }
  return returns
}

/**
 * How much of one invoice is returned, in cents. After a dispute the bank already holds the payments from before the
 * decision to end, so only what was charged later goes back.
 */
function centsToReturn(
  reason: EndReason,
  invoice: StripeInvoice,
  endedAt: Date | null,
  lateMs: number,
): number {
  const { payment, periodStart } = invoice
  if (!payment) return 0
  if (isReturnedWhole(reason)) return leftOf(payment)
  if (endedAt === null) return 0
  const decidedAt = endedAt.getTime() - lateMs
  const isBefore = payment.disputed || periodStart === null || periodStart.getTime() <= decidedAt
  if (reason === 'dispute' && isBefore) return 0
  return unusedOf(invoice, new Date(decidedAt))
}

/**
 * The part of a payment for the time after the end, rounded up to the cent in the subscriber's favour.
 * @param endedAt by Stripe's clock, so that every repetition comes to the same amount
 * @returns cents; at most what has not gone back yet
 */
function unusedOf(invoice: StripeInvoice, endedAt: Date): number {
  const { payment } = invoice
  if (!payment) return 0
  const unused = unusedCents(payment.paidCents, invoice, endedAt)
  return Math.min(unused, leftOf(payment))
}

/** @returns cents of `paidCents` that belong to the part of the period after `endedAt` */
function unusedCents(
  paidCents: number,
  period: { periodStart: Date | null; periodEnd: Date | null },
  endedAt: Date,
): number {
  if (!period.periodStart || !period.periodEnd) return 0
  const [start, end] = [seconds(period.periodStart), seconds(period.periodEnd)]
  const left = Math.min(end - seconds(endedAt), end - start)
  if (left <= 0 || end <= start) return 0
  // Whole numbers far below 2^53: cents times the seconds of a month.
  return Number((BigInt(paidCents) * BigInt(left) + BigInt(end - start) - 1n) / BigInt(end - start))
}

const seconds = (instant: Date) => Math.floor(instant.getTime() / 1000)
