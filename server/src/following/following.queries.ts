import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'

/** A price of the index that is older than this, in days, is none of the day that is asked for: weekends and holidays are shorter. */
const INDEX_MAX_AGE_DAYS = 4

/** A subscription that gives or gave access. */
export type Followed = {
  traderId: string
  username: string | null
  startedAt: Date
  /** Numbers of the events that it gave access to, a multirange as PostgreSQL writes it; empty where none was published meanwhile. */
  windows: string
  /** It gives access now. */
  entitled: boolean
  /** It will be charged again. */
  renews: boolean
  /** Of the next renewal. */
  priceCents: number
  currency: string
  interval: BillingInterval
  /** The trader's open positions, without struck ones. */
  open: number
}

/** Everybody whom somebody follows or has followed, the oldest subscription first. */
export function listFollowed(db: Queryable, subscriberId: string): Promise<Followed[]> {
  return selectFollowed(db, { subscriberId })
}

const selectFollowed = compiledQuery(
  (_db, { subscriberId }: { subscriberId: string }) => sql<Followed>`
    select followed.trader_id as "traderId", account.username, followed.started_at as "startedAt",
      (followed.earlier_windows
        + int8multirange(int8range(followed.entitled_from_event, followed.entitled_until_event, '(]')))::text as windows,
      followed.entitled_until_event is null as entitled,
      followed.entitled_until_event is null and followed.cancel_at is null and followed.paused_since is null as renews,
      coalesce(followed.renewal_cents, followed.price_cents) as "priceCents", followed.currency, followed.billing_interval as interval, coalesce(stats.open_count, 0) as open
    from subscriptions followed
    left join accounts account on account.user_id = followed.trader_id
    left join trader_stats stats on stats.trader_id = followed.trader_id
    where followed.subscriber_id = ${subscriberId} and followed.entitled_from_event is not null
    order by followed.started_at, followed.id`,
)

/** Spans of events of traders, as many of each, in one order; `beyonds` are in none, and null where the span goes on. */
export type Windows = { traderIds: string[]; firsts: number[]; beyonds: (number | null)[] }

/** A position whose close somebody was told of. Prices are decimal texts in US dollars. */
export type ToldClose = {
  traderId: string
  id: string
  symbol: string
  openedAt: Date
  closedAt: Date
  openPrice: string
  closePrice: string
  unsettled: boolean
  /** Null where it was published before events were kept. */
  openedNo: number | null
  /** Of when following began, if it was noted; a retraction has set it right. */
  noted: { price: string | null; at: string } | null
  /** Splits that changed it, in the order in which they did: old shares for new ones, and the first day of the new, as `2026-11-18`. */
  splits: { day: string; oldShares: string; newShares: string }[]
}

/** Positions, without struck ones, that were closed by an event of these windows. */
export function listToldCloses(db: Queryable, subscriberId: string, windows: Windows): Promise<ToldClose[]> {
  return selectToldCloses(db, { subscriberId, ...windows })
}

