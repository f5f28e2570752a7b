import { timeOn } from '../clock/time-on.ts'
import { mayReceive } from '../connect/types.ts'
import type { Customer } from '../customers/types.ts'
import type { PaymentMethod } from '../payments/payment-methods.ts'
import type { Stored } from '../store/objects.ts'
import type { Tx } from '../world.ts'
import { draftInvoice } from './draft-invoice.ts'
import { endSubscription } from './ending.ts'
import {
  addInvoice,
  attemptPayment,
  finalize,
  type Presence,
  stopAdvancing,
  voidInvoice,
} from './invoices.ts'
import { nextPeriodEnd } from './periods.ts'
import { RETRY_DAYS, retryEnding } from './retries.ts'
import { type Invoice, itemOf, type Subscription } from './types.ts'

const DAY = 86_400

/**
 * Begins a subscription's next period. Its invoice stays a draft for an hour, in which it can be changed, and is collected
 * then (docs.stripe.com/invoicing/integration/automatic-advancement-collection). While collection is paused it gets no
 * such hour, and an unpaid subscription's stays a draft (docs.stripe.com/billing/subscriptions/overview, "unpaid").
 */
export function renew(tx: Tx, id: string): void {
  const subscription = tx.need<Subscription>('subscription', id)
  const item = itemOf(subscription)
  const start = item.current_period_end
  const recurring = item.price.recurring ?? { interval: 'month', interval_count: 1 }
  const end = nextPeriodEnd(subscription.billing_cycle_anchor, recurring, start)
  const rolled = { ...item, current_period_start: start, current_period_end: end }
  const before = tx.change(subscription, { items: { ...subscription.items, data: [rolled] } })
  tx.schedule('renew-subscription', id, end, subscription.test_clock)
  const latest = subscription.latest_invoice
  const invoice = draftInvoice(tx, subscription, 'subscription_cycle')
  addInvoice(tx, subscription, invoice)
  tx.emit('customer.subscription.updated', subscription, { ...before, latest_invoice: latest })
  const pause = subscription.pause_collection
  if (pause?.behavior === 'keep_as_draft' || subscription.status === 'unpaid') {
    stopAdvancing(tx, invoice)
    return
  }
  if (pause === null) {
    tx.schedule('finalize-invoice', invoice.id, invoice.automatically_finalizes_at, invoice.test_clock)
    return
  }
  finalize(tx, subscription, invoice)
  if (pause.behavior === 'void') voidInvoice(tx, invoice)
  else markUncollectible(tx, invoice)
}

/**
 * The hour of a draft is over: it is finalized and collected. Also when collection was paused meanwhile: what was there
 * before a pause goes its way (docs.stripe.com/billing/subscriptions/pause-payment, "Before you begin").
 */
export function advanceDraft(tx: Tx, id: string): void {
  const invoice = tx.need<Invoice>('invoice', id)
  if (invoice.status !== 'draft' || !invoice.auto_advance) return
  const subscription = tx.need<Subscription>('subscription', invoice.parent.subscription_details.subscription)
  finalize(tx, subscription, invoice)
  payDue(tx, subscription, invoice, 'away')
}

/** One more attempt at an invoice that could not be collected. */
export function retry(tx: Tx, id: string): void {
  const invoice = tx.need<Invoice>('invoice', id)
  if (invoice.status !== 'open') return
  const subscription = tx.need<Subscription>('subscription', invoice.parent.subscription_details.subscription)
  payDue(tx, subscription, invoice, 'away')
}

/**
 * Tries to collect an open invoice of a running subscription, and draws the consequences: active again, past due with
 * a date for the next attempt, or ended after the last.
 * @returns whether it is paid, or a person has to approve it, or its money could not go where it has to
 */
