import { BILLING_INTERVALS, type BillingInterval } from '@tradepost/contract/billing-interval'
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@tradepost/contract/subscriptions'
import type Stripe from 'stripe'
import * as z from 'zod'
import { LISTED_WITH_DISCOUNTS, readDiscounts, type StripeDiscount, WITH_DISCOUNTS } from './discounts.ts'
import { idOf, sdkOf, toDate } from './sdk.ts'
import { isOurs, type StripeDeps } from './stripe-client.ts'
import { isMissing } from './stripe-errors.ts'

/** Why the product itself ended a subscription; kept in the metadata at Stripe before it is ended there. */
const END_REASONS = [
  'double',
  'dispute',
  'trader_unavailable',
  'to_oneself',
  'unpaid',
  'account_closed',
  'trial_used',
  'withdrawn',
  'left',
  'fraud_warning',
] as const
export type EndReason = (typeof END_REASONS)[number]

/** A subscriber, who pays, and the trader whom they follow. */
export type Pair = { traderId: string; subscriberId: string }

/** A subscription at Stripe in the product's terms; instants as Stripe dates them, the price in cents at each renewal. */
export type StripeSubscription = {
  id: string
  customerId: string
  /** Null when its metadata do not name it. */
  pair: Pair | null
  checkoutId: string | null
  /** The terms that its checkout asked consent to; null where it was bought without. */
  termsVersion: string | null
  status: SubscriptionStatus
  /** It ended without a first payment, so nobody ever had anything of it. */
  neverBegan: boolean
  /** Whether payments that failed ended it. */
  endedUnpaid: boolean
  createdAt: Date
  startedAt: Date
  endedAt: Date | null
  currentPeriodEnd: Date | null
  /** Of free days; null for one that never had any. */
  trialEnd: Date | null
  cancelAt: Date | null
  /** When that end was asked for; of one that has ended, when it was. Null while it renews. */
  canceledAt: Date | null
  /** Of the one thing that it is for, and the product that this is. */
  itemId: string
  productId: string
  priceCents: number
  currency: string
  interval: BillingInterval
  /** Taken off the price, in this order. */
  discounts: readonly StripeDiscount[]
  /** The platform's share, in percent. */
  feePercent: number | null
  /** The account that the money goes to. */
  destination: string | null
  /** Nothing is collected. `pausedForPayouts`: because the product paused it. */
  paused: boolean
  pausedForPayouts: boolean
  endReason: EndReason | null
  latestInvoiceId: string | null
  /** The card that is charged, by Stripe's id; null: the one that the customer has chosen for all. */
  paymentMethodId: string | null
}

/** In the metadata of a subscription whose collection the product paused. */
export const PAUSED_FOR_PAYOUTS = { paused_for: 'payouts' } as const

const pairMetadata = z.object({
  trader_id: z.uuid(),
  subscriber_id: z.uuid(),
  checkout_id: z.uuid().optional(),
})

/**
 * Reads one that is ours.
 * @throws when Stripe answers something that the product does not know, rather than guess who has access
 */
export function readSubscription(subscription: Stripe.Subscription): StripeSubscription {
  const [item] = subscription.items.data
  if (!item) throw new Error('a subscription at Stripe has no item')
  const { metadata } = subscription
  const marked = pairMetadata.safeParse(metadata).data
  // Periods are those of the item; a planned end is either of two fields (docs.stripe.com/billing/subscriptions/cancel).
  const periodEnd = toDate(item.current_period_end)
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer),
    pair: marked ? { traderId: marked.trader_id, subscriberId: marked.subscriber_id } : null,
    checkoutId: marked?.checkout_id ?? null,
    termsVersion: metadata.terms_version || null,
    status: readStatus(subscription.status),
    neverBegan: subscription.status === 'incomplete_expired',
    endedUnpaid: subscription.cancellation_details?.reason === 'payment_failed',
    createdAt: new Date(subscription.created * 1000),
    startedAt: new Date(subscription.start_date * 1000),
    endedAt: toDate(subscription.ended_at),
    currentPeriodEnd: periodEnd,
    trialEnd: toDate(subscription.trial_end),
    cancelAt: toDate(subscription.cancel_at) ?? (subscription.cancel_at_period_end ? periodEnd : null),
    canceledAt: toDate(subscription.canceled_at),
    itemId: item.id,
    productId: idOf(item.price.product),
    priceCents: item.price.unit_amount ?? 0,
    currency: item.price.currency,
    interval: readInterval(item.price.recurring),
    discounts: readDiscounts(subscription),
    feePercent: subscription.application_fee_percent,
    destination: subscription.transfer_data ? idOf(subscription.transfer_data.destination) : null,
    paused: subscription.pause_collection !== null,
    pausedForPayouts: metadata.paused_for === PAUSED_FOR_PAYOUTS.paused_for,
    endReason: END_REASONS.find((reason) => reason === metadata.end_reason) ?? null,
    latestInvoiceId: subscription.latest_invoice ? idOf(subscription.latest_invoice) : null,
    paymentMethodId: subscription.default_payment_method ? idOf(subscription.default_payment_method) : null,
  }
}

