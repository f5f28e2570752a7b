import { BILLING_INTERVALS, type BillingInterval } from '@tradepost/contract/billing-interval'
import type { Queryable } from '../../platform/database/queryable.ts'
import { type Amount, createPrice, ensureProduct, retirePrice, revivePrice } from '../../stripe/prices.ts'
import { isMissing } from '../../stripe/stripe-errors.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { withProviderLock } from '../provider/provider-lock.ts'
import { findNamedPrices } from './own-prices.queries.ts'
import { pricesOf } from './prices-of.ts'
import {
  findCurrentPrice,
  findFormerPrices,
  markPriceLost,
  putCurrentPrice,
  retireCurrentPrice,
  type TraderPrice,
} from './trader-prices.queries.ts'

/**
 * Makes sure that Stripe has the price at which new subscriptions to a trader begin (rule G-28), a separate object there for each
 * trader and interval. When the trader, or the configuration, names another amount, a new price is made and the old one retired;
 * running subscriptions keep theirs. Safe to repeat, to run twice at once and to be cut off anywhere: ids and idempotency keys are
 * derived, and our row is written after Stripe has done its part.
 * @param trader.username appears on the subscriber's bill
 * @returns the price: Stripe's id, cents at each renewal, currency; null where nobody can pay so
 * @throws what Stripe throws; a request turns that into a refusal with `callStripe`
 */
export async function ensureTraderPrice(
  deps: BillingDeps,
  trader: { userId: string; username: string },
  interval: BillingInterval,
  now: Date,
): Promise<TraderPrice | null> {
  const { db } = deps
  const amount = await findAmount(deps, trader.userId, interval)
  const current = await findCurrentPrice(db, trader.userId, interval)
  if (amount === null) {
    if (current) await retire(deps, trader.userId, current, now)
    return null
  }
  if (current && current.priceCents === amount.priceCents && current.currency === amount.currency)
    return current
  const stripeProductId = await ensureProduct(deps, trader)
  const stripePriceId =
    (await reviveFormer(deps, trader.userId, amount, now)) ??
    (await create(deps, trader.userId, stripeProductId, amount))
  if (current) await retirePrice(deps, current.stripePriceId)
  const price = { stripePriceId, ...amount }
  const overtaken = await withProviderLock(db, `price:${trader.userId}`, (tx) =>
    putCurrentPrice(tx, { ...price, traderId: trader.userId, stripeProductId }, now),
  )
  for (const id of overtaken) if (id !== current?.stripePriceId) await retirePrice(deps, id)
  // The trader may have named others meanwhile: of two runs at once the later one may have written first.
  const wanted = await findAmount(deps, trader.userId, interval)
  const isStill = wanted?.priceCents === amount.priceCents && wanted.currency === amount.currency
  return isStill ? price : ensureTraderPrice(deps, trader, interval, now)
}

/** Brings all prices of a trader at Stripe in line with what they are here. @throws what Stripe throws */
export async function ensureTraderPrices(
  deps: BillingDeps,
  trader: { userId: string; username: string },
  now: Date,
): Promise<void> {
  for (const interval of BILLING_INTERVALS) await ensureTraderPrice(deps, trader, interval, now)
}

/** The amount that following a trader costs each month or year; null where nobody can pay so. */
export async function findAmount(
  { db, settings }: Pick<BillingDeps, 'db' | 'settings'>,
  traderId: string,
  interval: BillingInterval,
): Promise<Amount | null> {
  const { monthlyCents, yearlyCents } = pricesOf(await findNamedPrices(db, traderId), settings)
  const priceCents = interval === 'month' ? monthlyCents : yearlyCents
  return priceCents === null ? null : { priceCents, currency: settings.subscriptionCurrency, interval }
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

async function retire(deps: BillingDeps, traderId: string, price: TraderPrice, now: Date): Promise<void> {
  await retirePrice(deps, price.stripePriceId)
  await retireCurrentPrice(deps.db, traderId, price.stripePriceId, now)
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
    await revivePrice(deps, traderId, { interval: amount.interval, stripePriceId: reusable })
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
