import type { StripeInvoice } from '../../stripe/invoices.ts'

/**
 * What was paid for the time after the end, rounded up to the cent in the subscriber's favour.
 * @param endedAt by Stripe's clock, so that every repetition comes to the same amount
 * @returns cents; at most what has not gone back yet
 */
export function unusedOf(invoice: StripeInvoice, endedAt: Date): number {
  const { payment } = invoice
  if (!payment) return 0
  const unused = unusedCents(payment.paidCents, invoice, endedAt)
  return Math.min(unused, payment.paidCents - payment.refundedCents)
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
