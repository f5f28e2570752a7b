import { type Invoice, itemOf } from '../model/billing.ts'
import { nextPeriodEnd } from '../time/periods.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { draftInvoice } from './draft-invoice.ts'
import { addInvoice, finalize, stopAdvancing, voidInvoice } from './invoices.ts'
import { payDue } from './pay-due.ts'

/**
 * Begins a subscription's next period. Its invoice stays a draft for an hour, in which it can be changed, and is collected
 * then (docs.stripe.com/invoicing/integration/automatic-advancement-collection). While collection is paused it gets no
 * such hour, and an unpaid subscription's stays a draft (docs.stripe.com/billing/subscriptions/overview, "unpaid").
 */
export function renew(tx: Tx, id: string): void {
  const subscription = tx.need('subscription', id)
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
