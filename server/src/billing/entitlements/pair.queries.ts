import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { EndReason } from '../../stripe/subscriptions.ts'
import type { FollowedPrice } from '../prices/followers-price.ts'
import type { NextCharge } from '../prices/next-charge.ts'
import { PRICE_COLUMNS, readPrice } from './followed-price.ts'

type Pair = { traderId: string; subscriberId: string }

/** The pair whose subscription this is here; null for one that was never written. */
export async function findPairOfSubscription(
  db: Queryable,
  stripeSubscriptionId: string,
): Promise<Pair | null> {
  const row = await db
    .selectFrom('subscriptions')
    .select(['trader_id', 'subscriber_id'])
    .where('stripe_subscription_id', '=', stripeSubscriptionId)
    .executeTakeFirst()
  return row ? { traderId: row.trader_id, subscriberId: row.subscriber_id } : null
}

/** A subscription of a pair as it is stored here; `stripeId` is null for one that was not bought. */
export type PairRow = {
  id: string
  stripeId: string | null
  status: SubscriptionStatus
  endReason: EndReason | null
  pastDueSince: Date | null
  currency: string
  startedAt: Date
  cancelAt: Date | null
  price: FollowedPrice
}

/** The row of a subscription by Stripe's id; null when it has none. */
export async function findRowOfStripe(
  tx: Queryable,
  key: { traderId: string; subscriptionId: string },
): Promise<{ id: string; pastDueSince: Date | null } | null> {
  const row = await tx
    .selectFrom('subscriptions')
    .select(['id', 'past_due_since'])
    .where('trader_id', '=', key.traderId)
    .where('stripe_subscription_id', '=', key.subscriptionId)
    .executeTakeFirst()
  return row ? { id: row.id, pastDueSince: row.past_due_since } : null
}

/** @property anchor when its first paid period began @property endedAt null while it runs */
type PaidTerms = { anchor: Date; endedAt: Date | null }

/** By Stripe's id; null when it has no row. */
export async function findTermsOf(
  tx: Queryable,
  key: { traderId: string; subscriptionId: string },
): Promise<PaidTerms | null> {
  const row = await tx
    .selectFrom('subscriptions')
    .select('ended_at')
    .select((eb) => eb.fn.coalesce('trial_ends_at', 'started_at').as('anchor'))
    .where('trader_id', '=', key.traderId)
    .where('stripe_subscription_id', '=', key.subscriptionId)
    .executeTakeFirst()
  if (!row) return null
  return { anchor: row.anchor, endedAt: row.ended_at }
}

export async function listPairRows(tx: Queryable, pair: Pair): Promise<PairRow[]> {
  const rows = await tx
    .selectFrom('subscriptions')
    .select([
      'id',
      'stripe_subscription_id',
      'status',
      'end_reason',
      'past_due_since',
      'currency',
      'started_at',
      'cancel_at',
    ])
    .select(PRICE_COLUMNS)
    .where('trader_id', '=', pair.traderId)
    .where('subscriber_id', '=', pair.subscriberId)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    stripeId: row.stripe_subscription_id,
    status: row.status,
    endReason: row.end_reason as EndReason | null,
    pastDueSince: row.past_due_since,
    currency: row.currency,
    startedAt: row.started_at,
    cancelAt: row.cancel_at,
    price: readPrice(row),
  }))
}

/** Whether both are people of this database, and the one who is followed can publish. */
export async function arePeople(db: Queryable, pair: Pair): Promise<boolean> {
  const row = await db
    .selectFrom(['users', 'traders'])
    .select('users.id')
    .where('users.id', '=', pair.subscriberId)
    .where('traders.trader_id', '=', pair.traderId)
    .executeTakeFirst()
  return row !== undefined
}

/** Since when an operator has suspended the two of a pair; null while not. */
export type Suspended = { trader: Date | null; subscriber: Date | null }

/**
 * Until when subscriptions that the two of a pair began are over, because one of them has closed the account: an account that is
 * given back brings none of them along (rule G-117). Null where there was no closing, `always` while the account is closed.
 */
export type Closed = { trader: Closing; subscriber: Closing }
type Closing = Date | 'always' | null

export async function findClosed(db: Queryable, { subscriberId, traderId }: Pair): Promise<Closed> {
  const rows = await db
    .selectFrom('closings')
    .select(['user_id', 'closed_at', 'reopened_at'])
    .where('user_id', 'in', [traderId, subscriberId])
    .orderBy('closed_at', 'desc')
    .execute()
  const of = (id: string): Closing => {
    const newest = rows.find((row) => row.user_id === id)
    if (!newest) return null
    return newest.reopened_at === null ? 'always' : newest.closed_at
  }
  return { trader: of(traderId), subscriber: of(subscriberId) }
}

/** Whether a closing has ended what began at an instant. */
export function isOverBy(closing: Closing, startedAt: Date): boolean {
  return closing === 'always' || (closing !== null && startedAt <= closing)
}

export async function findSuspended(db: Queryable, { subscriberId, traderId }: Pair): Promise<Suspended> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'suspended_at'])
    .where('id', 'in', [traderId, subscriberId])
    .execute()
  const since = (id: string) => rows.find((row) => row.id === id)?.suspended_at ?? null
  return { trader: since(traderId), subscriber: since(subscriberId) }
}

/** The facts of a subscription that only Stripe knows, beside status and periods. */
export type StripeOnlyFacts = {
  startedAt: Date
  endedAt: Date | null
  priceCents: number
  currency: string
  interval: BillingInterval
  /** Null while nothing is taken off the next renewal; left out, it stays as it is stored. */
  nextCharge?: NextCharge | null
  trialEnd: Date | null
  feePercent: number | null
  pastDueSince: Date | null
  paused: boolean
  endReason: string | null
}

/** An end reason that was written stays. */
export async function storeStripeOnlyFacts(
  tx: Queryable,
  key: { traderId: string; id: string },
  facts: StripeOnlyFacts,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set((eb) => ({
      started_at: facts.startedAt,
      // Stripe's date of the end, unless the product ended it, perhaps after these facts were read: then access was gone when that was written.
      ended_at: sql<Date | null>`case when end_reason is null and ${facts.endReason}::text is null then ${facts.endedAt}::timestamptz
        else coalesce(ended_at, ${facts.endedAt}::timestamptz) end`,
      price_cents: facts.priceCents,
      currency: facts.currency,
      billing_interval: facts.interval,
      ...(facts.nextCharge !== undefined && renewalColumns(facts.nextCharge)),
      trial_ends_at: facts.trialEnd,
      fee_percent: facts.feePercent,
      past_due_since: facts.pastDueSince,
      paused_since: facts.paused ? eb.fn.coalesce('paused_since', eb.val(now)) : null,
      end_reason: eb.fn.coalesce('end_reason', eb.val(facts.endReason)),
      synced_at: now,
    }))
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

function renewalColumns(next: NextCharge | null) {
  return {
    renewal_cents: next?.cents ?? null,
    renewal_cents_until: next?.until ?? null,
    stripe_promotion_code_id: next?.promotionCodeId ?? null,
  }
}

/** Keeps why the product ended a subscription, before Stripe has. A reason that was written stays. */
export async function storeEndReason(
  tx: Queryable,
  key: { traderId: string; id: string },
  reason: EndReason,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ end_reason: reason })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('end_reason', 'is', null)
    .execute()
}