const selectToldCloses = compiledQuery(
  (_db, { beyonds, firsts, subscriberId, traderIds }: Windows & { subscriberId: string }) => sql<ToldClose>`
    select position.trader_id as "traderId", position.id, position.symbol, position.opened_at as "openedAt",
      position.closed_at as "closedAt", position.open_price::text as "openPrice", position.close_price::text as "closePrice",
      position.unsettled, opened.event_no as "openedNo",
      case when noted.position_id is not null then json_build_object(
        'price', coalesce((
          select retraction.price::text from price_retractions retraction
          where retraction.symbol = noted.symbol and noted.priced_at between retraction.from_at and retraction.to_at
            and noted.price is not null
          order by retraction.retracted_at desc limit 1
        ), noted.price::text), 'at', noted.priced_at) end as noted,
      coalesce((
        select json_agg(json_build_object('day', split.effective_on,
            'oldShares', coalesce(split.old_shares::text, split.open_price_after::text),
            'newShares', coalesce(split.new_shares::text, split.open_price_before::text)) order by split.adjusted_at, split.effective_on)
        from position_adjustments split
        where split.trader_id = position.trader_id and split.position_id = position.id and split.reason = 'split'
      ), '[]') as splits
    from unnest(${traderIds}::uuid[], ${firsts}::bigint[], ${beyonds}::bigint[]) told (trader_id, first, beyond)
    join position_events closed on closed.trader_id = told.trader_id and closed.event_no >= told.first
      and (told.beyond is null or closed.event_no < told.beyond) and closed.kind = 'closed'
    join positions position on position.trader_id = closed.trader_id and position.id = closed.position_id
    left join position_events opened on opened.trader_id = position.trader_id and opened.position_id = position.id
      and opened.kind = 'opened'
    left join following_prices noted on noted.trader_id = position.trader_id and noted.position_id = position.id
      and noted.subscriber_id = ${subscriberId}
    where closed.trader_id = any(${traderIds}::uuid[]) and position.struck_at is null`,
)

/** Positions, and the instant and event at or after which somebody began to follow; as many of each, in one order. */
export type Beginnings = { traderIds: string[]; ids: string[]; instants: Date[]; eventNos: number[] }

/** `sharesOf`: the day in whose shares it is counted. Both days as `2026-11-18`. */
export type LastClose = { id: string; day: string; close: string; sharesOf: string }

/**
 * Of each position the last close before the later of the two, since its opening; none where no close is known. Its day is before that of the
 * beginning, in UTC.
 */
export function listLastCloses(db: Queryable, beginnings: Beginnings): Promise<LastClose[]> {
  return selectLastCloses(db, beginnings)
}

const selectLastCloses = compiledQuery(
  (_db, { eventNos, ids, instants, traderIds }: Beginnings) => sql<LastClose>`
    select position.id, known.day::text, known.close::text, coalesce(known.shares_of, known.day)::text as "sharesOf"
    from unnest(${traderIds}::uuid[], ${ids}::uuid[], ${instants}::timestamptz[], ${eventNos}::bigint[])
      began (trader_id, id, instant, event_no)
    join positions position on position.trader_id = began.trader_id and position.id = began.id
    left join position_events before on before.trader_id = began.trader_id and before.event_no = began.event_no
    cross join lateral (
      select day, close, shares_of from symbol_days
      where symbol = position.symbol and day >= (position.opened_at at time zone 'UTC')::date
        and day < (greatest(began.instant, before.created_at) at time zone 'UTC')::date
        and day < coalesce(position.ticker_lost_on, 'infinity'::date)
      order by day desc limit 1
    ) known
    where position.trader_id = any(${traderIds}::uuid[])`,
)

/**
 * The index at the end of each of these days, or of the last session before it: decimal text by day, as `2026-11-18`.
 * @param knownUntil closes that became known later do not count; null where all do
 */
export async function findIndexCloses(
  db: Queryable,
  indexSymbol: string,
  days: string[],
  knownUntil: Date | null,
): Promise<ReadonlyMap<string, string>> {
  const rows = await selectIndexCloses(db, { indexSymbol, days, knownUntil })
  return new Map(rows.map(({ close, day }) => [day, close]))
}

const selectIndexCloses = compiledQuery(
  (
    _db,
    { days, indexSymbol, knownUntil }: { indexSymbol: string; days: string[]; knownUntil: Date | null },
  ) => sql<{
    day: string
    close: string
  }>`
    select asked.day::text, known.close::text
    from unnest(${days}::date[]) asked (day)
    cross join lateral (
      select close from symbol_days
      where symbol = ${indexSymbol} and day between asked.day - ${sql.lit(INDEX_MAX_AGE_DAYS)}::int and asked.day
        and (${knownUntil}::timestamptz is null or known_at <= ${knownUntil}::timestamptz)
      order by day desc limit 1
    ) known`,
)
