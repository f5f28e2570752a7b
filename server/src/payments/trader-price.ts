import Stripe from 'stripe'
import type { Queryable } from '../platform/database.ts'
import { isKeySpent, isMissing, stripeMark } from '../stripe/stripe-client.ts'
import type { PaymentsDeps } from './payments-deps.ts'
import { withProviderLock } from './provider-lock.ts'
import {
  findCurrentPrice,
  findFormerPrices,
  markPriceLost,
  putCurrentPrice,
  type TraderPrice,
} from './trader-prices.queries.ts'

type Amount = { priceCents: number; currency: string }

/**
 * Makes sure that Stripe has a price for new subscriptions to a trader. The amount is the platform's (decision G-28); the
 * price is a separate object at Stripe for each trader. When the configuration names another amount, a new price is made and
 * the old one retired; running subscriptions keep theirs. Safe to repeat, to run twice at once and to be cut off anywhere:
 * ids and idempotency keys are derived, and our row is written after Stripe has done its part.
 * @param trader.username appears on the subscriber's bill
 * @returns the price: Stripe's id, cents a month, currency
 * @throws what Stripe throws; a request turns that into a refusal with `askStripe`
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

/** Marks a price as lost that Stripe does not know any more; the next `ensureTraderPrice` makes another one. */
export function forgetTraderPrice(
  db: Queryable,
  traderId: string,
  stripePriceId: string,
  now: Date,
): Promise<void> {
  return markPriceLost(db, traderId, stripePriceId, now)
}

/** Makes the trader's product at Stripe, which the bill names. Its id is derived from the trader's, so there is only one. */
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

/** Activates a retired price of the same amount again. @returns its id; null when there is none */
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
  // Stripe would answer the key of a lost price with that price for a day, so the number of lost ones is part of the key.
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
    // An earlier call with this key may have made the price; the lookup key finds it.
    const made = await stripe.prices.list({ lookup_keys: [lookupKey(mark.env, traderId)], active: true })
    const same = made.data.find((one) => one.unit_amount === priceCents && one.currency === currency)
    return same?.id ?? (await stripe.prices.create(price)).id
  }
}

/** Closes a price for new subscriptions; running ones keep it. */
async function retireAtStripe({ stripe }: PaymentsDeps, stripePriceId: string): Promise<void> {
  try {
    await stripe.prices.update(stripePriceId, { active: false })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
