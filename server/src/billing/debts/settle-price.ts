import type { Queryable } from '../../platform/database/queryable.ts'
import { putPriceOn } from '../../stripe/change-price.ts'
import { isMissing } from '../../stripe/stripe-errors.ts'
import { isLive, retrieveSubscription, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { enqueue } from '../../work/jobs.ts'
import type { Followed } from '../entitlements/followed-price.ts'
import { findFollowed, settlePrice, storeChargedFrom } from '../entitlements/followed-prices.queries.ts'
import { storeStripeOnlyFacts } from '../entitlements/pair.queries.ts'
import { keptCents, mayRise, presentPrice, wantedCents } from '../prices/followers-price.ts'
import { nextCharge } from '../prices/next-charge.ts'
import { findDatedPrices } from '../prices/own-prices.queries.ts'
import { pricesChanged } from '../prices/prices.jobs.ts'
import { forgetTraderPrice } from '../prices/trader-price.ts'
import { findCurrentPrice } from '../prices/trader-prices.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { type DebtOutcome, NO_MONEY_MOVES } from './debt-outcome.ts'
import type { Debt } from './debts.queries.ts'

/** The trader's present price is not at Stripe yet: a job makes it. */
const PRICE_NOT_MADE: DebtOutcome = { kind: 'waits', error: 'price_not_made', pauseMs: 60_000 }

/**
 * Puts the price on that a subscription has to have now (rule G-122), whichever that is; the debt is the same for all. It is charged from
 * the next renewal on, and nothing is charged or returned for the running period. Safe to repeat: it looks at what Stripe has.
 */
export async function price(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  const found = await retrieveSubscription(deps, debt.subject)
  const followed = await findFollowed(tx, debt)
  if (followed === null || !isLive(found)) return NO_MONEY_MOVES
  const present = presentPrice(await findDatedPrices(tx, debt.traderId), found, deps.settings)
  const before = { ...followed.price, priceCents: found.priceCents }
  const wanted = wantedCents(before, present, { periodEnd: found.currentPeriodEnd, mayRise: mayRise(found) })
  const kept = keptCents(before)
  const changed =
    wanted === found.priceCents
      ? found
      : wanted === present?.cents
        ? await putPresentOn(deps, tx, debt.traderId, found, wanted, now)
        : await putPriceOn(deps, found, { cents: wanted })
  if (changed === null) return PRICE_NOT_MADE
  await write(tx, followed, changed, now)
  const { agreement } = followed.price
  if (wanted > kept && agreement && changed.currentPeriodEnd)
    await storeChargedFrom(tx, followed, agreement.proposedAt, changed.currentPeriodEnd)
  if (followed.price.kept && wanted < followed.price.kept.cents)
    await settlePrice(tx, followed, followed.price)
  return NO_MONEY_MOVES
}

/** @returns null where Stripe does not have the trader's price, of exactly this amount */
async function putPresentOn(
  deps: BillingDeps,
  tx: Queryable,
  traderId: string,
  found: StripeSubscription,
  cents: number,
  now: Date,
): Promise<StripeSubscription | null> {
  const current = await findCurrentPrice(tx, traderId, found.interval)
  if (current?.priceCents !== cents || current.currency !== found.currency) return null
  try {
    return await putPriceOn(deps, found, { priceId: current.stripePriceId })
  } catch (error) {
    if (!isMissing(error, 'items[0][price]')) throw error
    await forgetTraderPrice(tx, traderId, current.stripePriceId, now)
    await enqueue(tx, pricesChanged, { traderId })
    return null
  }
}

/** A discount for once that an open invoice has counts once more until the next sync, which a change at Stripe brings. */
async function write(tx: Queryable, followed: Followed, found: StripeSubscription, now: Date): Promise<void> {
  const { pastDueSince } = followed
  await storeStripeOnlyFacts(tx, followed, { ...found, pastDueSince, nextCharge: nextCharge(found) }, now)
}
