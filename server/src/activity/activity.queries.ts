import { type RawBuilder, sql } from 'kysely'
import { foldedName } from '../accounts/folded-name.ts'
import { entitledBetween, entitledWindows } from '../billing/entitlements/entitled-events.ts'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import {
  type ActivityRow,
  type Bound,
  besideEvent,
  beyondOf,
  type EventRow,
  type Place,
  placeAt,
  shownOfEvent,
} from './shown-events.ts'

/** A trader of whom somebody sees events, or saw them once. */
export type Received = {
  traderId: string
  username: string | null
  /** Of the events that they may see: numbers, a multirange as PostgreSQL writes it. */
  windows: string
  lastEventNo: number
  /** Up to which event they have read. */
  readEventNo: number
}

type ActivityPage = {
  viewerId: string
  at: string
  traderId: string
  eventNo: number
  limit: number
  /** Id of a trader, whose events alone are wanted; null for all. */
  ofTrader: string | null
}

/** The traders whose events a viewer receives or has received, and at which numbers of events; reads the rows of `subscriptions` once. */
const receivedBy = (viewerId: RawBuilder<string>) => sql`
      select trader_id, ${entitledWindows} as windows from subscriptions where subscriber_id = ${viewerId} group by trader_id`

/** Of a trader in `heard`: the last event, and up to which the viewer has read. */
const headOf = (viewerId: RawBuilder<string>) => sql`
      select last_event_no, coalesce((
          select event_no from activity_reads where user_id = ${viewerId} and trader_id = heard.trader_id limit 1
        ), 0) as read_event_no
      from traders where trader_id = heard.trader_id limit 1`

/** Numbers of the unread events of a trader in `heard`; none where the last event is read. */
const unreadWindows = sql`heard.windows
          * int8multirange(int8range(head.read_event_no, greatest(head.last_event_no, head.read_event_no), '(]'))`

/** Both ends are known, so that no more of the index is read. */
const ofSpan = sql`event.trader_id = heard.trader_id and event.event_no >= lower(span) and event.event_no < upper(span)`

/**
 * The traders whose events these viewers receive, the viewers among them, and what each has read. One moment: all viewers of a statement
 * see the same.
 */
export const selectReceived = compiledQuery(
  (_db, { viewerIds }: { viewerIds: string[] }) => sql<Received & { viewerId: string }>`
    select asked.id as "viewerId", heard.trader_id as "traderId", account.username, heard.windows::text as windows,
      head.last_event_no as "lastEventNo", head.read_event_no as "readEventNo"
    from unnest(${viewerIds}::uuid[]) asked (id)
    cross join lateral (${receivedBy(sql`asked.id`)}
      union all select asked.id, '{(,)}'
    ) heard
    cross join lateral (${headOf(sql`asked.id`)}) head
    left join lateral (select username from accounts where user_id = heard.trader_id limit 1) account on true
    where not isempty(heard.windows)
    order by heard.trader_id`,
)

/** Of each trader the last event whose number is in one of these spans; `to` is in none. As many of each, in one order. */
export const selectLastWithin = compiledQuery(
  (_db, { froms, tos, traderIds }: { traderIds: string[]; froms: number[]; tos: number[] }) => sql<{
    traderId: string
    eventNo: number
  }>`
    select span.trader_id as "traderId", max(event.event_no) as "eventNo"
    from unnest(${traderIds}::uuid[], ${froms}::bigint[], ${tos}::bigint[]) span (trader_id, first, beyond)
    cross join lateral (
      select event_no from position_events
      where trader_id = span.trader_id and event_no >= span.first and event_no < span.beyond order by event_no desc limit 1
    ) event
    group by span.trader_id`,
)

/**
 * A number hidden from the planner. With it the planner would read and sort all events of a trader of whom it expects few, and a trader may
 * have many; `coalesce` about windows has the same reason.
 */
const ofATrader = (limit: number) => sql`(select ${limit}::bigint)`

/** The newest events of each of these traders, newest first. @param limit of one trader */
export const selectNewest = compiledQuery(
  (_db, { limit, traderIds }: { traderIds: string[]; limit: number }) => sql<EventRow>`
    select ${shownOfEvent}
    from unnest(${traderIds}::uuid[]) asked (trader_id)
    cross join lateral (
      select event.* from position_events event where event.trader_id = asked.trader_id
      order by event.created_at desc, event.event_no desc limit ${ofATrader(limit)}
    ) event ${besideEvent}
    order by event.created_at desc, event.trader_id desc, event.event_no desc`,
)

/** Of each trader the newest that the viewer sees are found in an index alone; only those of the page are then read. */
function activityPage(bound: Bound) {
  return compiledQuery((_db, { at, eventNo, limit, ofTrader, traderId, viewerId }: ActivityPage) => {
    const beyond = beyondOf(bound, { at, traderId, eventNo })
    return sql<ActivityRow>`
    with heard as materialized (${receivedBy(sql`${viewerId}`)}
      union all select ${viewerId}::uuid, '{(,)}'
    ), page as materialized (
      select newest.* from heard cross join lateral (
        select event.trader_id, event.event_no, event.created_at from position_events event
        where event.trader_id = heard.trader_id and coalesce(heard.windows @> event.event_no, false) and ${beyond}
        order by event.created_at desc, event.event_no desc limit ${ofATrader(limit)}
      ) newest
      where heard.trader_id = coalesce(${ofTrader}::uuid, heard.trader_id)
      order by newest.created_at desc, newest.trader_id desc, newest.event_no desc limit ${limit}
    )
    select ${shownOfEvent}, account.username, coalesce(seen.event_no, 0) as "readEventNo"
    from page join position_events event on event.trader_id = page.trader_id and event.event_no = page.event_no ${besideEvent}
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
    select account.user_id as "traderId" from accounts account
    where ${foldedName('username')} = ${username} and (account.user_id = ${viewerId} or exists (
      select from subscriptions where trader_id = account.user_id and subscriber_id = ${viewerId}
        and ${entitledBetween(sql<number>`${eventNo}::bigint`, sql<number>`${eventNo}::bigint`)}))`,
)

const selectPlace = compiledQuery(
  (_db, { eventNo, traderId }: { traderId: string; eventNo: number }) => sql<Place>`
    select event.trader_id as "traderId", event.event_no as "eventNo", ${placeAt} as at
    from position_events event where event.trader_id = ${traderId} and event.event_no = ${eventNo}`,
)

type AskedCounts = { viewerIds: string[]; events: number }

/** How many events are unread by each of these people, their own apart, counted up to a limit: no more than that is read. */
export const selectUnreadCounts = compiledQuery(
  (_db, { events, viewerIds }: AskedCounts) => sql<{ viewerId: string; unread: number }>`
    select asked.id as "viewerId", counted.unread
    from unnest(${viewerIds}::uuid[]) asked (id)
    cross join lateral (
      select count(*)::int as unread from (
        select from (${receivedBy(sql`asked.id`)}) heard
        cross join lateral (${headOf(sql`asked.id`)}) head
        cross join lateral unnest(${unreadWindows}) span
        cross join lateral (select from position_events event where ${ofSpan} limit ${events}) event
        limit ${events}
      ) event
    ) counted`,
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
