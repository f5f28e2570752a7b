import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import { foldedName } from '../accounts/folded-name.ts'
import type { RelationshipFacts } from '../billing/entitlements/may-subscribe.ts'
import type { NamedPrices } from '../billing/prices/own-prices.queries.ts'
import { batchedLookup, compiledQuery, type Queryable } from '../platform/database/queryable.ts'

export type TraderRow = {
  traderId: string
  username: string
  openCount: number
  closedCount: number
  /** Closed positions that have a price: averages are over them. */
  settledCount: number
  winCount: number
  /** Of closed positions, those within their plan. */
  keptCount: number
  /** Percent, decimal text; null before the first close. */
  averageGain: string | null
  /** Of the first position that counts; null before it. */
  firstOpenedAt: Date | null
  /** Whether everybody may read their public page (rule G-109). */
  publicPage: boolean
  /** The trader's own words; null without any. */
  about: string | null
  followersShown: boolean
  /** Null for a trader who has named no price (rule G-28). */
  namedPrices: NamedPrices | null
  /** Of the trader's last event, 0 before the first: it rises with whatever is counted here. */
  lastEventNo: number
}

type FoundRow = TraderRow & {
  nth: number
  suspended: boolean
  transfersStatus: string | null
  payoutsClosedAt: Date | null
  taxReady: boolean | null
  liveStatus: SubscriptionStatus | null
}

/**
 * By exact username without regard to case, with what decides how a viewer stands to the trader; null when nobody has the name.
 * @param username of a legal shape
 */
export async function findTrader(
  db: Queryable,
  viewerId: string,
  username: string,
): Promise<{ trader: TraderRow; facts: RelationshipFacts } | null> {
  const row = await lookUpTrader(db, `${viewerId} ${username.toLowerCase()}`)
  if (!row) return null
  const { nth, transfersStatus, payoutsClosedAt, taxReady, suspended, liveStatus, ...trader } = row
  return {
    trader,
    facts: {
      payouts: transfersStatus === null ? null : { transfersStatus, closedAt: payoutsClosedAt, taxReady },
      suspended,
      liveStatus,
    },
  }
}

/** By the viewer's id and a name in lower case. */
const lookUpTrader = batchedLookup(async (db, asked: string[]) => {
  const pairs = asked.map((pair) => pair.split(' '))
  const viewers = pairs.map(([viewerId]) => viewerId ?? '')
  const names = pairs.map(([, name]) => name ?? '')
  const rows = await selectTraders(db, { viewers, names })
  return new Map(rows.map((row) => [asked[row.nth - 1] ?? '', row]))
})

/** `limit 1` has the database look each name up in the index instead of reading tables that are small today. */
const selectTraders = compiledQuery(
  (_db, { viewers, names }: { viewers: string[]; names: string[] }) => sql<FoundRow>`
    select asked.nth, account.user_id as "traderId", account.username, account.about, account.followers_shown as "followersShown",
      account.public_page_since is not null as "publicPage",
      coalesce(stats.open_count, 0) as "openCount", coalesce(stats.closed_count, 0) as "closedCount",
      coalesce(stats.settled_count, 0) as "settledCount",
      coalesce(stats.win_count, 0) as "winCount", coalesce(stats.kept_count, 0) as "keptCount", stats.gain_avg as "averageGain",
      stats.first_opened_at as "firstOpenedAt",
      coalesce((select last_event_no from traders where trader_id = account.user_id), 0) as "lastEventNo",
      (select json_build_object('monthlyCents', monthly_cents, 'yearlyCents', yearly_cents, 'currency', currency,
        'trialDays', trial_days)
        from own_prices where trader_id = account.user_id) as "namedPrices",
      (select suspended_at is not null from users where id = account.user_id) as suspended,
      payouts.transfers_status as "transfersStatus", payouts.closed_at as "payoutsClosedAt", payouts.tax_ready as "taxReady",
      (select status from subscriptions where trader_id = account.user_id and subscriber_id = asked.viewer_id and status <> 'canceled')
        as "liveStatus"
    from unnest(${viewers}::uuid[], ${names}::text[]) with ordinality asked(viewer_id, name, nth)
    cross join lateral (
      select user_id, username, about, followers_shown, public_page_since from accounts
      where ${foldedName('username')} = asked.name
        and not exists (select from users where id = user_id and closed_at is not null) limit 1
    ) account
    left join lateral (select * from trader_stats where trader_id = account.user_id limit 1) stats on true
    left join lateral (select * from payout_accounts where user_id = account.user_id limit 1) payouts on true`,
)
