import type { Price } from '../catalog/prices.ts'
import { timeOn } from '../clock/time-on.ts'
import { checkDestination } from '../connect/destination.ts'
import type { Customer } from '../customers/types.ts'
import type { PaymentMethod } from '../payments/payment-methods.ts'
import type { Outcome } from '../payments/types.ts'
import { invalid } from '../wire/errors.ts'
import { list } from '../wire/lists.ts'
import type { Tx } from '../world.ts'
import { draftInvoice } from './draft-invoice.ts'
import { addInvoice, attemptPayment, finalize, type Presence } from './invoices.ts'
import { nextPeriodEnd } from './periods.ts'
import { type Invoice, itemOf, type Subscription, type SubscriptionItem } from './types.ts'

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
  transferData: { destination: string; amount_percent: number | null } | null
}

export type Started = {
  subscription: Subscription
  invoice: Invoice
  outcome: Outcome | { kind: 'free' } | null
}

/** Begins a subscription: its first period and invoice, and the first payment where a card is at hand. */
export function startSubscription(tx: Tx, plan: SubscriptionPlan): Started {
  const clock = tx.need<Customer>('customer', plan.customer).test_clock ?? null
  const now = timeOn(tx, clock)
  const subscription = makeSubscription(tx, plan, clock, now)
  tx.add(subscription)
  tx.objects.saveHidden(itemOf(subscription).id, { parent: subscription.id })
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
  const subscription = tx.make<Subscription>('subscription', {
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
    start_date: now,
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
  const item = tx.make<SubscriptionItem>('subscription_item', {
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
  const customer = tx.need<Customer>('customer', subscription.customer)
  if (customer.currency === null) tx.change(customer, { currency: subscription.currency })
}

/** A price that a subscription can be made of. */
export function recurringPrice(tx: Tx, id: string, param: string): Price {
  const price = tx.need<Price>('price', id, param)
  if (!price.active)
    throw invalid('The price specified is inactive. This field only accepts active prices.', param)
  if (price.recurring === null)
    throw invalid(
      'You specified `subscription` mode but passed a one-time price only. Pass at least one recurring price.',
      param,
    )
  return price
}

/** The sandbox bills in the mode that is Stripe's default (docs.stripe.com/billing/subscriptions/billing-mode). */
export function checkBillingMode(given: unknown, param: string): void {
  const type = (given as { type?: string } | undefined)?.type
  if (type !== undefined && type !== 'flexible')
    throw invalid('The payments sandbox knows the billing mode `flexible` only.', param)
}

/** Where the money of a subscription goes, as a request says it. */
export function readTransferData(tx: Tx, given: unknown): Subscription['transfer_data'] {
  if (given === undefined || given === null || given === '') return null
  const { destination, amount_percent } = given as { destination: string; amount_percent?: number }
  checkDestination(tx, destination, 'transfer_data[destination]')
  return { destination, amount_percent: checkPercent(amount_percent, 'transfer_data[amount_percent]') }
}

/** A percentage as Stripe takes it: from 0 to 100, at most two decimals. */
export function checkPercent(value: unknown, param: string): number | null {
  if (value === undefined || value === null || value === '') return null
  const percent = Number(value)
  if (!(percent >= 0 && percent <= 100)) throw invalid('Invalid decimal: must be between 0 and 100', param)
  if (Math.abs(percent * 100 - Math.round(percent * 100)) > 1e-9)
    throw invalid('Invalid decimal: may have at most two decimal places', param)
  return percent
}
