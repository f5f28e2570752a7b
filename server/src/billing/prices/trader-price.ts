import type { Queryable } from '../../platform/database/queryable.ts'
import { type Amount, createPrice, ensureProduct, retirePrice, revivePrice } from '../../stripe/prices.ts'
import { isMissing } from '../../stripe/stripe-errors.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { withProviderLock } from '../provider/provider-lock.ts'
import {
  findCurrentPrice,
  findFormerPrices,
  markPriceLost,
  putCurrentPrice,
  type TraderPrice,
} from './trader-prices.queries.ts'

/**
 * Makes sure that Stripe has a price for new subscriptions to a trader. The amount is the platform's (rule G-28); the
 * price is a separate object at Stripe for each trader. When the configuration names another amount, a new price is made and
 * the old one retired; running subscriptions keep theirs. Safe to repeat, to run twice at once and to be cut off anywhere:
 * ids and idempotency keys are derived, and our row is written after Stripe has done its part.
 * @param trader.username appears on the subscriber's bill
 * @returns the price: Stripe's id, cents a month, currency
 * @throws what Stripe throws; a request turns that into a refusal with `callStripe`
 */
export async function ensureTraderPrice(
  deps: BillingDeps,
  trader: { userId: string; username: string },
  now: Date,
): Promise<TraderPrice> {
  const { db, settings } = deps
  const amount = { priceCents: settings.subscriptionPriceCents, currency: settings.subscriptionCurrency }
  const current = await findCurrentPrice(db, trader.userId)
  if (current && current.priceCents === amount.priceCents && current.currency === amount.currency)
    return current
  const stripeProductId = await ensureProduct(deps, trader)
  const stripePriceId =
    (await reviveFormer(deps, trader.userId, amount, now)) ??
    (await create(deps, trader.userId, stripeProductId, amount))
  if (current) await retirePrice(deps, current.stripePriceId)
  const price = { stripePriceId, ...amount }
  await withProviderLock(db, `price:${trader.userId}`, (tx) =>
    putCurrentPrice(tx, { ...price, traderId: trader.userId, stripeProductId }, now),
  )
  return price
}

/** Marks a price as lost that Stripe does not know any more; the next `ensureTraderPrice` makes another one. */
export function forgetTraderPrice(
  db: Queryable,
  traderId: string,
  stripePriceId: string,
  now: Date,
): Promise<void> {
  return markPriceLost(db, traderId, stripePriceId, now)
}

/** Activates a retired price of the same amount again. @returns its id; null when there is none */
async function reviveFormer(
  deps: BillingDeps,
  traderId: string,
  amount: Amount,
  now: Date,
): Promise<string | null> {
  const { reusable } = await findFormerPrices(deps.db, traderId, amount)
  if (reusable === null) return null
  try {
    await revivePrice(deps, traderId, reusable)
    return reusable
  } catch (error) {
    if (!isMissing(error)) throw error
    await markPriceLost(deps.db, traderId, reusable, now)
    return reviveFormer(deps, traderId, amount, now)
  }
}

async function create(deps: BillingDeps, traderId: string, product: string, amount: Amount): Promise<string> {
  const { lost } = await findFormerPrices(deps.db, traderId, amount)
  return createPrice(deps, { ...amount, traderId, product, lost })
}
