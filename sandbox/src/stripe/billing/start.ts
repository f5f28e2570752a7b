import { redeem } from '../discounts/redeem.ts'
import { type Invoice, itemOf, type Subscription } from '../model/billing.ts'
import type { Outcome } from '../model/payments.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { draftInvoice } from './draft-invoice.ts'
import { addInvoice, attemptPayment, finalize } from './invoices.ts'
import { makeSubscription, type SubscriptionPlan } from './make-subscription.ts'
import { planNotice } from './trials.ts'

const HOURS_TO_COMPLETE = 23

export type Started = {
  subscription: Subscription
  invoice: Invoice
  outcome: Outcome | { kind: 'free' } | null
}

/**
 * Begins a subscription: its first period and invoice, and the first payment where a card is at hand. An invoice of nothing,
 * as a trial has, is paid without one.
 */
export function startSubscription(tx: Tx, plan: SubscriptionPlan): Started {
  const clock = tx.need('customer', plan.customer).test_clock ?? null
  const now = timeOn(tx, clock)
  const subscription = makeSubscription(tx, plan, clock, now)
  tx.add(subscription)
  if (plan.discount !== null) redeem(tx, subscription, plan.discount)
  const invoice = draftInvoice(tx, subscription, 'subscription_create')
  addInvoice(tx, subscription, invoice)
  finalize(tx, subscription, invoice)
  const outcome = firstPayment(tx, plan, subscription, invoice)
  const paid = outcome?.kind === 'paid' || outcome?.kind === 'free'
  tx.change(subscription, { status: plan.trial !== null ? 'trialing' : paid ? 'active' : 'incomplete' })
  if (paid) tx.schedule('renew-subscription', subscription.id, itemOf(subscription).current_period_end, clock)
  else tx.schedule('expire-subscription', subscription.id, now + HOURS_TO_COMPLETE * 3600, clock)
  rememberCurrency(tx, subscription)
  tx.emit('customer.subscription.created', subscription)
  planNotice(tx, subscription)
  return { subscription, invoice, outcome }
}

function firstPayment(
  tx: Tx,
  plan: SubscriptionPlan,
  subscription: Subscription,
  invoice: Invoice,
): Started['outcome'] {
  if (invoice.status === 'paid') return { kind: 'free' }
  return plan.method === null ? null : attemptPayment(tx, subscription, invoice, plan.method, plan.presence)
}

function rememberCurrency(tx: Tx, subscription: Subscription): void {
  const customer = tx.need('customer', subscription.customer)
  if (customer.currency === null) tx.change(customer, { currency: subscription.currency })
}
