import { ACTIVITY_UNREAD_MAX_COUNT } from '@tradepost/contract/limits'
import type { Span } from '../billing/entitlements/entitled-events.ts'
import { batchedLookup, type Queryable } from '../platform/database/queryable.ts'
import { isDistributed } from '../platform/distribution/distributed-tables.ts'
import type { Directory } from '../quotes/symbols/directory.ts'
import {
  type Received,
  selectLastWithin,
  selectPages,
  selectReceived,
  selectUnreadCounts,
} from './activity.queries.ts'
import { findDistributedActivity, findDistributedUnread } from './distributed-activity.queries.ts'
import { countNumbers, spansOf } from './event-spans.ts'
import { type FindKeptEvents, KEPT_COUNT, type KeptEvent, type View } from './kept-events.ts'
import { presentEvent, type ShownOfEvent } from './present-event.ts'
import type { Place } from './shown-events.ts'

export type ActivityDeps = {
  db: Queryable
  pipelined: Queryable
  directory: Directory
  findKeptEvents: FindKeptEvents
}

/** An event that somebody sees. */
export type Found = Place & {
  createdAt: Date
  shown: ShownOfEvent
  username: string | null
  /** Up to which of the trader's events they have read. */
  readEventNo: number
}

/** Viewers with more traders read from the database: the kept events of so many traders are more than the database reads. */
const KEPT_OF_TRADERS = 100

/** Viewers of one statement; it reads all traders of each. */
const VIEWERS_AT_ONCE = 16

/** A list of Activity that somebody asks for. */
export type Asked = {
  viewerId: string
  /** The trader whose events alone are meant, as a username in small letters; null for all. */
  trader: string | null
  /** As `findView` answers. */
  view: View | null
}

/** The items of a list, newest first. @param bound a place, and whether its own item is wanted too; null for the newest */
export async function findPage(
  { db, directory }: ActivityDeps,
  { trader, view, viewerId }: Asked,
  bound: { after: Place } | { from: Place } | null,
  limit: number,
): Promise<Found[]> {
  const place = bound === null ? null : 'after' in bound ? bound.after : bound.from
  const name = bound === null ? 'none' : 'after' in bound ? 'after' : 'from'
  const page = { viewerId, limit, ...(place ?? { at: '', traderId: '', eventNo: 0 }) }
  const ofTrader = trader === null ? null : (view?.received[0]?.traderId ?? null)
  if (view && trader !== null && ofTrader === null) return []
  const rows = view
    ? await selectPages[name](db, { ...page, ofTrader })
    : await findDistributedActivity(db, name, { ...page, ofTrader: trader })
  const names = await directory.now()
  return rows.map((row) => ({
    traderId: row.traderId,
    eventNo: row.eventNo,
    at: row.at,
    createdAt: row.createdAt,
    shown: presentEvent(row, names),
    username: row.username,
    readEventNo: row.readEventNo,
  }))
}

/** @param trader as of `Asked`. @returns null where subscriptions are on other nodes than events */
export async function findView(
  deps: ActivityDeps,
  viewerId: string,
  trader: string | null,
): Promise<View | null> {
  if (await isDistributed(deps.db)) return null
  const all = (await lookUpReceived(deps.pipelined, viewerId)) ?? []
  const received = all.filter(({ username }) => trader === null || username?.toLowerCase() === trader)
  return {
    received,
    kept: received.length > KEPT_OF_TRADERS ? new Map() : await deps.findKeptEvents(received),
  }
}

/** A viewer's newest events: from the kept events of each trader (ADR 0097), or from the database where those do not reach far enough. */
export async function findNewest(deps: ActivityDeps, asked: Asked, limit: number): Promise<Found[]> {
  const { view } = asked
  const newest = view && view.received.length <= KEPT_OF_TRADERS ? chooseNewest(view, limit) : null
  return newest ?? findPage(deps, asked, null, limit)
}