/** As it is at Stripe now. @throws what Stripe throws, also when there is none */
export async function retrieveSubscription(deps: StripeDeps, id: string): Promise<StripeSubscription> {
  return readSubscription(await sdkOf(deps).subscriptions.retrieve(id, WITH_DISCOUNTS))
}

/** As it is at Stripe now; null when there is none, or it is not ours. */
export async function fetchSubscription(deps: StripeDeps, id: string): Promise<StripeSubscription | null> {
  try {
    const subscription = await sdkOf(deps).subscriptions.retrieve(id, WITH_DISCOUNTS)
    return isOurs(deps.settings, subscription.metadata) ? readSubscription(subscription) : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Nobody follows more traders at a time than this. */
const MOST_OF_ONE_CUSTOMER = 2000

/**
 * Finds the card that a subscription is charged to, by the name that Stripe gives it with every customer (its fingerprint).
 * @returns null where there is no card
 * @throws what Stripe throws
 */
export async function fetchCard(
  deps: StripeDeps,
  { customerId, paymentMethodId }: Pick<StripeSubscription, 'customerId' | 'paymentMethodId'>,
): Promise<string | null> {
  const { customers, paymentMethods } = sdkOf(deps)
  try {
    const id = paymentMethodId ?? (await findMethodOf(customers, customerId))
    return id === null ? null : ((await paymentMethods.retrieve(id)).card?.fingerprint ?? null)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function findMethodOf(customers: Stripe['customers'], id: string): Promise<string | null> {
  const customer = await customers.retrieve(id)
  const method = customer.deleted ? null : customer.invoice_settings.default_payment_method
  return method && idOf(method)
}

/** Everything of a customer that has not been canceled. */
export async function listSubscriptionsOf(
  deps: StripeDeps,
  customerId: string,
): Promise<StripeSubscription[]> {
  try {
    const list = sdkOf(deps).subscriptions.list({
      customer: customerId,
      limit: 100,
      ...LISTED_WITH_DISCOUNTS,
    })
    const found = await list.autoPagingToArray({ limit: MOST_OF_ONE_CUSTOMER })
    return readOurs(deps.settings, found)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const PAGE = 100

/**
 * A page of all that live at Stripe.
 * @param after the last id of the page before
 * @returns this deployment's among them, and after which id the next page begins; null after the last
 */
export async function listSubscriptions(
  deps: StripeDeps,
  after: string | undefined,
): Promise<{ subscriptions: StripeSubscription[]; next: string | null }> {
  const page = await sdkOf(deps).subscriptions.list({
    limit: PAGE,
    ...LISTED_WITH_DISCOUNTS,
    ...(after && { starting_after: after }),
  })
  return {
    subscriptions: readOurs(deps.settings, page.data),
    next: page.has_more ? (page.data.at(-1)?.id ?? null) : null,
  }
}

/** The account may hold others'. */
function readOurs(
  settings: StripeDeps['settings'],
  subscriptions: Stripe.Subscription[],
): StripeSubscription[] {
  return subscriptions.filter(({ metadata }) => isOurs(settings, metadata)).map(readSubscription)
}

export function isLive(subscription: { status: SubscriptionStatus }): boolean {
  return subscription.status !== 'canceled'
}

function readInterval(recurring: Stripe.Price.Recurring | null): BillingInterval {
  const known = BILLING_INTERVALS.find((one) => one === recurring?.interval)
  if (!known || recurring?.interval_count !== 1)
    throw new Error('a subscription at Stripe renews at an interval that is not known here')
  return known
}

function readStatus(status: Stripe.Subscription.Status): SubscriptionStatus {
  if (status === 'incomplete_expired') return 'canceled'
  const known = SUBSCRIPTION_STATUSES.find((one) => one === status)
  if (!known) throw new Error('a subscription at Stripe has a status that is not known here')
  return known
}
