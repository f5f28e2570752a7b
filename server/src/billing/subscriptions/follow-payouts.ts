import { findUsername, isInactive } from '../../accounts/accounts.queries.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { enqueue } from '../../work/jobs.ts'
import { listOpenCheckoutsBy, listOpenCheckoutsOf } from '../checkouts/checkouts.queries.ts'
import { endCheckout, isAt } from '../checkouts/sync-checkout.ts'
import { closePromotionCode } from '../discounts/promotion-code.ts'
import { listAgreedDue } from '../entitlements/followed-prices.queries.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isReady } from '../payouts/payout-status.ts'
import { findNamedPrices } from '../prices/own-prices.queries.ts'
import { trialDaysOf } from '../prices/prices-of.ts'
import { ensureTraderPrices, findAmount } from '../prices/trader-price.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { listBoughtBy, listBoughtLive, listOverdue, listTradersOutOfReach } from './followers.queries.ts'
import { DAY_MS, graceDays } from './grace.ts'
import { enqueueSubscription, lookAtFollowersFrom } from './subscriptions.jobs.ts'

/** Jobs that one transaction adds. */
const BATCH = 500

/** Nobody pays a trader who cannot be paid or is suspended: their open checkouts end now (rule G-56). */
export async function endOpenCheckouts(deps: BillingDeps, traderId: string, now: Date): Promise<void> {
  const account = await findPayoutAccount(deps.db, traderId)
  if (isReady(account) && !(await isInactive(deps.db, traderId))) return
  for (const checkout of await listOpenCheckoutsOf(deps.db, traderId)) await endCheckout(deps, checkout, now)
}

/**
 * Brings a trader's prices at Stripe in line with what they have named, has those who follow looked at (rule G-122), and ends the checkouts
 * that wait at others.
 */
export async function followPrices(deps: BillingDeps, traderId: string, now: Date): Promise<void> {
  const username = await findUsername(deps.db, traderId)
  if (!username) return
  try {
    await ensureTraderPrices(deps, { userId: traderId, username }, now)
  } finally {
    // What was put on and is not proposed any more goes back, whether Stripe makes the new price or not.
    await lookAtFollowers(deps.db, { traderId, after: null })
  }
  const offered = trialDaysOf(await findNamedPrices(deps.db, traderId), deps.settings)
  for (const checkout of await listOpenCheckoutsOf(deps.db, traderId)) {
    const amount = await findAmount(deps, traderId, checkout.interval)
    const { discountCodeId: id } = checkout
    // A person who pays at once goes on, also where free days are offered by now.
    const trialDays = checkout.trialDays === null ? null : offered
    const { taxLiable, termsVersion } = checkout
    const terms = { discount: id === null ? null : { id }, trialDays, termsVersion, taxLiable }
    if (!amount || !isAt(checkout, { ...amount, ...terms })) await endCheckout(deps, checkout, now)
  }
}

/** Closes a trader's ended code at Stripe, and the checkouts that wait with it. */
export async function followEndOfCode(
  deps: BillingDeps,
  key: { traderId: string; id: string },
  now: Date,
): Promise<void> {
  await closePromotionCode(deps, key)
  for (const checkout of await listOpenCheckoutsOf(deps.db, key.traderId))
    if (checkout.discountCodeId === key.id) await endCheckout(deps, checkout, now)
}

/**
 * Brings everything that somebody pays for or is paid for in line with their being suspended, or not any more: what they
 * follow, who follows them, and checkouts that are open at either end.
 */
export async function followSuspension(deps: BillingDeps, userId: string, now: Date): Promise<void> {
  const { db } = deps
  await lookAtFollowers(db, { traderId: userId, after: null })
  await withTransaction(db, async (tx) => {
    for (const id of await listBoughtBy(tx, userId)) await enqueueSubscription(tx, id)
  })
  if (!(await isInactive(db, userId))) return
  const open = [...(await listOpenCheckoutsOf(db, userId)), ...(await listOpenCheckoutsBy(db, userId))]
  for (const checkout of open) await endCheckout(deps, checkout, now)
}

/**
 * Has every paid subscription to a trader synced: each is paused, resumed or ended by the state of the trader's payouts at that
 * time. Batch by batch, each in a separate job.
 * @param from.after the last subscription of the batch before
 */
export function lookAtFollowers(
  db: Queryable,
  from: { traderId: string; after: string | null },
): Promise<void> {
  return withTransaction(db, async (tx) => {
    const batch = await listBoughtLive(tx, from, BATCH)
    for (const { stripeSubscriptionId } of batch) await enqueueSubscription(tx, stripeSubscriptionId)
    const last = batch.at(-1)
    if (last && batch.length === BATCH)
      await enqueue(tx, lookAtFollowersFrom, { traderId: from.traderId, after: last.id })
  })
}

/** Once a day: traders whose payouts are gone and who are still followed. */
export async function lookAtEveryLostPayout(db: Queryable): Promise<void> {
  for (const traderId of await listTradersOutOfReach(db)) await lookAtFollowers(db, { traderId, after: null })
}

/** Once a day: subscriptions whose payment has been owed too long, whatever Stripe's retries do (rule G-33). */
export async function lookAtEveryOverdue({ db, settings }: BillingDeps, now: Date): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const { pastDueDays } = settings
  const since = { ever: daysAgo(pastDueDays), afterTrial: daysAgo(graceDays(pastDueDays, true)) }
  for (const id of await listOverdue(db, since)) await enqueueSubscription(db, id)
}

/** Once a day: subscriptions whose follower has agreed to another price and whose renewal is due, or passed unseen (rule G-122). */
export async function lookAtEveryAgreement(db: Queryable, now: Date): Promise<void> {
  for (const id of await listAgreedDue(db, now)) await enqueueSubscription(db, id)
}
