import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type { TaxLiable } from '@tradepost/contract/tax'
import type { TrialDays } from '@tradepost/contract/trial'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** A checkout that was begun: what is sent to Stripe of it, and where it leads. */
export type Checkout = {
  traderId: string
  id: string
  subscriberId: string
  stripeId: string | null
  url: string | null
  stripePriceId: string
  priceCents: number
  currency: string
  interval: BillingInterval
  /** The trader's code that takes something off, here and at Stripe; null without one. */
  discountCodeId: string | null
  stripePromotionCodeId: string | null
  /** Free days before the first payment; null for none. */
  trialDays: TrialDays | null
  /** The terms that its page names; null once there are others, and for one of an earlier release: such a page is ended. */
  termsVersion: string | null
  /** The party that owes the tax, as the page was opened; null where none is computed. */
  taxLiable: TaxLiable | null
  /** The platform's part, in percent with two decimals. */
  feePercent: string
  createdAt: Date
}

const COLUMNS = [
  'trader_id',
  'id',
  'subscriber_id',
  'stripe_session_id',
  'url',
  'stripe_price_id',
  'price_cents',
  'currency',
  'billing_interval',
  'discount_code_id',
  'stripe_promotion_code_id',
  'trial_days',
  'terms_version',
  'tax_liable',
  'fee_percent',
  'created_at',
] as const

/** The pair's open checkout; there is at most one. */
export async function findOpenCheckout(db: Queryable, pair: Pair): Promise<Checkout | null> {
  const [row] = await selectOpenCheckout(db, pair)
  return row ? toCheckout(row) : null
}

type Pair = { traderId: string; subscriberId: string }

const selectOpenCheckout = compiledQuery((db, { subscriberId, traderId }: Pair) =>
  db
    .selectFrom('checkout_sessions')
    .select(COLUMNS)
    .where('trader_id', '=', traderId)
    .where('subscriber_id', '=', subscriberId)
    .where('state', '=', 'open'),
)

/** An open checkout by its id; null when it is settled. */
export async function findCheckout(
  db: Queryable,
  key: { traderId: string; id: string },
): Promise<Checkout | null> {
  const row = await db
    .selectFrom('checkout_sessions')
    .select(COLUMNS)
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('state', '=', 'open')
    .executeTakeFirst()
  return row ? toCheckout(row) : null
}

/** The open checkouts that lead to a subscription to a trader, of all subscribers. */
export async function listOpenCheckoutsOf(db: Queryable, traderId: string): Promise<Checkout[]> {
  const rows = await db
    .selectFrom('checkout_sessions')
    .select(COLUMNS)
    .where('trader_id', '=', traderId)
    .where('state', '=', 'open')
    .execute()
  return rows.map(toCheckout)
}

/** Somebody's open checkouts, with whatever trader: they could pay on each of them. */
export async function listOpenCheckoutsBy(db: Queryable, subscriberId: string): Promise<Checkout[]> {
  const rows = await db
    .selectFrom('checkout_sessions')
    .select(COLUMNS)
    .where('subscriber_id', '=', subscriberId)
    .where('state', '=', 'open')
    .execute()
  return rows.map(toCheckout)
}

/** Has every open checkout ended whose page names other terms than these: one agrees to what is shown now (rule G-125). */
export async function endCheckoutsOfOtherTerms(
  db: Queryable,
  termsVersion: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable('checkout_sessions')
    .set({ terms_version: null, look_at: now })
    .where('state', '=', 'open')
    .where('terms_version', 'is distinct from', termsVersion)
    .execute()
}

/** @param lookAt when it is looked at automatically @throws a unique violation when the pair has an open one */
export async function insertCheckout(tx: Queryable, checkout: Checkout, lookAt: Date): Promise<void> {
  await tx
    .insertInto('checkout_sessions')
    .values({
      trader_id: checkout.traderId,
      id: checkout.id,
      subscriber_id: checkout.subscriberId,
      state: 'open',
      stripe_price_id: checkout.stripePriceId,
      price_cents: checkout.priceCents,
      currency: checkout.currency,
      billing_interval: checkout.interval,
      discount_code_id: checkout.discountCodeId,
      stripe_promotion_code_id: checkout.stripePromotionCodeId,
      trial_days: checkout.trialDays,
      terms_version: checkout.termsVersion,
      tax_liable: checkout.taxLiable,
      fee_percent: checkout.feePercent,
      created_at: checkout.createdAt,
      look_at: lookAt,
    })
    .execute()
}

/** @returns false when the checkout is settled, of terms that have changed, or leads to another page: this one must not be given out then */
export async function storeCheckoutPage(
  db: Queryable,
  key: { traderId: string; id: string; termsVersion: string | null },
  page: { stripeId: string; url: string },
  lookAt: Date,
): Promise<boolean> {
  const result = await db
    .updateTable('checkout_sessions')
    .set({ stripe_session_id: page.stripeId, url: page.url, look_at: lookAt })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('state', '=', 'open')
    .where('terms_version', 'is not distinct from', key.termsVersion)
    .where((eb) => eb.or([eb('stripe_session_id', 'is', null), eb('stripe_session_id', '=', page.stripeId)]))
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Nothing happens when it is settled already. */
export async function settleCheckout(
  db: Queryable,
  key: { traderId: string; id: string },
  state: 'completed' | 'expired',
  now: Date,
): Promise<void> {
  await db
    .updateTable('checkout_sessions')
    .set({ state, settled_at: now, look_at: null })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('state', '=', 'open')
    .execute()
}

/** Whether a checkout has a code that can be used so often and no more. */
export async function hasCountedCode(db: Queryable, key: { traderId: string; id: string }): Promise<boolean> {
  const row = await db
    .selectFrom('checkout_sessions as checkout')
    .innerJoin('discount_codes as discount', (join) =>
      join
        .onRef('discount.trader_id', '=', 'checkout.trader_id')
        .onRef('discount.id', '=', 'checkout.discount_code_id'),
    )
    .select('checkout.id')
    .where('checkout.trader_id', '=', key.traderId)
    .where('checkout.id', '=', key.id)
    .where('discount.max_uses', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Gives up a checkout whose page nobody knows. Nothing happens when somebody does by now. */
export async function failCheckout(
  db: Queryable,
  key: { traderId: string; id: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('checkout_sessions')
    .set({ state: 'failed', settled_at: now, look_at: null })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('state', '=', 'open')
    .where('url', 'is', null)
    .execute()
}

type Row = {
  trader_id: string
  id: string
  subscriber_id: string
  stripe_session_id: string | null
  url: string | null
  stripe_price_id: string
  price_cents: number
  currency: string
  billing_interval: string
  discount_code_id: string | null
  stripe_promotion_code_id: string | null
  trial_days: number | null
  terms_version: string | null
  tax_liable: string | null
  fee_percent: string
  created_at: Date
}

function toCheckout(row: Row): Checkout {
  return {
    traderId: row.trader_id,
    id: row.id,
    subscriberId: row.subscriber_id,
    stripeId: row.stripe_session_id,
    url: row.url,
    stripePriceId: row.stripe_price_id,
    priceCents: row.price_cents,
    currency: row.currency,
    interval: row.billing_interval as BillingInterval,
    discountCodeId: row.discount_code_id,
    stripePromotionCodeId: row.stripe_promotion_code_id,
    trialDays: row.trial_days as TrialDays | null,
    termsVersion: row.terms_version,
    taxLiable: row.tax_liable as TaxLiable | null,
    feePercent: row.fee_percent,
    createdAt: row.created_at,
  }
}
