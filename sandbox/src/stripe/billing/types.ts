import type { Price } from '../catalog/prices.ts'
import type { Stored } from '../store/objects.ts'

export type Status =
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'incomplete'
  | 'incomplete_expired'
  | 'unpaid'
  | 'paused'
  | 'trialing'

/** States in which a subscription still lives. */
export const LIVE: readonly Status[] = ['active', 'past_due', 'incomplete', 'unpaid', 'paused', 'trialing']

export type SubscriptionItem = Stored & {
  current_period_start: number
  current_period_end: number
  price: Price
  quantity: number
}

export type Subscription = Stored & {
  status: Status
  customer: string
  currency: string
  billing_cycle_anchor: number
  application_fee_percent: number | null
  transfer_data: { destination: string; amount_percent: number | null } | null
  cancel_at: number | null
  cancel_at_period_end: boolean
  canceled_at: number | null
  ended_at: number | null
  start_date: number
  default_payment_method: string | null
  latest_invoice: string | null
  pause_collection: {
    behavior: 'void' | 'keep_as_draft' | 'mark_uncollectible'
    resumes_at: number | null
  } | null
  cancellation_details: Record<string, unknown> | null
  items: { object: 'list'; data: SubscriptionItem[]; has_more: boolean; url: string }
  test_clock: string | null
  metadata: Record<string, string>
  created: number
}

export type InvoiceLine = Stored & { description: string | null }

export type Invoice = Stored & {
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  customer: string
  currency: string
  amount_due: number
  amount_paid: number
  amount_remaining: number
  attempt_count: number
  attempted: boolean
  auto_advance: boolean
  automatically_finalizes_at: number | null
  billing_reason: string
  customer_email: string | null
  lines: { object: 'list'; data: InvoiceLine[]; has_more: boolean; url: string }
  next_payment_attempt: number | null
  period_start: number
  period_end: number
  parent: {
    type: 'subscription_details'
    subscription_details: { subscription: string; metadata: unknown }
    quote_details: null
  }
  status_transitions: {
    finalized_at: number | null
    marked_uncollectible_at: number | null
    paid_at: number | null
    voided_at: number | null
  }
  number: string | null
  created: number
  hosted_invoice_url: string | null
  test_clock: string | null
}

export type InvoicePayment = Stored & {
  invoice: string
  status: 'open' | 'paid' | 'canceled'
  amount_paid: number | null
  payment: { type: 'payment_intent'; payment_intent: string }
}

/** The first item of a subscription: the sandbox sells one price at a time. */
export function itemOf(subscription: Subscription): SubscriptionItem {
  const [item] = subscription.items.data
  if (item === undefined) throw new Error(`The subscription ${subscription.id} has no item.`)
  return item
}
