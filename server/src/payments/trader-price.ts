import Stripe from 'stripe'
import type { Queryable } from '../platform/database.ts'
import type { PaymentsDeps } from './payments-deps.ts'
import { withProviderLock } from './provider-lock.ts'
import { isKeySpent, isMissing, stripeMark } from './stripe-client.ts'
import {
  findCurrentPrice,
  findFormerPrices,
  markPriceLost,
  putCurrentPrice,
  type TraderPrice,
} from './trader-prices.queries.ts'

type Amount = { priceCents: number; currency: string }

/**
 * The price at which somebody begins to follow a trader now: the platform's (decision G-28), as an object at Stripe made
 * for this trader. When the configuration asks for another amount, a new one is made and the old one retired; who pays
 * the old one keeps it. Safe to repeat, to race and to be cut off anywhere: ids and keys are derived, and Stripe is done
 * before our row says so.
 * @param trader.username what the bill names
 * @throws what Stripe throws: a request asks through `askStripe`
 */
export async function ensureTraderPrice(
  deps: PaymentsDeps,
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
    (await createPrice(deps, trader.userId, stripeProductId, amount))
  if (current) await retireAtStripe(deps, current.stripePriceId)
  const price = { stripePriceId, ...amount }
  await withProviderLock(db, `price:${trader.userId}`, (tx) =>
    putCurrentPrice(tx, { ...price, traderId: trader.userId, stripeProductId }, now),
  )
  return price
}

/** Forgets a price that Stripe does not know any more; `ensureTraderPrice` makes another one. */
export function forgetTraderPrice(
  db: Queryable,
  traderId: string,
  stripePriceId: string,
  now: Date,
): Promise<void> {
  return markPriceLost(db, traderId, stripePriceId, now)
}

/** What the bill names, one for each trader. Its id is derived from theirs, so a second one cannot come to be. */
async function ensureProduct(
  { settings, stripe }: PaymentsDeps,
  trader: { userId: string; username: string },
): Promise<string> {
  const mark = stripeMark(settings)
  const id = `prod_${mark.env}_${trader.userId.replaceAll('-', '')}`
  try {
    await stripe.products.create({
      id,
      name: `Signals by @${trader.username}`,
      metadata: { ...mark, trader_id: trader.userId },
    })
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'resource_already_exists') throw error
  }
  return id
}

const lookupKey = (env: string, traderId: string) => `${env}:trader:${traderId}:monthly`

/** Takes up a retired price of the same amount. @returns its id, or null when there is none */
async function reviveFormer(
  deps: PaymentsDeps,
  traderId: string,
  amount: Amount,
  now: Date,
): Promise<string | null> {
  const { reusable } = await findFormerPrices(deps.db, traderId, amount)
  if (reusable === null) return null
  const { env } = stripeMark(deps.settings)
  try {
    await deps.stripe.prices.update(reusable, {
      active: true,
      lookup_key: lookupKey(env, traderId),
      transfer_lookup_key: true,
    })
    return reusable
  } catch (error) {
    if (!isMissing(error)) throw error
    await markPriceLost(deps.db, traderId, reusable, now)
    return reviveFormer(deps, traderId, amount, now)
  }
}

async function createPrice(
  { db, settings, stripe }: PaymentsDeps,
  traderId: string,
  product: string,
  amount: Amount,
): Promise<string> {
  const mark = stripeMark(settings)
  const { priceCents, currency } = amount
  // A lost one lives on under its key for a day: its successor needs another.
  const { lost } = await findFormerPrices(db, traderId, amount)
  const price: Stripe.PriceCreateParams = {
    product,
    currency,
    unit_amount: priceCents,
    recurring: { interval: 'month' },
    lookup_key: lookupKey(mark.env, traderId),
    transfer_lookup_key: true,
    metadata: { ...mark, trader_id: traderId },
  }
  const idempotencyKey = `price:${mark.env}:${traderId}:${currency}:${priceCents}:${lost}`
  try {
    return (await stripe.prices.create(price, { idempotencyKey })).id
  } catch (error) {
    if (!isKeySpent(error)) throw error
    // Whether that call made one is not known; the lookup key finds it.
    const made = await stripe.prices.list({ lookup_keys: [lookupKey(mark.env, traderId)], active: true })
    const same = made.data.find((one) => one.unit_amount === priceCents && one.currency === currency)
    return same?.id ?? (await stripe.prices.create(price)).id
  }
}

/** Nobody new can begin with it; what runs goes on. */
async function retireAtStripe({ stripe }: PaymentsDeps, stripePriceId: string): Promise<void> {
  try {
    await stripe.prices.update(stripePriceId, { active: false })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
