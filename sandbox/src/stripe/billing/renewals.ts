import { type Invoice, itemOf, type Subscription } from '../model/billing.ts'
import { nextPeriodEnd } from '../time/periods.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { defaultMethod } from './default-method.ts'
import { draftInvoice } from './draft-invoice.ts'
import { endSubscription } from './ending.ts'
import { addInvoice, finalize, stopAdvancing, voidInvoice } from './invoices.ts'
import { payDue } from './pay-due.ts'
import { planNotice } from './trials.ts'

/**
 * Begins a subscription's next period, also the first that is paid after a trial. Its invoice stays a draft for an hour, in
 * which it can be changed, and is collected then
 * (docs.stripe.com/invoicing/integration/automatic-advancement-collection). While collection is paused it gets no such hour,
 * and an unpaid subscription's stays a draft (docs.stripe.com/billing/subscriptions/overview, "unpaid").
 */
export function renew(tx: Tx, id: string): void {
  const subscription = tx.need('subscription', id)
  const afterTrial = subscription.status === 'trialing'
  if (afterTrial && endsWithTrial(tx, subscription)) {
    endSubscription(tx, subscription, 'cancellation_requested')
    return
  }
  const item = itemOf(subscription)
  const start = item.current_period_end
  const recurring = item.price.recurring ?? { interval: 'month', interval_count: 1 }
  const end = nextPeriodEnd(subscription.billing_cycle_anchor, recurring, start)
  const rolled = { ...item, current_period_start: start, current_period_end: end }
  const before = tx.change(subscription, {
    items: { ...subscription.items, data: [rolled] },
    ...(afterTrial && { status: 'active' as const }),
  })
  tx.schedule('renew-subscription', id, end, subscription.test_clock)
  const latest = subscription.latest_invoice
  const invoice = draftInvoice(tx, subscription, 'subscription_cycle')
  addInvoice(tx, subscription, invoice)
  tx.emit('customer.subscription.updated', subscription, { ...before, latest_invoice: latest })
  if (holdBack(tx, subscription, invoice)) return
  tx.schedule('finalize-invoice', invoice.id, invoice.automatically_finalizes_at, invoice.test_clock)
}

/** A trial that was to end the subscription unless there is a card by then, and there is none. */
function endsWithTrial(tx: Tx, subscription: Subscription): boolean {
  const { missing_payment_method } = subscription.trial_settings?.end_behavior ?? {}
  return missing_payment_method === 'cancel' && defaultMethod(tx, subscription) === null
}

/**
 * Leaves the invoice of a new period where it stays while collection is paused, or the subscription unpaid.
 * @returns whether that is so; else the invoice is to be collected
 */
function holdBack(tx: Tx, subscription: Subscription, invoice: Invoice): boolean {
  const pause = subscription.pause_collection
  if (pause?.behavior === 'keep_as_draft' || subscription.status === 'unpaid') {
    stopAdvancing(tx, invoice)
    return true
  }
  if (pause === null) return false
  finalize(tx, subscription, invoice)
  if (pause.behavior === 'void') voidInvoice(tx, invoice)
  else markUncollectible(tx, invoice)
  return true
}

/**
 * Makes the invoice of a period that a change began now, and collects it at once.
 * @param before what the change replaced, for its event
 */
export function billNow(tx: Tx, subscription: Subscription, before: Record<string, unknown>): void {
  const { id, latest_invoice, test_clock } = subscription
  tx.schedule('renew-subscription', id, itemOf(subscription).current_period_end, test_clock)
  const invoice = draftInvoice(tx, subscription, 'subscription_update')
  addInvoice(tx, subscription, invoice)
  tx.emit('customer.subscription.updated', subscription, { ...before, latest_invoice })
  planNotice(tx, subscription)
  if (holdBack(tx, subscription, invoice)) return
  finalize(tx, subscription, invoice)
  payDue(tx, subscription, invoice, 'away')
}

/**
 * The hour of a draft is over: it is finalized and collected. Also when collection was paused meanwhile: what was there
 * before a pause goes its way (docs.stripe.com/billing/subscriptions/pause-payment, "Before you begin").
 */
export function advanceDraft(tx: Tx, id: string): void {
  const invoice = tx.need('invoice', id)
  if (invoice.status !== 'draft' || !invoice.auto_advance) return
  const subscription = tx.need('subscription', invoice.parent.subscription_details.subscription)
  finalize(tx, subscription, invoice)
  payDue(tx, subscription, invoice, 'away')
}

/** One more attempt at an invoice that could not be collected. */
export function retry(tx: Tx, id: string): void {
  const invoice = tx.need('invoice', id)
  if (invoice.status !== 'open') return
  const subscription = tx.need('subscription', invoice.parent.subscription_details.subscription)
  payDue(tx, subscription, invoice, 'away')
}

/** The first payment never came: the subscription is over before it began. */
export function expireIncomplete(tx: Tx, id: string): void {
  const subscription = tx.need('subscription', id)
  if (subscription.status !== 'incomplete') return
  const invoice = tx.need('invoice', subscription.latest_invoice ?? '')
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
