import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type { FollowedPrice } from '../prices/followers-price.ts'

/** The columns of a price; server/migrations/0018_price_changes.sql explains each. */
export const PRICE_COLUMNS = [
  'price_cents',
  'kept_cents',
  'kept_since',
  'agreed_cents',
  'proposed_at',
  'agreed_from',
  'charged_from',
] as const

type PriceRow = {
  price_cents: number
  kept_cents: number | null
  kept_since: Date | null
  agreed_cents: number | null
  proposed_at: Date | null
  agreed_from: Date | null
  charged_from: Date | null
}

export function readPrice(row: PriceRow): FollowedPrice {
  const { agreed_cents: agreed, agreed_from: from, kept_cents: kept, kept_since: since, proposed_at } = row
  return {
    priceCents: row.price_cents,
    kept: kept !== null && since !== null ? { cents: kept, since } : null,
    agreement:
      agreed !== null && proposed_at !== null && from !== null
        ? { cents: agreed, proposedAt: proposed_at, from, chargedFrom: row.charged_from }
        : null,
  }
}

/** The columns of `Followed`. */
export const FOLLOWED_COLUMNS = [
  'id',
  'billing_interval',
  'currency',
  'started_at',
  'trial_ends_at',
  'current_period_end',
  'past_due_since',
  ...PRICE_COLUMNS,
] as const

/** A subscription that was bought, and what renews. */
export type Followed = {
  traderId: string
  id: string
  price: FollowedPrice
  interval: BillingInterval
  currency: string
  /** Its renewals come on that day: the end of free days, else the beginning. */
  anchor: Date
  periodEnd: Date | null
  pastDueSince: Date | null
}

export function toFollowed(
  traderId: string,
  row: PriceRow & {
    id: string
    billing_interval: string
    currency: string
    started_at: Date
    trial_ends_at: Date | null
    current_period_end: Date | null
    past_due_since: Date | null
  },
): Followed {
  return {
    traderId,
    id: row.id,
    price: readPrice(row),
    interval: row.billing_interval as BillingInterval,
    currency: row.currency,
    anchor: row.trial_ends_at ?? row.started_at,
    periodEnd: row.current_period_end,
    pastDueSince: row.past_due_since,
  }
}
