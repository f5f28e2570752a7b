import {
  type Invoice,
  itemOf,
  type Subscription,
  type SubscriptionItem,
  type TransferData,
} from '../model/billing.ts'
import type { Price } from '../model/catalog.ts'
import type { Outcome, PaymentMethod } from '../model/payments.ts'
import { nextPeriodEnd } from '../time/periods.ts'
import { timeOn } from '../time/time-on.ts'
import { list } from '../wire/lists.ts'
import type { Tx } from '../world/world.ts'
import { draftInvoice } from './draft-invoice.ts'
import { addInvoice, attemptPayment, finalize, type Presence } from './invoices.ts'

const HOURS_TO_COMPLETE = 23

export type SubscriptionPlan = {
  customer: string
  price: Price
  quantity: number
  /** null: nothing is attempted, and the subscription waits as incomplete. */
  method: PaymentMethod | null
  presence: Presence
  metadata: Record<string, string>
  description: string | null
  feePercent: number | null
  transferData: TransferData | null
  /** Unix time of a start in the past, for whose time nothing is asked; left out: now. */
  startDate?: number | undefined
}

export type Started = {
  subscription: Subscription
  invoice: Invoice
  outcome: Outcome | { kind: 'free' } | null
}

/** Begins a subscription: its first period and invoice, and the first payment where a card is at hand. */
export function startSubscription(tx: Tx, plan: SubscriptionPlan): Started {
  const clock = tx.need('customer', plan.customer).test_clock ?? null
  const now = timeOn(tx, clock)
  const subscription = makeSubscription(tx, plan, clock, now)
  tx.add(subscription)
  const invoice = draftInvoice(tx, subscription, 'subscription_create')
  addInvoice(tx, subscription, invoice)
  finalize(tx, subscription, invoice)
  const outcome = plan.method === null ? null : attemptPayment(tx, invoice, plan.method, plan.presence)
  const paid = outcome?.kind === 'paid' || outcome?.kind === 'free'
  tx.change(subscription, { status: paid ? 'active' : 'incomplete' })
  if (paid) tx.schedule('renew-subscription', subscription.id, itemOf(subscription).current_period_end, clock)
  else tx.schedule('expire-subscription', subscription.id, now + HOURS_TO_COMPLETE * 3600, clock)
  rememberCurrency(tx, subscription)
  tx.emit('customer.subscription.created', subscription)
  return { subscription, invoice, outcome }
}

function makeSubscription(tx: Tx, plan: SubscriptionPlan, clock: string | null, now: number): Subscription {
  const subscription = tx.make('subscription', {
    application_fee_percent: plan.feePercent,
    billing_cycle_anchor: now,
    billing_mode: { type: 'flexible', flexible: { proration_discounts: 'included' } },
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    currency: plan.price.currency,
    customer: plan.customer,
    default_payment_method: plan.method?.id ?? null,
    description: plan.description,
    metadata: plan.metadata,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: ['card'],
      save_default_payment_method: 'off',
    },
    start_date: plan.startDate ?? now,
    status: 'incomplete',
    test_clock: clock,
    transfer_data: plan.transferData,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: 'unchanged', missing_payment_method: 'create_invoice' },
    },
  })
  const item = makeItem(tx, subscription.id, plan, now)
  subscription.items = list([item], `/v1/subscription_items?subscription=${subscription.id}`)
  return subscription
}

function makeItem(tx: Tx, subscription: string, plan: SubscriptionPlan, now: number): SubscriptionItem {
  const { price, quantity } = plan
  const { recurring } = price
  if (recurring === null) throw new Error(`The price ${price.id} does not recur.`)
  const item = tx.make('subscription_item', {
    created: now,
    current_period_start: now,
    current_period_end: nextPeriodEnd(now, recurring, now),
    metadata: {},
    plan: {
      id: price.id,
      active: price.active,
      amount: price.unit_amount,
      amount_decimal: String(price.unit_amount),
      created: price.created,
      currency: price.currency,
      interval: recurring.interval,
      interval_count: recurring.interval_count,
      metadata: price.metadata,
      nickname: price.nickname,
      product: price.product,
    },
    price: structuredClone(price),
    quantity,
    subscription,
    tax_rates: [],
  })
  return item
}

function rememberCurrency(tx: Tx, subscription: Subscription): void {
  const customer = tx.need('customer', subscription.customer)
  if (customer.currency === null) tx.change(customer, { currency: subscription.currency })
}
