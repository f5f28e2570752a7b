import Stripe from 'stripe'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { createIdempotently } from '../stripe/create-idempotently.ts'
import type { InvoicePayment, StripeInvoice } from '../stripe/invoices.ts'
import { stripeMark } from '../stripe/stripe-client.ts'

/**
 * Pays money back to the subscriber, with the trader's part and the platform's fee (docs.stripe.com/connect/
 * destination-charges, "Issue refunds"). Once for a cause, whatever runs twice.
 * @param amountCents at most; null for all that is left
 * @param cause in the metadata of the refund, such as `double`
 * @returns cents that went back by this refund; zero when nothing was left
 * @throws what Stripe throws, `charge_disputed` too: the bank has the money, for now
 */
export async function returnPayment(
  deps: PaymentsDeps,
  payment: InvoicePayment,
  amountCents: number | null,
  cause: string,
): Promise<number> {
  const { settings, stripe } = deps
  const mark = stripeMark(settings)
  const left = payment.paidCents - payment.refundedCents
  const made = await findRefund(stripe, payment.chargeId, cause)
  if (made) return made.amount
  if (left <= 0 || amountCents === 0) return 0
  try {
    const refund = await createIdempotently(`re:${mark.env}:${payment.chargeId}:${cause}`, {
      find: () => findRefund(stripe, payment.chargeId, cause),
      make: (idempotencyKey) =>
        stripe.refunds.create(
          {
            charge: payment.chargeId,
            ...(amountCents !== null && { amount: Math.min(amountCents, left) }),
            ...(payment.transfer && { reverse_transfer: true }),
            // Stripe refuses to give back a fee that was none.
            ...(payment.feeCents > 0 && { refund_application_fee: true }),
            metadata: { ...mark, cause },
          },
          { idempotencyKey },
        ),
    })
    return refund.amount
  } catch (error) {
    if (!isCode(error, 'charge_already_refunded')) throw error
    return 0
  }
}

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

async function findRefund(stripe: Stripe, charge: string, cause: string): Promise<Stripe.Refund | null> {
  for await (const refund of stripe.refunds.list({ charge, limit: 100 })) {
    if (refund.metadata?.cause === cause && refund.status !== 'canceled') return refund
  }
  return null
}

/** Whether Stripe refused for this reason (docs.stripe.com/error-codes). */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === code
}
