import Stripe from 'stripe'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { stripeMark } from '../payments/stripe-client.ts'
import { onlyOnce } from './only-once.ts'
import type { InvoicePayment, StripeInvoice } from './stripe-invoice.ts'

/**
 * Pays money back to the subscriber, with the trader's part and the platform's fee (docs.stripe.com/connect/
 * destination-charges, "Issue refunds"). Once for a cause, whatever runs twice.
 * @param amountCents null for all that is left
 * @param cause in the metadata of the refund, such as `double`
 */
async function returnPayment(
  deps: PaymentsDeps,
  payment: InvoicePayment,
  amountCents: number | null,
  cause: string,
): Promise<void> {
  const { settings, stripe } = deps
  if (payment.refundedCents >= payment.paidCents) return
  const mark = stripeMark(settings)
  try {
    await onlyOnce(`re:${mark.env}:${payment.chargeId}:${cause}`, {
      find: () => findRefund(stripe, payment.chargeId, cause),
      make: (idempotencyKey) =>
        stripe.refunds.create(
          {
            charge: payment.chargeId,
            ...(amountCents !== null && { amount: amountCents }),
            ...(payment.transfer && { reverse_transfer: true }),
            // Stripe refuses to give back a fee that was none.
            ...(payment.feeCents > 0 && { refund_application_fee: true }),
            metadata: { ...mark, cause },
          },
          { idempotencyKey },
        ),
    })
  } catch (error) {
    if (!isBeyondRefund(error)) throw error
  }
}

/** Pays a whole payment back. */
export async function returnWhole(deps: PaymentsDeps, invoice: StripeInvoice, cause: string): Promise<void> {
  if (invoice.payment) await returnPayment(deps, invoice.payment, null, cause)
}

/**
 * Pays back what was paid for the time after the end, rounded up to the cent in the subscriber's favour. The end is
 * Stripe's, so that every repetition comes to the same amount.
 */
export async function returnUnused(
  deps: PaymentsDeps,
  invoice: StripeInvoice,
  endedAt: Date,
  cause: string,
): Promise<void> {
  const { payment } = invoice
  if (!payment) return
  const unused = unusedCents(payment.paidCents, invoice, endedAt)
  const amount = Math.min(unused, payment.paidCents - payment.refundedCents)
  if (amount > 0) await returnPayment(deps, payment, amount, cause)
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

/** The money is gone back already, or the bank has it: there is nothing left to return. */
function isBeyondRefund(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeError &&
    (error.code === 'charge_already_refunded' || error.code === 'charge_disputed')
  )
}
