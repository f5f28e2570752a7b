import type { Subscription, SubscriptionItem, TransferData } from '../model/billing.ts'
import type { Price } from '../model/catalog.ts'
import type { Choice } from '../model/discounts.ts'
import type { PaymentMethod } from '../model/payments.ts'
import type { TaxTerms } from '../model/tax.ts'
import { nextPeriodEnd } from '../time/periods.ts'
import { list } from '../wire/lists.ts'
import type { Tx } from '../world/world.ts'
import type { Presence } from './invoices.ts'
import type { Trial } from './read-trial.ts'

export type SubscriptionPlan = {
  customer: string
  price: Price
  quantity: number
  /** null: nothing is attempted, and the subscription waits as incomplete unless a trial comes first. */
  method: PaymentMethod | null
  presence: Presence
  metadata: Record<string, string>
  description: string | null
  feePercent: number | null
  transferData: TransferData | null
  /** Unix time of a start in the past, for whose time nothing is asked; left out: now. */
  startDate?: number | undefined
  /** Free time before the first payment; null: none. */
  trial: Trial | null
  /** null: the whole price is asked. */
  discount: Choice | null
  tax: TaxTerms
}

/**
 * A subscription on these terms with its first period, not stored yet. A trial is a period on its own, and the cycle is
 * anchored at its end (docs.stripe.com/billing/subscriptions/trials).
 * @param now Unix time
 */
export function makeSubscription(
  tx: Tx,
  plan: SubscriptionPlan,
  clock: string | null,
  now: number,
): Subscription {
  const subscription = tx.make('subscription', {
    application_fee_percent: plan.feePercent,
    automatic_tax: { disabled_reason: null, enabled: plan.tax.enabled, liability: plan.tax.liability },
    billing_cycle_anchor: plan.trial?.end ?? now,
    billing_mode: { type: 'flexible', flexible: { proration_discounts: 'included' } },
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    currency: plan.price.currency,
    customer: plan.customer,
    default_payment_method: plan.method?.id ?? null,
    description: plan.description,
    invoice_settings: { issuer: plan.tax.issuer },
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
    trial_end: plan.trial?.end ?? null,
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: 'now',
        missing_payment_method: plan.trial?.missing ?? 'create_invoice',
      },
    },
    trial_start: plan.trial === null ? null : now,
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
    current_period_end: plan.trial?.end ?? nextPeriodEnd(now, recurring, now),
    metadata: {},
    plan: planOf(price),
    price: structuredClone(price),
    quantity,
    subscription,
    tax_rates: [],
  })
  return item
}

/** The older form of a price, which Stripe shows beside it. */
export function planOf(price: Price): Record<string, unknown> {
  return {
    id: price.id,
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: String(price.unit_amount),
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval,
    interval_count: price.recurring?.interval_count,
    metadata: price.metadata,
    nickname: price.nickname,
    product: price.product,
  }
}
