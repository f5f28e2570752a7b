import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { endWithPeriod } from '../../stripe/end-subscription.ts'
import { retrieveSubscription, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { updatePeriod } from '../entitlements/subscriptions.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { requireOwn } from './manage-subscription.ts'
import type { OwnSubscription } from './own-subscriptions.queries.ts'
import { enqueueSubscription } from './subscriptions.jobs.ts'

/**
 * Plans the end of one of the caller's subscriptions for the end of its trial: nothing is ever charged, and access stays until then (rule
 * G-123). Repeating it changes nothing; it is taken back on Stripe's pages.
 * @returns when it ends, ISO 8601 UTC
 * @throws subscription_not_found, trial_over, payment_refused, payment_provider_error
 */
export async function endTrial(
  deps: BillingDeps,
  caller: { userId: string },
  id: string,
  now: Date,
): Promise<{ endsAt: string }> {
  const own = await requireOwn(deps.db, caller, id)
  const { cancelAt, status, stripeSubscriptionId: bought } = own
  if (bought === null || status !== 'trialing') throw refusal('trial_over')
  if (cancelAt) return { endsAt: cancelAt.toISOString() }
  const found = await callStripe(deps, now, () => planEnd(deps, bought))
  await withTransaction(deps.db, (tx) => noteEnd(tx, own, found))
  if (found.status !== 'trialing' || found.cancelAt === null) throw refusal('trial_over')
  return { endsAt: found.cancelAt.toISOString() }
}

/** A trial may have ended since Stripe was read last: then nothing is planned, and the caller has paid. */
async function planEnd(deps: BillingDeps, id: string): Promise<StripeSubscription> {
  const found = await retrieveSubscription(deps, id)
  return found.status === 'trialing' && found.cancelAt === null ? endWithPeriod(deps, id) : found
}

/** The list shows it at once. A job reads what else has changed at Stripe behind the answer, under the lock of the pair. */
async function noteEnd(tx: Queryable, own: OwnSubscription, found: StripeSubscription): Promise<void> {
  if (found.status === 'trialing') await updatePeriod(tx, own, found)
  await enqueueSubscription(tx, found.id)
}
