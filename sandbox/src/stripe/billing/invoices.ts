import { spend } from '../discounts/reduce.ts'
import type { Invoice, InvoicePayment, Subscription } from '../model/billing.ts'
import type { Outcome, PaymentIntent, PaymentMethod } from '../model/payments.ts'
import { collect, openIntent } from '../payments/collect.ts'
import { randomText } from '../store/ids.ts'
import { percentOf } from '../time/periods.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { settleTax } from './invoice-tax.ts'

/** Stores and announces a draft, and makes it the subscription's latest. */
export function addInvoice(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  tx.add(invoice, { parent: subscription.id })
  tx.change(subscription, { latest_invoice: invoice.id })
  tx.emit('invoice.created', invoice)
}

/**
 * Stops automatic steps: a draft stays a draft, and an open invoice is paid only by hand.
 * @returns what changed of it, as it was before
 */
export function stopAdvancing(tx: Tx, invoice: Invoice): Record<string, unknown> {
  tx.schedule('finalize-invoice', invoice.id, null)
  tx.schedule('retry-invoice', invoice.id, null)
  return tx.change(invoice, {
    auto_advance: false,
    automatically_finalizes_at: null,
    next_payment_attempt: null,
  })
}

/** Numbers the invoice and makes its payment: from here on it is owed, or paid where it comes to nothing. */
export function finalize(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const customer = tx.need('customer', invoice.customer)
  const sequence = customer.next_invoice_sequence ?? 1
  tx.change(customer, { next_invoice_sequence: sequence + 1 })
  settleTax(tx, subscription, invoice)
  const secret = randomText(24)
  const now = timeOn(tx, invoice.test_clock)
  tx.change(invoice, {
    status: 'open',
    automatically_finalizes_at: null,
    next_payment_attempt: null,
    number: `${customer.invoice_prefix ?? 'SANDBOX'}-${String(sequence).padStart(4, '0')}`,
    effective_at: now,
    ending_balance: 0,
    hosted_invoice_url: `${tx.pages}/i/${invoice.id}/${secret}`,
    // The page prints as well as a file would.
    invoice_pdf: `${tx.pages}/i/${invoice.id}/${secret}`,
    status_transitions: { ...invoice.status_transitions, finalized_at: now },
    webhooks_delivered_at: now,
  })
  tx.schedule('finalize-invoice', invoice.id, null)
  tx.objects.note('invoice', invoice.id, { secret })
  tx.emit('invoice.finalized', invoice)
  if (invoice.amount_due > 0) addPayment(tx, subscription, invoice)
  else if (subscription.pause_collection === null) settleFree(tx, subscription, invoice)
}

/**
 * Marks an invoice of nothing as paid, which takes no card (docs.stripe.com/invoicing/overview).
 * @returns whether it was one
 */
export function settleFree(tx: Tx, subscription: Subscription, invoice: Invoice): boolean {
  if (invoice.amount_due > 0) return false
  if (invoice.status !== 'paid') markPaid(tx, subscription, invoice)
  return true
}

function addPayment(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const fee = subscription.application_fee_percent
  const share = subscription.transfer_data?.amount_percent ?? null
  const first = invoice.billing_reason === 'subscription_create'
  const intent = openIntent(tx, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer,
    description: first ? 'Subscription creation' : 'Subscription update',
    destination: subscription.transfer_data?.destination ?? null,
    fee: fee === null ? null : percentOf(invoice.amount_due, fee),
    transferAmount: share === null ? null : percentOf(invoice.amount_due, share),
  })
  const payment = tx.make('invoice_payment', {
    amount_requested: invoice.amount_due,
    created: timeOn(tx, invoice.test_clock),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: 'open',
  })
  tx.add(payment, { parent: invoice.id })
}

function paymentOf(tx: Tx, invoice: Invoice): { payment: InvoicePayment; intent: PaymentIntent } | null {
  const [payment] = tx.objects.list('invoice_payment', { parent: invoice.id }, { limit: 1 })
  if (payment === undefined) return null
  return { payment, intent: tx.need('payment_intent', payment.payment.payment_intent) }
}

export type Presence = 'away' | 'present' | 'approved'

/** Tries to collect an open invoice from a card; the invoice's own marks and events go with the outcome. */
export function attemptPayment(
  tx: Tx,
  subscription: Subscription,
  invoice: Invoice,
  method: PaymentMethod,
  presence: Presence,
  sabotaged = false,
): Outcome {
  const found = paymentOf(tx, invoice)
  if (found === null) throw new Error(`The invoice ${invoice.id} has no payment.`)
  const outcome = collect(tx, {
    intent: found.intent,
    method,
    presence,
    sabotaged,
    description: found.intent.description,
  })
  tx.change(invoice, { attempted: true, attempt_count: invoice.attempt_count + 1 })
  if (outcome.kind === 'paid') {
    tx.change(found.payment, {
      status: 'paid',
      amount_paid: invoice.amount_due,
      status_transitions: { canceled_at: null, paid_at: timeOn(tx, invoice.test_clock) },
    })
    markPaid(tx, subscription, invoice)
    tx.emit('invoice_payment.paid', found.payment)
    return outcome
  }
  const challenged = outcome.kind === 'challenge' || outcome.code === 'authentication_required'
  if (challenged) tx.emit('invoice.payment_action_required', invoice)
  if (outcome.kind === 'declined') tx.emit('invoice.payment_failed', invoice)
  return outcome
}

function markPaid(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  tx.change(invoice, {
    status: 'paid',
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: timeOn(tx, invoice.test_clock) },
  })
  tx.schedule('retry-invoice', invoice.id, null)
  spend(tx, subscription, invoice)
  tx.emit('invoice.paid', invoice)
  tx.emit('invoice.payment_succeeded', invoice)
}

/** Takes an invoice back: nothing is owed any more, and its payment is canceled. */
export function voidInvoice(tx: Tx, invoice: Invoice): void {
  const found = paymentOf(tx, invoice)
  const now = timeOn(tx, invoice.test_clock)
  if (found !== null) {
    tx.change(found.intent, { status: 'canceled', canceled_at: tx.now, cancellation_reason: 'void_invoice' })
    tx.change(found.payment, {
      status: 'canceled',
      status_transitions: { canceled_at: now, paid_at: null },
    })
    tx.emit('payment_intent.canceled', found.intent)
  }
  tx.change(invoice, {
    status: 'void',
    auto_advance: false,
    amount_remaining: 0,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, voided_at: now },
  })
  tx.schedule('retry-invoice', invoice.id, null)
  tx.emit('invoice.voided', invoice)
}
