import type { NewPrice } from '@tradepost/contract/subscriptions'
import * as z from 'zod'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Followed } from '../entitlements/followed-price.ts'
import {
  lockOwnFollowed,
  storeAgreement,
  takeAgreementBack,
} from '../entitlements/followed-prices.queries.ts'
import {
  hasAgreed,
  keptCents,
  type PresentPrice,
  presentPrice,
  proposalOf,
} from '../prices/followers-price.ts'
import { findDatedPrices } from '../prices/own-prices.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { enqueueSubscription } from '../subscriptions/subscriptions.jobs.ts'

const uuid = z.uuid()

/**
 * Agrees to the higher price that the trader of one of the caller's subscriptions proposes, or takes that back until the renewal that has
 * it (rule G-122). Stripe is dealt with behind the answer. Safe to repeat.
 * @param priceCents the amount that the caller was shown; null to take the agreement back
 * @returns the proposal as it stands then; null where that amount is the caller's price already
 * @throws subscription_not_found; subscription_price_changed where another amount is proposed, or none, by now
 */
export async function agreeToPrice(
  { db, settings }: BillingDeps,
  caller: { userId: string },
  id: string,
  priceCents: number | null,
  now: Date,
): Promise<NewPrice | null> {
  if (!uuid.safeParse(id).success) throw refusal('subscription_not_found')
  return withTransaction(db, async (tx) => {
    const own = await lockOwnFollowed(tx, caller.userId, id)
    if (own === null) throw refusal('subscription_not_found')
    const { followed, renews, stripeId } = own
    const named = await findDatedPrices(tx, followed.traderId)
    const present = presentPrice(named, followed, settings)
    if (priceCents !== null && priceCents === keptCents(followed.price)) return null
    if (!renews || stripeId === null) throw refusal('subscription_price_changed')
    const proposal = proposalOf(followed.price, present, followed, now)
    if (present === null || proposal === null) throw refusal('subscription_price_changed')
    if (priceCents !== null && priceCents !== present.cents) throw refusal('subscription_price_changed')
    if (hasAgreed(followed.price, present) === (priceCents !== null)) return proposal
    if (priceCents === null) await takeBack(tx, followed, now)
    else await agree(tx, followed, present, new Date(proposal.from), now)
    await enqueueSubscription(tx, stripeId)
    const after = await lockOwnFollowed(tx, caller.userId, id)
    return after && proposalOf(after.followed.price, present, followed, now)
  })
}

function agree(
  tx: Queryable,
  followed: Followed,
  { cents, since }: PresentPrice,
  from: Date,
  now: Date,
): Promise<void> {
  const agreed = { cents, keptCents: keptCents(followed.price), proposedAt: since, from }
  return storeAgreement(tx, followed, agreed, now)
}

/** @throws subscription_price_changed once the renewal has come that has the price */
async function takeBack(tx: Queryable, followed: Followed, now: Date): Promise<void> {
  const { agreement } = followed.price
  if (agreement?.chargedFrom && agreement.chargedFrom <= now) throw refusal('subscription_price_changed')
  await takeAgreementBack(tx, followed)
}
