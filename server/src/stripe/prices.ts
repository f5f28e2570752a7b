import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type Stripe from 'stripe'
import { sdkOf } from './sdk.ts'
import { type StripeDeps, stripeMark } from './stripe-client.ts'
import { isCode, isKeySpent, isMissing } from './stripe-errors.ts'
import { INCLUDES_TAX } from './tax.ts'

/** A price at each renewal, in cents of its currency. */
export type Amount = { priceCents: number; currency: string; interval: BillingInterval }

/**
 * Makes a trader's product, which the bill names. Its id is derived from the trader's, so there is only one.
 * @returns its id
 * @throws what Stripe throws
 */
export async function ensureProduct(
  deps: StripeDeps,
  trader: { userId: string; username: string },
): Promise<string> {
  const mark = stripeMark(deps.settings)
  const id = productIdOf(deps, trader.userId)
  try {
    await sdkOf(deps).products.create({
      id,
      name: `Signals by @${trader.username}`,
      metadata: { ...mark, trader_id: trader.userId },
    })
  } catch (error) {
    if (!isCode(error, 'resource_already_exists')) throw error
  }
  return id
}

function productIdOf(deps: StripeDeps, traderId: string): string {
  return `prod_${stripeMark(deps.settings).env}_${traderId.replaceAll('-', '')}`
}

/** Takes a trader's name out of their product, and sells it no more; done also where there is none. @throws what Stripe throws */
export async function retireProduct(deps: StripeDeps, traderId: string): Promise<void> {
  const change = { name: 'Signals by a trader who has left', active: false }
  try {
    await sdkOf(deps).products.update(productIdOf(deps, traderId), change)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

const lookupKey = (env: string, traderId: string, interval: BillingInterval) =>
  `${env}:trader:${traderId}:${interval}ly`

/** Makes a retired price of a trader the current one again. @throws what Stripe throws, also when there is none */
export async function revivePrice(
  deps: StripeDeps,
  traderId: string,
  { interval, stripePriceId }: { interval: BillingInterval; stripePriceId: string },
): Promise<void> {
  await sdkOf(deps).prices.update(stripePriceId, {
    active: true,
    lookup_key: lookupKey(stripeMark(deps.settings).env, traderId, interval),
    transfer_lookup_key: true,
  })
}

/**
 * Makes the price of a trader's product.
 * @param wanted.lost how many prices of this amount were lost: Stripe would answer the key of a lost one with that price for a day
 * @returns its id
 * @throws what Stripe throws
 */
export async function createPrice(
  deps: StripeDeps,
  {
    currency,
    interval,
    lost,
    priceCents,
    product,
    traderId,
  }: Amount & { traderId: string; product: string; lost: number },
): Promise<string> {
  const { prices } = sdkOf(deps)
  const mark = stripeMark(deps.settings)
  const key = lookupKey(mark.env, traderId, interval)
  const price: Stripe.PriceCreateParams = {
    product,
    currency,
    unit_amount: priceCents,
    recurring: { interval },
    lookup_key: key,
    transfer_lookup_key: true,
    metadata: { ...mark, trader_id: traderId },
    ...INCLUDES_TAX,
  }
  const every = interval === 'month' ? '' : `${interval}:`
  const idempotencyKey = `price:${mark.env}:${traderId}:${every}${currency}:${priceCents}:${lost}`
  try {
    return (await prices.create(price, { idempotencyKey })).id
  } catch (error) {
    if (!isKeySpent(error)) throw error
    // An earlier call with this key may have made the price; the lookup key finds it.
    const made = await prices.list({ lookup_keys: [key], active: true })
    const same = made.data.find((one) => one.unit_amount === priceCents && one.currency === currency)
    return same?.id ?? (await prices.create(price)).id
  }
}

/** Closes a price for new subscriptions; running ones keep it. @throws what Stripe throws */
export async function retirePrice(deps: StripeDeps, stripePriceId: string): Promise<void> {
  try {
    await sdkOf(deps).prices.update(stripePriceId, { active: false })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
