import { fetchSubscription, type Pair, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { findUserOfCustomer } from '../customers/customers.queries.ts'
import { arePeople, findPairOfSubscription } from '../entitlements/pair.queries.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { type Hint, syncPair } from './sync-pair.ts'

/** `ignored`: it is another product's or deployment's, or is not what it says. */
export type SyncOutcome = 'done' | 'ignored'

/**
 * Brings a subscription, its pair and its payments in line with Stripe (`syncPair`).
 * @param id Stripe's
 * @param hint an invoice that an event was about, if any
 * @throws what Stripe throws; `syncPair` says what has been written then
 */
export async function syncSubscription(
  deps: PaymentsDeps,
  id: string,
  hint: Omit<Hint, 'subscriptionId'>,
  now: Date,
): Promise<SyncOutcome> {
  const pair = (await findPairOfSubscription(deps.db, id)) ?? (await findPairAtStripe(deps, id, now))
  if (!pair) return 'ignored'
  await syncPair(deps, pair, { ...hint, subscriptionId: id }, now)
  return 'done'
}

/** The pair of a subscription that is not stored here yet; null when it is none of ours. */
async function findPairAtStripe(deps: PaymentsDeps, id: string, now: Date): Promise<Pair | null> {
  const subscription = await fetchSubscription(deps, id)
  if (!subscription) return null
  const { pair } = subscription
  if (pair && (await isOwnersOwn(deps, subscription, pair))) return pair
  await alertOperator(deps.db, 'a subscription bears our mark and is none of ours', id, now)
  return null
}

/** A mark can be copied; whose card pays cannot. */
async function isOwnersOwn(
  { db }: PaymentsDeps,
  subscription: StripeSubscription,
  pair: Pair,
): Promise<boolean> {
  const payer = await findUserOfCustomer(db, subscription.customerId)
  return payer === pair.subscriberId && (await arePeople(db, pair))
}
