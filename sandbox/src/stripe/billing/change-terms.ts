import { makePriceOf, PRICE_DATA } from '../catalog/prices.ts'
import { itemOf, type Subscription, type SubscriptionItem } from '../model/billing.ts'
import { invalid, missing } from '../refusals/errors.ts'
import { merge } from '../shape/merge.ts'
import { arrayOf, fields, number, type ObjectOf, type Of, optional, text } from '../shape/shape.ts'
import { checkBehavior } from '../tax/terms.ts'
import { nextPeriodEnd } from '../time/periods.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { defaultMethod, noMethod } from './default-method.ts'
import { planOf } from './make-subscription.ts'
import { recurringPrice } from './read-plan.ts'
import { checkTrialEnd, readMissingMethod, TRIAL_END, TRIAL_SETTINGS } from './read-trial.ts'

/** Parameters that change the price of a running subscription, or its trial. */
export const TERMS = {
  items: optional(
    arrayOf(
      fields({
        id: optional(text),
        price: optional(text),
        price_data: optional(PRICE_DATA),
        quantity: optional(number),
      }),
    ),
  ),
  trial_end: TRIAL_END,
  trial_settings: TRIAL_SETTINGS,
  proration_behavior: optional(text),
}

type Params = ObjectOf<typeof TERMS>

export type NewTerms = {
  fields: Partial<Subscription>
  /** A new period begins now, and its invoice is made and collected at once. */
  beginsNow: boolean
}

/**
 * The fields of a subscription on new terms. Nothing is paid back and nothing asked for a part of a period: another price of
 * the same interval is asked from the next invoice on, one of another interval begins a period now.
 * @throws ApiError for terms that Stripe refuses, and for proration
 */
export function newTerms(tx: Tx, subscription: Subscription, params: Params): NewTerms {
  const old = itemOf(subscription)
  const item = params.items === undefined ? old : readItem(tx, subscription, params)
  const fields: Partial<Subscription> = {}
  if (params.trial_settings !== undefined) {
    const missing_payment_method = readMissingMethod(params.trial_settings)
    fields.trial_settings = {
      end_behavior: { ...subscription.trial_settings?.end_behavior, missing_payment_method },
    }
  }
  const begun = params.trial_end === undefined ? null : readTrialEnd(tx, subscription, params)
  if (begun !== null)
    return { fields: { ...fields, ...begin(tx, subscription, item, begun) }, beginsNow: true }
  if (sameInterval(old, item) || subscription.status === 'trialing') {
    if (item !== old) fields.items = { ...subscription.items, data: [item] }
    return { fields, beginsNow: false }
  }
  if (subscription.status !== 'active')
    throw invalid(
      `The payments sandbox changes the interval of an active subscription only; this one is ${subscription.status}.`,
      'items[0][price]',
    )
  return { fields: { ...fields, ...begin(tx, subscription, item, { status: 'active' }) }, beginsNow: true }
}

/** Whether an update with these parameters ends the trial of a subscription that has no card, and is to end with it. */
export function endsWithoutCard(tx: Tx, subscription: Subscription, params: Params): boolean {
  return (
    params.trial_end === 'now' &&
    subscription.status === 'trialing' &&
    subscription.trial_settings?.end_behavior.missing_payment_method === 'cancel' &&
    defaultMethod(tx, subscription) === null
  )
}

/** The fields that change with the beginning of a period: the end of a trial takes the anchor with it. */
type Begun = Partial<Pick<Subscription, 'status' | 'trial_start' | 'trial_end'>>

function readTrialEnd(tx: Tx, subscription: Subscription, params: Params): Begun {
  const { status, trial_start, test_clock } = subscription
  const now = timeOn(tx, test_clock)
  if (params.trial_end === 'now') {
    if (status !== 'trialing')
      throw invalid(`This subscription is ${status}: it has no trial that could end.`, 'trial_end')
    if (defaultMethod(tx, subscription) === null) throw noMethod()
    return { status: 'active', trial_end: now }
  }
  const end = checkTrialEnd(params.trial_end ?? now, now, 'trial_end')
  if (status === 'trialing') return { status, trial_start, trial_end: end }
  if (status !== 'active')
    throw invalid(`Cannot update trial_end on a subscription with status \`${status}\`.`, 'trial_end')
  refuseProration(params)
  return { status: 'trialing', trial_start: now, trial_end: end }
}

function begin(
  tx: Tx,
  subscription: Subscription,
  item: SubscriptionItem,
  begun: Begun,
): Partial<Subscription> {
  const now = timeOn(tx, subscription.test_clock)
  const trialing = begun.status === 'trialing'
  const recurring = item.price.recurring ?? { interval: 'month', interval_count: 1 }
  const end = trialing ? (begun.trial_end ?? now) : nextPeriodEnd(now, recurring, now)
  const rolled = { ...item, current_period_start: now, current_period_end: end }
  return {
    ...begun,
    billing_cycle_anchor: trialing ? end : now,
    items: { ...subscription.items, data: [rolled] },
  }
}

function readItem(tx: Tx, subscription: Subscription, params: Params): SubscriptionItem {
  const old = itemOf(subscription)
  const [given, ...more] = params.items ?? []
  if (given === undefined) return old
  if (given.id === undefined || more.length > 0)
    throw invalid('Give the id of the one item: this sandbox sells one price at a time.', 'items')
  if (given.id !== old.id) throw missing('subscription item', given.id, 'items[0][id]')
  const quantity = given.quantity ?? old.quantity
  // A price that became inactive stays with those who have it.
  const price = readPrice(tx, old, given)
  if (price === old.price && quantity === old.quantity) return old
  if (price.currency !== subscription.currency)
    throw invalid(
      `The price specified only supports \`${price.currency}\`. This doesn't match the expected currency: \`${subscription.currency}\`.`,
      'items[0][price]',
    )
  if (subscription.automatic_tax.enabled) checkBehavior(tx, price, 'items[0][price]')
  refuseProration(params)
  return { ...old, price: structuredClone(price), plan: merge(old.plan, planOf(price)), quantity }
}

function readPrice(
  tx: Tx,
  old: SubscriptionItem,
  { price, price_data }: { price?: string | undefined; price_data?: Of<typeof PRICE_DATA> | undefined },
): SubscriptionItem['price'] {
  if (price !== undefined && price_data !== undefined)
    throw invalid('You may only specify one of these parameters: price, price_data.', 'items[0][price]')
  if (price_data !== undefined) return makePriceOf(tx, price_data)
  return price === undefined || price === old.price.id
    ? old.price
    : recurringPrice(tx, price, 'items[0][price]')
}

function refuseProration({ proration_behavior }: Params): void {
  if (proration_behavior !== 'none')
    throw invalid(
      'The payments sandbox changes terms without proration only: send proration_behavior `none`.',
      'proration_behavior',
    )
}

function sameInterval(left: SubscriptionItem, right: SubscriptionItem): boolean {
  const [one, other] = [left.price.recurring, right.price.recurring]
  return one?.interval === other?.interval && one?.interval_count === other?.interval_count
}
