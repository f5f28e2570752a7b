import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { endForDispute } from './end-without-asking.ts'
import { readDispute } from './stripe-invoice.ts'
import { idOf } from './stripe-subscription.ts'
import { type SyncOutcome, syncSubscription } from './sync-subscription.ts'

/**
 * Brings an invoice, and the subscription that it is for, in line with Stripe.
 * @param options.disputed looks for a dispute of it, although the charge may say nothing of it any more
 * @throws what Stripe throws; nothing is written then
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

/** The same for the invoice that a charge paid. */
export async function syncCharge(deps: PaymentsDeps, chargeId: string, now: Date): Promise<SyncOutcome> {
  const charge = await deps.stripe.charges.retrieve(chargeId)
  return syncPayment(deps, charge.payment_intent, { disputed: false }, now)
}

/** The same for the invoice whose payment is disputed. */
export async function syncDispute(deps: PaymentsDeps, disputeId: string, now: Date): Promise<SyncOutcome> {
  const dispute = await deps.stripe.disputes.retrieve(disputeId)
  if (dispute.payment_intent)
    await endForDispute(deps, readDispute(dispute), idOf(dispute.payment_intent), now)
  return syncPayment(deps, dispute.payment_intent, { disputed: true }, now)
}

/** The same for the invoice of whose payment something was given back. */
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