export function payDue(
  tx: Tx,
  subscription: Subscription,
  invoice: Invoice,
  presence: Presence,
  method: PaymentMethod | null = defaultMethod(tx, subscription),
): 'paid' | 'challenge' | 'no-destination' | { message: string; code: string; declineCode: string | null } {
  const hasNowhereToGo = destinationGone(tx, subscription)
  if (method === null || hasNowhereToGo) {
    tx.change(invoice, { attempted: true, attempt_count: invoice.attempt_count + 1 })
    tx.emit('invoice.payment_failed', invoice)
    if (presence === 'away') fallDue(tx, subscription, invoice)
    if (hasNowhereToGo) return 'no-destination'
    return { message: 'There is no card to charge.', code: 'resource_missing', declineCode: null }
  }
  const outcome = attemptPayment(tx, invoice, method, presence, takeSabotage(tx, subscription))
  if (outcome.kind === 'paid' || outcome.kind === 'free') {
    recover(tx, subscription)
    return 'paid'
  }
  if (presence === 'away') fallDue(tx, subscription, invoice)
  if (outcome.kind === 'challenge') return 'challenge'
  return { message: outcome.message, code: outcome.code, declineCode: outcome.declineCode }
}

/** After a payment came in: a subscription that waited for it runs again. */
function recover(tx: Tx, subscription: Subscription): void {
  const waits = ['past_due', 'unpaid', 'incomplete'].includes(subscription.status)
  if (!waits || tx.objects.count('invoice', { parent: subscription.id, equal: { status: 'open' } }) > 0)
    return
  const first = subscription.status === 'incomplete'
  const before = tx.change(subscription, { status: 'active' })
  if (first) {
    tx.schedule('expire-subscription', subscription.id, null)
    const { current_period_end } = itemOf(subscription)
    tx.schedule('renew-subscription', subscription.id, current_period_end, subscription.test_clock)
  }
  tx.emit('customer.subscription.updated', subscription, before)
}

function fallDue(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const gap = RETRY_DAYS[invoice.attempt_count - 1]
  if (gap === undefined) {
    giveUp(tx, subscription, invoice)
    return
  }
  const next = timeOn(tx, invoice.test_clock) + gap * DAY
  const before = tx.change(invoice, { next_payment_attempt: next })
  tx.emit('invoice.updated', invoice, before)
  tx.schedule('retry-invoice', invoice.id, next, invoice.test_clock)
  if (subscription.status === 'past_due') return
  const status = tx.change(subscription, { status: 'past_due' })
  tx.emit('customer.subscription.updated', subscription, status)
}

function giveUp(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const ending = retryEnding(tx)
  if (ending === 'cancel') {
    endSubscription(tx, subscription, 'payment_failed')
    return
  }
  const before = tx.change(invoice, { next_payment_attempt: null })
  tx.emit('invoice.updated', invoice, before)
  if (subscription.status === ending) return
  const status = tx.change(subscription, { status: ending })
  tx.emit('customer.subscription.updated', subscription, status)
}

/** The first payment never came: the subscription is over before it began. */
export function expireIncomplete(tx: Tx, id: string): void {
  const subscription = tx.need<Subscription>('subscription', id)
  if (subscription.status !== 'incomplete') return
  const invoice = tx.need<Invoice>('invoice', subscription.latest_invoice ?? '')
  if (invoice.status === 'open') voidInvoice(tx, invoice)
  const now = timeOn(tx, subscription.test_clock)
  const before = tx.change(subscription, { status: 'incomplete_expired', ended_at: now })
  tx.emit('customer.subscription.updated', subscription, before)
}

function markUncollectible(tx: Tx, invoice: Invoice): void {
  const before = tx.change(invoice, {
    status: 'uncollectible',
    auto_advance: false,
    status_transitions: {
      ...invoice.status_transitions,
      marked_uncollectible_at: timeOn(tx, invoice.test_clock),
    },
  })
  tx.emit('invoice.updated', invoice, before)
}

function defaultMethod(tx: Tx, subscription: Subscription): PaymentMethod | null {
  const customer = tx.need<Customer>('customer', subscription.customer)
  const id = subscription.default_payment_method ?? customer.invoice_settings.default_payment_method
  const method = id === null ? null : (tx.objects.find(id) as PaymentMethod | null)
  return method?.customer === customer.id ? method : null
}

function destinationGone(tx: Tx, subscription: Subscription): boolean {
  const { transfer_data } = subscription
  if (transfer_data === null) return false
  const account: Stored | null = tx.objects.find(transfer_data.destination)
  return account === null || !mayReceive(account)
}

function takeSabotage(tx: Tx, subscription: Subscription): boolean {
  const hidden = tx.objects.hidden(subscription.id)
  if (hidden.failNext !== true) return false
  tx.objects.saveHidden(subscription.id, { ...hidden, failNext: false })
  return true
}
