import { FOLLOWING_RECENT_DAYS, type FollowingResults } from '@tradepost/contract/following'
import { ofMonth } from '@tradepost/contract/price-parts'
import { notedPricesUntil } from '@tradepost/contract/price-rights'
import { DAY_MS } from '@tradepost/contract/trading-day'
import { readWindows, type Span } from '../billing/entitlements/entitled-events.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Settings } from '../platform/settings.ts'
import {
  type Counted,
  countClose,
  dayOf,
  firstHeldIn,
  needsLastClose,
  startOf,
  summarise,
} from './count-results.ts'
import {
  type Followed,
  findIndexCloses,
  type LastClose,
  listFollowed,
  listLastCloses,
  listToldCloses,
  type ToldClose,
  type Windows,
} from './following.queries.ts'
import { isRenewalMailOn } from './renewal-mails.queries.ts'

export type FollowingDeps = { db: Queryable; settings: Pick<Settings, 'indexSymbol' | 'priceRights'> }

/** All subscriptions of one pair, and what they have given access to, in order. */
type OfTrader = {
  traderId: string
  username: string
  since: Date
  follows: boolean
  open: number
  windows: Span[]
  /** When each subscription began. */
  begun: { windows: Span[]; startedAt: Date }[]
}

/**
 * The results of following for somebody (rule G-110), from the positions of every trader whom they follow or have followed.
 * A close waits, as an unsettled one does, where it would count from a price that may not be told yet (rule G-130).
 * @param now closes of the days before it are recent
 */
export async function readResults(
  { db, settings }: FollowingDeps,
  subscriberId: string,
  now: Date,
): Promise<FollowingResults> {
  const followed = await listFollowed(db, subscriberId)
  const traders = byTrader(followed)
  const shownUntil = notedPricesUntil(settings.priceRights, now)
  const closes = await readCloses(db, subscriberId, traders, shownUntil)
  const counted = await countAll(db, { indexSymbol: settings.indexSymbol, shownUntil }, traders, closes)
  const openOf = (trader: OfTrader) => countOpen(trader, closes)
  const all = [...counted.values()].flat()
  const recentFrom = now.getTime() - FOLLOWING_RECENT_DAYS * DAY_MS
  return {
    indexSymbol: settings.indexSymbol,
    following: traders.filter(({ follows }) => follows).length,
    ...summarise(all),
    open: traders.reduce((sum, trader) => sum + openOf(trader), 0),
    fromClose: all.filter(({ isFromClose }) => isFromClose).length,
    recent: summarise(all.filter(({ closedAt }) => closedAt.getTime() >= recentFrom)),
    costs: sumCosts(followed),
    traders: traders.map((trader) => ({
      username: trader.username,
      since: trader.since.toISOString(),
      ...summarise(counted.get(trader.traderId) ?? []),
      open: openOf(trader),
    })),
    renewalMail: await isRenewalMailOn(db, subscriberId),
  }
}

function byTrader(followed: readonly Followed[]): OfTrader[] {
  const pairs = Map.groupBy(followed, ({ traderId }) => traderId)
  const traders = [...pairs].map(([traderId, rows]) => {
    const begun = rows.map(({ startedAt, windows }) => ({ startedAt, windows: readWindows(windows) }))
    return {
      traderId,
      username: rows[0]?.username ?? '',
      since: rows[0]?.startedAt ?? new Date(0),
      follows: rows.some(({ entitled }) => entitled),
      open: rows[0]?.open ?? 0,
      windows: begun.flatMap(({ windows }) => windows).toSorted((one, other) => one.from - other.from),
      begun,
    }
  })
  return traders.toSorted((one, other) =>
    one.username.toLowerCase() < other.username.toLowerCase() ? -1 : 1,
  )
}

/** `waits`: its price, or that of when following began, may not be told yet: it counts once it may. */
type Close = ToldClose & { waits: boolean }

