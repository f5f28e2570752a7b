import {
  anything,
  arrayOf,
  fields,
  flag,
  nullable,
  number,
  type Of,
  oneOf,
  optional,
  record,
  recordOf,
  text,
} from '../shape/shape.ts'
import { price } from './catalog.ts'
import { choice } from './discounts.ts'
import { listOf, stored } from './stored.ts'
import { address, party, tax, taxNumber, taxTerms } from './tax.ts'

const status = oneOf(
  'active',
  'past_due',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'unpaid',
  'paused',
  'trialing',
)
type Status = Of<typeof status>

/** States in which a subscription still lives. */
export const LIVE: readonly Status[] = ['active', 'past_due', 'incomplete', 'unpaid', 'paused', 'trialing']

export const subscriptionItem = stored('subscription_item', {
  current_period_start: number,
  current_period_end: number,
  plan: record,
  price,
  quantity: number,
})
export type SubscriptionItem = Of<typeof subscriptionItem>

const transferData = fields({ destination: text, amount_percent: nullable(number) })
/** Where the money of a subscription goes, and what share of it; null: all. */
export type TransferData = Of<typeof transferData>

const pause = fields({
  behavior: oneOf('void', 'keep_as_draft', 'mark_uncollectible'),
  resumes_at: nullable(number),
})

export const subscription = stored('subscription', {
  status,
  customer: text,
  currency: text,
  billing_cycle_anchor: number,
  application_fee_percent: nullable(number),
  transfer_data: nullable(transferData),
  cancel_at: nullable(number),
  cancel_at_period_end: flag,
  canceled_at: nullable(number),
  ended_at: nullable(number),
  start_date: number,
  trial_start: nullable(number),
  trial_end: nullable(number),
  trial_settings: nullable(
    fields({ end_behavior: fields({ missing_payment_method: oneOf('create_invoice', 'cancel', 'pause') }) }),
  ),
  default_payment_method: nullable(text),
  discounts: arrayOf(text),
  latest_invoice: nullable(text),
  pause_collection: nullable(pause),
  cancellation_details: nullable(record),
  automatic_tax: fields({ disabled_reason: nullable(text), enabled: flag, liability: nullable(party) }),
  invoice_settings: fields({ issuer: party }),
  items: listOf(subscriptionItem),
  test_clock: nullable(text),
  metadata: recordOf(text),
  created: number,
})
export type Subscription = Of<typeof subscription>
/** The terms that a request for a new subscription settles, and a checkout session stores until it is paid. */
export const plan = fields({
  price: text,
  quantity: number,
  metadata: recordOf(text),
  description: nullable(text),
  feePercent: nullable(number),
  transferData: nullable(transferData),
  /** Free days before the first payment, counted from the checkout's end. */
  trialDays: optional(nullable(number)),
  missingMethod: optional(oneOf('create_invoice', 'cancel')),
  discount: optional(nullable(choice)),
  tax: optional(taxTerms),
})

/** The sandbox's own note on a subscription: its next renewal is to fail. */
export const subscriptionNotes = fields({ failNext: optional(flag) })

export const invoiceLine = stored('line_item', { description: nullable(text), taxes: nullable(arrayOf(tax)) })
export type InvoiceLine = Of<typeof invoiceLine>

export const invoice = stored('invoice', {
  status: oneOf('draft', 'open', 'paid', 'void', 'uncollectible'),
  customer: text,
  currency: text,
  account_name: optional(nullable(text)),
  amount_due: number,
  amount_paid: number,
  amount_remaining: number,
  attempt_count: number,
  attempted: flag,
  auto_advance: flag,
  automatically_finalizes_at: nullable(number),
  automatic_tax: fields({
    disabled_reason: nullable(text),
    enabled: flag,
    liability: nullable(party),
    provider: nullable(text),
    status: nullable(text),
  }),
  billing_reason: text,
  customer_address: nullable(address),
  customer_email: nullable(text),
  customer_name: nullable(text),
  customer_tax_exempt: nullable(text),
  customer_tax_ids: optional(nullable(arrayOf(taxNumber))),
  discounts: arrayOf(text),
  issuer: party,
  subtotal: number,
  subtotal_excluding_tax: nullable(number),
  total: number,
  total_excluding_tax: nullable(number),
  total_taxes: nullable(arrayOf(tax)),
  total_discount_amounts: nullable(arrayOf(fields({ amount: number, discount: text }))),
  lines: listOf(invoiceLine),
  next_payment_attempt: nullable(number),
  period_start: number,
  period_end: number,
  parent: fields({
    type: oneOf('subscription_details'),
    subscription_details: fields({ subscription: text, metadata: anything }),
  }),
  status_transitions: fields({
    finalized_at: nullable(number),
    marked_uncollectible_at: nullable(number),
    paid_at: nullable(number),
    voided_at: nullable(number),
  }),
  number: nullable(text),
  created: number,
  hosted_invoice_url: nullable(text),
  test_clock: nullable(text),
})
export type Invoice = Of<typeof invoice>

/** The sandbox's own note on an invoice: the secret in its page's address. */
export const invoiceNotes = fields({ secret: optional(text) })

export const invoicePayment = stored('invoice_payment', {
  invoice: text,
  status: oneOf('open', 'paid', 'canceled'),
  amount_paid: nullable(number),
  payment: fields({ type: oneOf('payment_intent'), payment_intent: text }),
})
export type InvoicePayment = Of<typeof invoicePayment>

/** The first item of a subscription: the sandbox sells one price at a time. */
export function itemOf(subscription: Subscription): SubscriptionItem {
  const [item] = subscription.items.data
  if (item === undefined) throw new Error(`The subscription ${subscription.id} has no item.`)
  return item
}

/** Whether the current period of a subscription is its trial, for which nothing is asked. */
export function isInTrial(subscription: Subscription): boolean {
  return subscription.trial_end !== null && itemOf(subscription).current_period_start < subscription.trial_end
}
