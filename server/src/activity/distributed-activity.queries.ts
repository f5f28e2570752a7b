/**
 * Activity where events are on other nodes than subscriptions (ADR 0069): the first read finds the traders whose events the viewer
 * receives, the second reads the events on their nodes.
 */
import { sql } from 'kysely'
import { entitledWindows } from '../billing/entitlements/entitled-events.ts'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import {
  type ActivityRow,
  type Bound,
  besideEvent,
  beyondOf,
  type Place,
  shownOfEvent,
} from './shown-events.ts'

/** A trader of whom the viewer sees events: which, and up to which they have read. */
type Received = {
  traderId: string
  username: string | null
  /** Numbers of events, a multirange as PostgreSQL writes it. */
  windows: string
  readEventNo: number
}

/** @param own with the viewer's own events, all of them */
const selectReceived = compiledQuery(
  (_db, { own, viewerId }: { viewerId: string; own: boolean }) => sql<Received>`
    select heard.trader_id as "traderId", account.username, heard.windows::text,
      coalesce(seen.event_no, 0) as "readEventNo"
    from (
      select trader_id, ${entitledWindows} as windows from subscriptions where subscriber_id = ${viewerId} group by trader_id
      union all select ${viewerId}::uuid, '{(,)}' where ${own}
    ) heard
    left join accounts account on account.user_id = heard.trader_id
    left join activity_reads seen on seen.user_id = ${viewerId} and seen.trader_id = heard.trader_id
    order by heard.trader_id`,
)

/** Traders' ids and what may be seen of them, in one order. */
type Windows = { traderIds: string[]; windows: string[] }

function windowsOf(received: readonly Received[]): Windows {
  return {
    traderIds: received.map(({ traderId }) => traderId),
    windows: received.map(({ windows }) => windows),
  }
}

/** @param ofTrader username in small letters; null for all */
type Page = Place & { viewerId: string; limit: number; ofTrader: string | null }

export async function findDistributedActivity(
  db: Queryable,
  bound: Bound,
  { ofTrader, viewerId, ...page }: Page,
): Promise<ActivityRow[]> {
  const received = (await selectReceived(db, { viewerId, own: true })).filter(
    ({ username }) => ofTrader === null || username?.toLowerCase() === ofTrader,
  )
  const rows = await selectPages[bound](db, { ...windowsOf(received), ...page })
  const by = new Map(received.map((trader) => [trader.traderId, trader]))
  return rows.map((row) => {
    const { readEventNo = 0, username = null } = by.get(row.traderId) ?? {}
    return { ...row, username, readEventNo }
  })
}

function pageOf(bound: Bound) {
  return compiledQuery(
    (_db, { at, eventNo, limit, traderId, traderIds, windows }: Windows & Place & { limit: number }) => sql<
      Omit<ActivityRow, 'username' | 'readEventNo'>
    >`
    select ${shownOfEvent}
    from position_events event
    join unnest(${traderIds}::uuid[], ${windows}::int8multirange[]) heard (trader_id, windows)
      on heard.trader_id = event.trader_id
    ${besideEvent}
    where event.trader_id = any(${traderIds}::uuid[]) and heard.windows @> event.event_no
      and ${beyondOf(bound, { at, traderId, eventNo })}
    order by event.created_at desc, event.trader_id desc, event.event_no desc limit ${limit}`,
  )
}

const selectPages = { none: pageOf('none'), after: pageOf('after'), from: pageOf('from') }

/** A trader of whom something is unread: how much, and the newest of it. */
export type UnreadOfTrader = { traderId: string; count: number; lastEventNo: number }

/** @param asked.traders the most of them; null for all */
export async function findDistributedUnread(
  db: Queryable,
  {
    ofTrader = null,
    traders,
    viewerId,
  }: { viewerId: string; traders: number | null; ofTrader?: string | null },
): Promise<UnreadOfTrader[]> {
  const received = (await selectReceived(db, { viewerId, own: false })).filter(
    ({ username }) => ofTrader === null || username?.toLowerCase() === ofTrader,
  )
  if (received.length === 0) return []
  const read = received.map(({ readEventNo }) => readEventNo)
  return selectUnread(db, { ...windowsOf(received), read, traders })
}

const selectUnread = compiledQuery(
  (_db, { read, traderIds, traders, windows }: Windows & { read: number[]; traders: number | null }) =>
    sql<UnreadOfTrader>`
    select event.trader_id as "traderId", count(*)::int as count, max(event.event_no) as "lastEventNo"
    from position_events event
    join unnest(${traderIds}::uuid[], ${windows}::int8multirange[], ${read}::bigint[]) heard (trader_id, windows, read)
      on heard.trader_id = event.trader_id
    where event.trader_id = any(${traderIds}::uuid[]) and heard.windows @> event.event_no and event.event_no > heard.read
    group by event.trader_id order by event.trader_id limit ${traders}`,
)
