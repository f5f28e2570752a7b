import { WITH_DISCOUNTS } from './discounts.ts'
import { sdkOf } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'
import { isMissing } from './stripe-errors.ts'
import {
  type EndReason,
  fetchSubscription,
  PAUSED_FOR_PAYOUTS,
  readSubscription,
  type StripeSubscription,
} from './subscriptions.ts'

/**
 * Ends a subscription now, without a bill for the rest. The reason is written to Stripe first: a process that finds
 * it ended after a crash knows why, and what is still owed for it. (Not as a comment of the cancellation: those can be
 * typed in the portal.) Safe to repeat.
 * @returns how it is then
 */
export async function endAtStripe(
  deps: StripeDeps,
  subscription: StripeSubscription,
  reason: EndReason,
): Promise<StripeSubscription> {
  const { subscriptions } = sdkOf(deps)
  const { id } = subscription
  try {
    if (subscription.endReason === null) await subscriptions.update(id, { metadata: { end_reason: reason } })
    return readSubscription(await subscriptions.cancel(id, { prorate: false, ...WITH_DISCOUNTS }))
  } catch (error) {
    // Stripe answers this call for an ended subscription as if there were none.
    const ended = isMissing(error) ? await fetchSubscription(deps, id) : null
    if (ended?.status !== 'canceled') throw error
    return ended
  }
}

/**
 * Plans the end of a subscription for the end of the period that runs. Safe to repeat.
 * @returns how it is then
 * @throws what Stripe throws
 */
export async function endWithPeriod(deps: StripeDeps, id: string): Promise<StripeSubscription> {
  return readSubscription(
    await sdkOf(deps).subscriptions.update(id, { cancel_at_period_end: true, ...WITH_DISCOUNTS }),
  )
}

/**
 * Takes a planned end back. Safe to repeat.
 * @returns how it is then
 * @throws what Stripe throws
 */
export async function renewAgain(deps: StripeDeps, id: string): Promise<StripeSubscription> {
  return readSubscription(await sdkOf(deps).subscriptions.update(id, { cancel_at_period_end: false }))
}

/**
 * Stops or resumes the collection of a subscription. A pause that somebody else ordered, in Stripe's dashboard, is
 * theirs to lift.
 * @param collects whether the trader can be paid
 * @returns how it is then
 */
export async function switchCollection(
  deps: StripeDeps,
  subscription: StripeSubscription,
  collects: boolean,
): Promise<StripeSubscription> {
  if (collects ? !subscription.pausedForPayouts : subscription.paused) return subscription
  const changed = await sdkOf(deps).subscriptions.update(
    subscription.id,
    collects
      ? { pause_collection: '', metadata: { paused_for: '' }, ...WITH_DISCOUNTS }
      : { pause_collection: { behavior: 'void' }, metadata: PAUSED_FOR_PAYOUTS, ...WITH_DISCOUNTS },
  )
  return readSubscription(changed)
}
