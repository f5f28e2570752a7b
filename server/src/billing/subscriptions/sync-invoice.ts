import {
  findInvoiceOf,
  findPaymentOfCharge,
  findPaymentOfRefund,
  findSubscriptionOf,
  retrieveDispute,
} from '../../stripe/invoices.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
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
  const subscriptionId = await findSubscriptionOf(deps, invoiceId)
  return subscriptionId ? syncSubscription(deps, subscriptionId, { invoiceId, ...options }, now) : 'ignored'
}

/** Brings the invoice that a charge paid in line with Stripe, as `syncInvoice` does. */
export async function syncCharge(deps: PaymentsDeps, chargeId: string, now: Date): Promise<SyncOutcome> {
  return syncPayment(deps, await findPaymentOfCharge(deps, chargeId), { disputed: false }, now)
}

/**
 * Brings the invoice whose payment is disputed in line with Stripe, as `syncInvoice` does. Access ends first, from what the
 * database knows of the payment, so that it ends even while Stripe refuses the other reads (decision 0026).
 */
export async function syncDispute(deps: PaymentsDeps, disputeId: string, now: Date): Promise<SyncOutcome> {
  const { dispute, paymentIntentId } = await retrieveDispute(deps, disputeId)
  if (paymentIntentId) await endForDispute(deps, dispute, paymentIntentId, now)
  return syncPayment(deps, paymentIntentId, { disputed: true }, now)
}

/** Brings the invoice whose payment was refunded, whole or in part, in line with Stripe, as `syncInvoice` does. */
export async function syncRefund(deps: PaymentsDeps, refundId: string, now: Date): Promise<SyncOutcome> {
  return syncPayment(deps, await findPaymentOfRefund(deps, refundId), { disputed: false }, now)
}

async function syncPayment(
  deps: PaymentsDeps,
  paymentIntentId: string | null,
  options: { disputed: boolean },
  now: Date,
): Promise<SyncOutcome> {
  const invoiceId = paymentIntentId && (await findInvoiceOf(deps, paymentIntentId))
  return invoiceId ? syncInvoice(deps, invoiceId, options, now) : 'ignored'
}
