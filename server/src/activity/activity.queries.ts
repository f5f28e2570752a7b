import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import { entitledBetween } from '../subscriptions/entitled-events.ts'

/** Whether somebody was entitled at an event that the statement calls `event`, or published it. */
const seenBy = (viewerId: string) => sql<boolean>`(event.trader_id = ${viewerId} or exists (
  select from subscriptions where trader_id = event.trader_id and subscriber_id = ${viewerId}
    and ${entitledBetween(sql<number>`event.event_no`, sql<number>`event.event_no`)}))`

/** Where an event stands in Activity: the order is that of instants, then of traders, then of a trader's events. */
export type Place = {
  /** ISO 8601 UTC with microseconds. */
  at: string
  traderId: string
  eventNo: number
}

const placeAt = sql<string>`to_char(event.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

export type ActivityRow = Place & {
  kind: 'opened' | 'closed' | 'adjusted'
  createdAt: Date
  username: string | null
  positionId: string
  symbol: string
  companyName: string | null
  holdLength: HoldLength
  /** Decimal texts, US dollars and percent. */
  openPrice: string
  closePrice: string | null
  percentageGain: string | null
  openNotes: string
  closeNotes: string | null
  openedAt: Date
  newShares: number | null
  oldShares: number | null
  openPriceBefore: string | null
  openPriceAfter: string | null
  readEventNo: number
}

type Page = { viewerId: string; at: string; traderId: string; eventNo: number; limit: number }

function activityPage(bound: 'none' | 'after' | 'from') {
  return compiledQuery((_db, { at, eventNo, limit, traderId, viewerId }: Page) => {
    // The first condition is what the index can be asked for.
    const beyond = sql`event.created_at <= ${at}::timestamptz and (event.created_at, event.trader_id, event.event_no)
      ${bound === 'after' ? sql`<` : sql`<=`} (${at}::timestamptz, ${traderId}::uuid, ${eventNo}::bigint)`
    return sql<ActivityRow>`
    with traders_of_viewer as (
      select trader_id from subscriptions where subscriber_id = ${viewerId} and entitled_from_event is not null
      union select ${viewerId}::uuid
    ), page as (
      select newest.* from traders_of_viewer cross join lateral (
        select event.* from position_events event
        where event.trader_id = traders_of_viewer.trader_id
          and ${bound === 'none' ? sql`true` : beyond}
          and ${seenBy(viewerId)}
        order by event.created_at desc, event.event_no desc limit ${limit}
      ) newest
      order by newest.created_at desc, newest.trader_id desc, newest.event_no desc limit ${limit}
    )
    select event.trader_id as "traderId", event.event_no as "eventNo", ${placeAt} as at, event.kind,
      event.created_at as "createdAt", account.username, position.id as "positionId", position.symbol,
      symbols.name as "companyName", position.hold_length as "holdLength", position.open_price as "openPrice",
      position.close_price as "closePrice", position.percentage_gain as "percentageGain",
      position.open_notes as "openNotes", position.close_notes as "closeNotes", position.opened_at as "openedAt",
      split.new_shares as "newShares", split.old_shares as "oldShares",
      split.open_price_before as "openPriceBefore", split.open_price_after as "openPriceAfter",
      coalesce(seen.event_no, 0) as "readEventNo"
    from page event
    join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    left join accounts account on account.user_id = event.trader_id
    left join symbols on symbols.symbol = position.symbol
    left join position_adjustments split on split.trader_id = event.trader_id and split.event_no = event.event_no
    left join activity_reads seen on seen.user_id = ${viewerId} and seen.trader_id = event.trader_id
    order by event.created_at desc, event.trader_id desc, event.event_no desc`
  })
}

/** The newest. Of each list at most `limit`, newest first; `place` is where a page before ended, or where one begins. */
const selectNewest = activityPage('none')
const selectAfter = activityPage('after')
const selectFrom = activityPage('from')

/** What somebody sees in Activity, newest first. @param bound a place, and whether what stands there is wanted too */
export function findActivity(
  db: Parameters<typeof selectNewest>[0],
  viewerId: string,
  bound: { after: Place } | { from: Place } | null,
  limit: number,
): Promise<ActivityRow[]> {
  const place = bound === null ? null : 'after' in bound ? bound.after : bound.from
  const { at, traderId, eventNo } = place ?? { at: '', traderId: '', eventNo: 0 }
  const select = bound === null ? selectNewest : 'after' in bound ? selectAfter : selectFrom
  return select(db, { viewerId, at, traderId, eventNo, limit })
}

/** Where a trader's event stands in Activity, if the viewer sees it there. */
export const findPlaces = compiledQuery(
  (_db, { eventNo, username, viewerId }: { viewerId: string; username: string; eventNo: number }) =>
    sql<Place>`
    select event.trader_id as "traderId", event.event_no as "eventNo", ${placeAt} as at
    from accounts join position_events event on event.trader_id = accounts.user_id
    where lower(accounts.username) = lower(${username}) and event.event_no = ${eventNo} and ${seenBy(viewerId)}`,
)

/** What is unread of a trader, counted up to a limit, and the newest of it. */
export type UnreadOfTrader = { traderId: string; count: number; lastEventNo: number }

/** Traders of whom something is unread; one's own events are read. @param limits of the traders, and of the events of one */
export const findUnread = compiledQuery(
  (_db, { events, traders, viewerId }: { viewerId: string; traders: number; events: number }) =>
    sql<UnreadOfTrader>`
    select followed.trader_id as "traderId", unread.count, unread.last as "lastEventNo"
    from (
      select distinct trader_id from subscriptions
      where subscriber_id = ${viewerId} and entitled_from_event is not null
    ) followed
    left join activity_reads seen on seen.user_id = ${viewerId} and seen.trader_id = followed.trader_id
    cross join lateral (
      select count(*)::int as count, max(newest.event_no) as last from (
        select event.event_no from position_events event
        where event.trader_id = followed.trader_id and event.event_no > coalesce(seen.event_no, 0)
          and ${seenBy(viewerId)}
        order by event.event_no desc limit ${events}
      ) newest
    ) unread
    where unread.count > 0
    order by followed.trader_id limit ${traders}`,
)

/** Notes up to which event of each trader somebody has seen; an earlier one changes nothing, and no trader who was never followed. */
export const writeRead = compiledQuery(
  (_db, { eventNos, traderIds, viewerId }: { viewerId: string; traderIds: string[]; eventNos: number[] }) =>
    sql<never>`
    insert into activity_reads as kept (user_id, trader_id, event_no)
    select ${viewerId}::uuid, seen.trader_id, least(max(seen.event_no), head.last_event_no)
    from unnest(${traderIds}::uuid[], ${eventNos}::bigint[]) seen (trader_id, event_no)
    join traders head on head.trader_id = seen.trader_id
    where exists (select from subscriptions where trader_id = seen.trader_id and subscriber_id = ${viewerId})
    group by seen.trader_id, head.last_event_no
    order by seen.trader_id
    on conflict (user_id, trader_id) do update set event_no = excluded.event_no
      where kept.event_no < excluded.event_no`,
)