async function readCloses(
  db: Queryable,
  subscriberId: string,
  traders: readonly OfTrader[],
  shownUntil: Date | null,
): Promise<ReadonlyMap<string, Close[]>> {
  const windows: Windows = { traderIds: [], firsts: [], beyonds: [] }
  for (const { traderId, windows: spans } of traders)
    for (const { from, to } of spans) {
      windows.traderIds.push(traderId)
      windows.firsts.push(from)
      windows.beyonds.push(Number.isFinite(to) ? to : null)
    }
  if (windows.traderIds.length === 0) return new Map()
  const told = await listToldCloses(db, subscriberId, windows)
  const isHeldBack = ({ noted }: ToldClose) =>
    shownUntil !== null && noted?.price != null && new Date(noted.at) > shownUntil
  const closes = told.map((close) => ({ ...close, waits: close.unsettled || isHeldBack(close) }))
  return Map.groupBy(closes, ({ traderId }) => traderId)
}

const isCounted = ({ waits }: Close) => !waits

async function countAll(
  db: Queryable,
  { indexSymbol, shownUntil }: { indexSymbol: string; shownUntil: Date | null },
  traders: readonly OfTrader[],
  closes: ReadonlyMap<string, Close[]>,
): Promise<ReadonlyMap<string, Counted[]>> {
  const lastCloses = await readLastCloses(db, traders, closes)
  const started = traders.flatMap(({ traderId, windows }) =>
    (closes.get(traderId) ?? [])
      .filter(isCounted)
      .map((close) => ({ close, start: startOf(close, windows, lastCloses.get(close.id)) })),
  )
  const days = new Set(started.flatMap(({ close, start }) => [start.day, dayOf(close.closedAt)]))
  const indexAt = await findIndexCloses(db, indexSymbol, [...days], shownUntil)
  const counted = Map.groupBy(started, ({ close }) => close.traderId)
  return new Map(
    [...counted].map(([traderId, of]) => [
      traderId,
      of.map(({ close, start }) => countClose(close, start, indexAt)),
    ]),
  )
}

/** By position. */
async function readLastCloses(
  db: Queryable,
  traders: readonly OfTrader[],
  closes: ReadonlyMap<string, Close[]>,
): Promise<ReadonlyMap<string, LastClose>> {
  const asked = traders.flatMap((trader) =>
    (closes.get(trader.traderId) ?? [])
      .filter((close) => isCounted(close) && needsLastClose(close, trader.windows))
      .map((close) => ({ close, ...beginningOf(close, trader) })),
  )
  if (asked.length === 0) return new Map()
  const rows = await listLastCloses(db, {
    traderIds: asked.map(({ close }) => close.traderId),
    ids: asked.map(({ close }) => close.id),
    instants: asked.map(({ instant }) => instant),
    eventNos: asked.map(({ eventNo }) => eventNo),
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** When somebody began to follow the trader of a position that was open then: not before the subscription, nor before the last event until then. */
function beginningOf(close: Close, { begun, since, windows }: OfTrader): { instant: Date; eventNo: number } {
  const first = firstHeldIn(close, windows)?.from ?? 0
  const subscription = begun.find((one) => one.windows.some(({ from }) => from === first))
  const instant = close.noted ? new Date(close.noted.at) : (subscription?.startedAt ?? since)
  return { instant, eventNo: first - 1 }
}

/** Of a trader who is followed now all that is open, and closes that wait for their price. */
function countOpen({ follows, open, traderId }: OfTrader, closes: ReadonlyMap<string, Close[]>): number {
  const waiting = (closes.get(traderId) ?? []).filter((close) => !isCounted(close)).length
  return waiting + (follows ? open : 0)
}

function sumCosts(followed: readonly Followed[]): FollowingResults['costs'] {
  const renewing = Map.groupBy(
    followed.filter(({ renews }) => renews),
    ({ currency }) => currency,
  )
  return [...renewing].map(([currency, of]) => ({
    currency,
    cents: of.reduce((sum, { interval, priceCents }) => sum + ofMonth(priceCents, interval), 0),
    ...(of.some(({ interval }) => interval === 'year') && { ofYears: true as const }),
  }))
}
