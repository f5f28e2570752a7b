import { sql } from 'kysely'
import { foldedName } from '../accounts/folded-name.ts'
import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'
import { entitledBetween } from '../subscriptions/entitled-events.ts'
import {
  type ActivityRow,
  type Bound,
  besideEvent,
  beyondOf,
  type Place,
  placeAt,
  shownOfEvent,
  type UnreadOfTrader,
} from './shown-events.ts'

/** Whether somebody was entitled at an event that the statement calls `event`, or published it. */
const seenBy = (viewerId: string) => sql<boolean>`(event.trader_id = ${viewerId} or exists (
  select from subscriptions where trader_id = event.trader_id and subscriber_id = ${viewerId}
    and ${entitledBetween(sql<number>`event.event_no`, sql<number>`event.event_no`)}))`

type ActivityPage = { viewerId: string; at: string; traderId: string; eventNo: number; limit: number }

function activityPage(bound: Bound) {
  return compiledQuery((_db, { at, eventNo, limit, traderId, viewerId }: ActivityPage) => {
    const beyond = beyondOf(bound, { at, traderId, eventNo })
    return sql<ActivityRow>`
    with traders_of_viewer as (
      select trader_id from subscriptions where subscriber_id = ${viewerId} and entitled_from_event is not null
      union select ${viewerId}::uuid
    ), page as (
      select newest.* from traders_of_viewer cross join lateral (
        select event.* from position_events event
        where event.trader_id = traders_of_viewer.trader_id
          and ${beyond}
          and ${seenBy(viewerId)}
        order by event.created_at desc, event.event_no desc limit ${limit}
      ) newest
      order by newest.created_at desc, newest.trader_id desc, newest.event_no desc limit ${limit}
    )
    select ${shownOfEvent}, account.username, coalesce(seen.event_no, 0) as "readEventNo"
    from page event ${besideEvent}
    left join accounts account on account.user_id = event.trader_id
    left join activity_reads seen on seen.user_id = ${viewerId} and seen.trader_id = event.trader_id
    order by event.created_at desc, event.trader_id desc, event.event_no desc`
  })
}

/** Of each list at most `limit`, newest first. */
export const selectPages = {
  none: activityPage('none'),
  after: activityPage('after'),
  from: activityPage('from'),
}

/** Where a trader's event stands in Activity; null if the viewer does not see it there. */
export async function findPlace(
  db: Queryable,
  viewerId: string,
  item: { trader: string; eventNo: number },
): Promise<Place | null> {
  const [seen] = await selectSeenTrader(db, {
    viewerId,
    username: item.trader.toLowerCase(),
    eventNo: item.eventNo,
  })
  const [place] = seen ? await selectPlace(db, { traderId: seen.traderId, eventNo: item.eventNo }) : []
  return place ?? null
}

const selectSeenTrader = compiledQuery(
  (_db, { eventNo, username, viewerId }: { viewerId: string; username: string; eventNo: number }) => sql<{
    traderId: string
  }>`
    select event.trader_id as "traderId" from (
      select user_id as trader_id, ${eventNo}::bigint as event_no from accounts
      where ${foldedName('username')} = ${username}
    ) event where ${seenBy(viewerId)}`,
)

const selectPlace = compiledQuery(
  (_db, { eventNo, traderId }: { traderId: string; eventNo: number }) => sql<Place>`
    select event.trader_id as "traderId", event.event_no as "eventNo", ${placeAt} as at
    from position_events event where event.trader_id = ${traderId} and event.event_no = ${eventNo}`,
)

export type AskedUnread = { viewerId: string; traders: number; events: number }

/** Traders of whom something is unread; one's own events are read. @param limits of the traders, and of the events of one */
export const selectUnread = compiledQuery(
  (_db, { events, traders, viewerId }: AskedUnread) =>
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
