import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Amount } from '../../stripe/prices.ts'

/** The price of following a trader for a month or a year, in cents of `currency`. */
export type TraderPrice = Amount & { stripePriceId: string }

/** The one that new subscriptions begin with; null where none was made yet, or nobody can pay so any more. */
export async function findCurrentPrice(
  db: Queryable,
  traderId: string,
  interval: BillingInterval,
): Promise<TraderPrice | null> {
  const row = await db
    .selectFrom('trader_prices')
    .select(['stripe_price_id', 'price_cents', 'currency'])
    .where('trader_id', '=', traderId)
    .where('billing_interval', '=', interval)
    .where('retired_at', 'is', null)
    .executeTakeFirst()
  return row
    ? { stripePriceId: row.stripe_price_id, priceCents: row.price_cents, currency: row.currency, interval }
    : null
}

/**
 * The prices of this amount that a trader once had.
 * @returns the newest that Stripe may still know, and how many it has lost
 */
export async function findFormerPrices(
  db: Queryable,
  traderId: string,
  amount: Amount,
): Promise<{ reusable: string | null; lost: number }> {
  const rows = await db
    .selectFrom('trader_prices')
    .select(['stripe_price_id', 'lost_at'])
    .where('trader_id', '=', traderId)
    .where('price_cents', '=', amount.priceCents)
    .where('currency', '=', amount.currency)
    .where('billing_interval', '=', amount.interval)
    .where('retired_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .execute()
  const reusable = rows.find((row) => row.lost_at === null)
  return { reusable: reusable?.stripe_price_id ?? null, lost: rows.filter((row) => row.lost_at).length }
}

/**
 * Makes a price the current one of its interval; the one before it is retired. Safe to repeat, not to race: the row is unique in two ways,
 * and a conflict can be settled in one of them only. Callers hold the lock `price:<trader>`.
 * @returns those that were current before, by Stripe's id
 */
export async function putCurrentPrice(
  tx: Queryable,
  price: TraderPrice & { traderId: string; stripeProductId: string },
  now: Date,
): Promise<string[]> {
  const retired = await tx
    .updateTable('trader_prices')
    .set({ retired_at: now })
    .where('trader_id', '=', price.traderId)
    .where('billing_interval', '=', price.interval)
    .where('stripe_price_id', '<>', price.stripePriceId)
    .where('retired_at', 'is', null)
    .returning('stripe_price_id')
    .execute()
  await tx
    .insertInto('trader_prices')
    .values({
      trader_id: price.traderId,
      stripe_price_id: price.stripePriceId,
      stripe_product_id: price.stripeProductId,
      price_cents: price.priceCents,
      currency: price.currency,
      billing_interval: price.interval,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['trader_id', 'stripe_price_id'])
        .doUpdateSet({ retired_at: null })
        .where('trader_prices.lost_at', 'is', null),
    )
    .execute()
  return retired.map(({ stripe_price_id: id }) => id)
}

/** Retires a price that no other one follows. */
export async function retireCurrentPrice(
  tx: Queryable,
  traderId: string,
  stripePriceId: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('trader_prices')
    .set({ retired_at: now })
    .where('trader_id', '=', traderId)
    .where('stripe_price_id', '=', stripePriceId)
    .where('retired_at', 'is', null)
    .execute()
}

export async function markPriceLost(
  db: Queryable,
  traderId: string,
  stripePriceId: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable('trader_prices')
    .set((eb) => ({ lost_at: now, retired_at: eb.fn.coalesce('retired_at', eb.val(now)) }))
    .where('trader_id', '=', traderId)
    .where('stripe_price_id', '=', stripePriceId)
    .execute()
}