/** Traders of whom something is unread, with the last of it; one's own events are read. @param traders the most of them */
export async function findUnread(
  { db }: ActivityDeps,
  { trader: ofTrader, view, viewerId }: Asked,
  traders: number,
): Promise<{ traderId: string; eventNo: number }[]> {
  if (!view) {
    const unread = await findDistributedUnread(db, { viewerId, traders, ofTrader })
    return unread.map(({ lastEventNo, traderId }) => ({ traderId, eventNo: lastEventNo }))
  }
  const unread = view.received
    .filter(({ traderId }) => traderId !== viewerId)
    .map((trader) => ({ traderId: trader.traderId, spans: spansOf(trader, trader.readEventNo) }))
  const known = new Map(
    unread.flatMap(({ spans, traderId }) => {
      // The last number that there can be; none may have it where a restore has left room.
      const eventNo = (spans.at(-1)?.to ?? 0) - 1
      return view.kept.get(traderId)?.some((event) => event.eventNo === eventNo) ? [[traderId, eventNo]] : []
    }),
  )
  for (const { eventNo, traderId } of await findLast(
    db,
    unread.filter(({ traderId }) => !known.has(traderId)),
  ))
    known.set(traderId, eventNo)
  return [...known]
    .map(([traderId, eventNo]) => ({ traderId, eventNo }))
    .sort((one, other) => (one.traderId < other.traderId ? -1 : 1))
    .slice(0, traders)
}

async function findLast(
  db: Queryable,
  unread: { traderId: string; spans: Span[] }[],
): Promise<{ traderId: string; eventNo: number }[]> {
  const spans = unread.flatMap(({ spans, traderId }) => spans.map((span) => ({ ...span, traderId })))
  if (spans.length === 0) return []
  return selectLastWithin(db, {
    traderIds: spans.map(({ traderId }) => traderId),
    froms: spans.map(({ from }) => from),
    tos: spans.map(({ to }) => to),
  })
}

/** How many events somebody has not read, counted up to `ACTIVITY_UNREAD_MAX_COUNT`; one's own are read. */
export async function countUnreadOf(
  { db, pipelined }: { db: Queryable; pipelined: Queryable },
  viewerId: string,
): Promise<number> {
  if (!(await isDistributed(db))) return (await lookUpUnread(pipelined, viewerId)) ?? 0
  const unread = await findDistributedUnread(db, { viewerId, traders: null })
  return Math.min(
    unread.reduce((sum, { count }) => sum + count, 0),
    ACTIVITY_UNREAD_MAX_COUNT,
  )
}

const lookUpReceived = batchedLookup(async (db, viewerIds: string[]) => {
  const rows = await selectReceived(db, { viewerIds })
  return Map.groupBy(rows, ({ viewerId }) => viewerId)
}, VIEWERS_AT_ONCE)

/** Many feeds ask at once when one event reaches many pages. */
const lookUpUnread = batchedLookup(async (db, viewerIds: string[]) => {
  const rows = await selectUnreadCounts(db, { viewerIds, events: ACTIVITY_UNREAD_MAX_COUNT })
  return new Map(rows.map(({ unread, viewerId }) => [viewerId, unread]))
}, VIEWERS_AT_ONCE)

type Chosen = KeptEvent & { username: string | null; readEventNo: number }

/**
 * A viewer's newest events, of the kept events of each trader, in the order of Activity.
 * @returns null where an event that is not kept may be among them
 */
function chooseNewest({ received, kept }: View, limit: number): Chosen[] | null {
  let horizon: Place | null = null
  const lists: { trader: Received; events: KeptEvent[]; next: number }[] = []
  for (const trader of received) {
    const newest = kept.get(trader.traderId) ?? []
    const spans = spansOf(trader, 0)
    const events = newest.filter(({ eventNo }) =>
      spans.some(({ from, to }) => eventNo >= from && eventNo < to),
    )
    lists.push({ trader, events, next: 0 })
    const last = newest.at(-1)
    const isWhole = newest.length < KEPT_COUNT || countNumbers(spans) === events.length
    if (!isWhole && last && (!horizon || isNewer(last, horizon))) horizon = last
  }
  const chosen = mergeNewest(lists, limit)
  const end = chosen[limit - 1]
  // Events that are not kept are older than those that are.
  return !horizon || (end && !isNewer(horizon, end)) ? chosen : null
}

function mergeNewest(
  lists: { trader: Received; events: KeptEvent[]; next: number }[],
  limit: number,
): Chosen[] {
  const chosen: Chosen[] = []
  while (chosen.length < limit) {
    let best: KeptEvent | undefined
    let from: (typeof lists)[number] | undefined
    for (const list of lists) {
      const event = list.events[list.next]
      if (!event || (best && !isNewer(event, best))) continue
      best = event
      from = list
    }
    if (!best || !from) return chosen
    from.next += 1
    chosen.push({ ...best, username: from.trader.username, readEventNo: from.trader.readEventNo })
  }
  return chosen
}

/** Instants with microseconds, and ids, are in the order of their texts. */
function isNewer(one: Place, other: Place): boolean {
  if (one.at !== other.at) return one.at > other.at
  if (one.traderId !== other.traderId) return one.traderId > other.traderId
  return one.eventNo > other.eventNo
}
