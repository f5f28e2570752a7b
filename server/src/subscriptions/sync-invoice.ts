import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { readDispute } from '../stripe/invoices.ts'
import { idOf } from '../stripe/subscriptions.ts'
import { endForDispute } from './end-without-asking.ts'
import { type SyncOutcome, syncSubscription } from './sync-subscription.ts'

/**
 * Brings an invoice, its subscription and the subscription's pair in line with Stripe.
 * @param invoiceId Stripe's
 * @param options.disputed asks Stripe for a dispute even where the charge is not marked as disputed (any more)
 * @returns `ignored` for an invoice that belongs to no subscription of this product
 * @throws what Stripe throws; `syncPair` says what has been written then
 */
export async function syncInvoice(
  deps: PaymentsDeps,
  invoiceId: string,
  options: { disputed: boolean },
  now: Date,
): Promise<SyncOutcome> {
  const invoice = await deps.stripe.invoices.retrieve(invoiceId)
  const parent = invoice.parent?.subscription_details
  if (!parent) return 'ignored'
  return syncSubscription(deps, idOf(parent.subscription), { invoiceId, ...options }, now)
}

/** Brings the invoice that a charge paid in line with Stripe, as `syncInvoice` does. */
export async function syncCharge(deps: PaymentsDeps, chargeId: string, now: Date): Promise<SyncOutcome> {
  const charge = await deps.stripe.charges.retrieve(chargeId)
  return syncPayment(deps, charge.payment_intent, { disputed: false }, now)
}

/**
 * Brings the invoice whose payment is disputed in line with Stripe, as `syncInvoice` does. Access ends first, from what the
 * database knows of the payment, so that it ends even while Stripe refuses the other reads (decision 0026).
 */
export async function syncDispute(deps: PaymentsDeps, disputeId: string, now: Date): Promise<SyncOutcome> {
  const dispute = await deps.stripe.disputes.retrieve(disputeId)
  if (dispute.payment_intent)
    await endForDispute(deps, readDispute(dispute), idOf(dispute.payment_intent), now)
  return syncPayment(deps, dispute.payment_intent, { disputed: true }, now)
}

/** Brings the invoice whose payment was refunded, whole or in part, in line with Stripe, as `syncInvoice` does. */
export async function syncRefund(deps: PaymentsDeps, refundId: string, now: Date): Promise<SyncOutcome> {
  const refund = await deps.stripe.refunds.retrieve(refundId)
  return syncPayment(deps, refund.payment_intent, { disputed: false }, now)
}

async function syncPayment(
  deps: PaymentsDeps,
  intent: string | { id: string } | null,
  options: { disputed: boolean },
  now: Date,
): Promise<SyncOutcome> {
  if (intent === null) return 'ignored'
  const { data } = await deps.stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: idOf(intent) },
    limit: 1,
  })
  const [payment] = data
  return payment ? syncInvoice(deps, idOf(payment.invoice), options, now) : 'ignored'
}
