import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { NamedPrices } from '../prices/own-prices.queries.ts'

export type PaidTrader = {
  traderId: string
  transfersStatus: string
  closedAt: Date | null
  taxReady: boolean | null
  /** Of the viewer's live subscription to them; null without one. */
  liveStatus: SubscriptionStatus | null
  namedPrices: NamedPrices | null
}

/** The payouts and prices of some traders where payouts are set up, and what else decides whether a viewer may subscribe. */
export function listPaid(
  db: Queryable,
  viewerId: string,
  traderIds: readonly string[],
): Promise<PaidTrader[]> {
  return selectPaid(db, { viewerId, traderIds })
}

const selectPaid = compiledQuery(
  (_db, { viewerId, traderIds }: { viewerId: string; traderIds: readonly string[] }) => sql<PaidTrader>`
    select payouts.user_id as "traderId", payouts.transfers_status as "transfersStatus", payouts.closed_at as "closedAt",
      payouts.tax_ready as "taxReady",
      (select status from subscriptions where trader_id = payouts.user_id and subscriber_id = ${viewerId} and status <> 'canceled')
        as "liveStatus",
      (select json_build_object('monthlyCents', monthly_cents, 'yearlyCents', yearly_cents, 'currency', currency,
        'trialDays', trial_days)
        from own_prices where trader_id = payouts.user_id) as "namedPrices"
    from payout_accounts payouts where payouts.user_id = any(${traderIds}::uuid[])`,
)
