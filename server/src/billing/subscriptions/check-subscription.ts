import { isEntitled, type SubscriptionCheck } from '@tradepost/contract/subscriptions'
import type { TrialDays } from '@tradepost/contract/trial'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import * as z from 'zod'
import { findByUsername } from '../../accounts/accounts.queries.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Pair } from '../../stripe/subscriptions.ts'
import { lookAtCheckout } from '../checkouts/checkouts.jobs.ts'
import { findOpenCheckout } from '../checkouts/checkouts.queries.ts'
import { readRelationship, type SellingSettings } from '../entitlements/may-subscribe.ts'
import { findTrial, type TrialDeps } from '../trials/find-trial.ts'
import { findLive, findOwn, wasLastTrialRefused } from './own-subscriptions.queries.ts'

const uuid = z.uuid()

type CheckDeps = TrialDeps & { settings: SellingSettings }

/**
 * The caller's relationship to a trader (rule G-32), as it is stored here. While a checkout of the two is open it
 * may just have been paid: Stripe is asked in the background, so that a person who comes back before the webhook is not
 * kept waiting (G-52).
 * @param idOrUsername of a subscription of the caller's, or the trader's
 * @throws subscription_not_found, user_not_found
 */
export async function checkSubscription(
  deps: CheckDeps,
  caller: { userId: string },
  idOrUsername: string,
  now: Date,
): Promise<SubscriptionCheck> {
  const { db } = deps
  if (uuid.safeParse(idOrUsername).success) {
    const own = await findOwn(db, caller.userId, idOrUsername)
    if (!own) throw refusal('subscription_not_found')
    return present(own.status === 'canceled' ? null : own)
  }
  const name = readUsername(idOrUsername)
  const trader = isUsername(name) ? await findByUsername(db, name) : null
  if (!trader) throw refusal('user_not_found')
  const pair = { traderId: trader.userId, subscriberId: caller.userId }
  const live = await findLive(db, pair)
  const checkout = live ? null : await findOpenCheckout(db, pair)
  if (checkout?.stripeId) await lookAtCheckout(db, checkout, now)
  // While a checkout is open it is not known yet how the last one went.
  const isRefused = !live && !checkout && (await wasLastTrialRefused(db, pair))
  const trialDays = await findOffered(deps, pair, now)
  return { ...present(live), trialDays, ...(isRefused && { trialRefused: true as const }) }
}

/** The free days that the caller would get now, by what is known before the card; null for none. */
async function findOffered(deps: CheckDeps, pair: Pair, now: Date): Promise<TrialDays | null> {
  const { canSubscribe } = await readRelationship(deps, pair.subscriberId, pair.traderId)
  return canSubscribe ? findTrial(deps, pair, now) : null
}

function present(
  live: { id: string; status: NonNullable<SubscriptionCheck['status']> } | null,
): SubscriptionCheck {
  if (!live) return { subscribed: false, id: null, status: null }
  return { subscribed: isEntitled(live.status), id: live.id, status: live.status }
}
