import { formatGain, gainNumber } from '@tradepost/contract/gain'
import { DRAWDOWN_MIN_DAYS, TRACK_CLOSES_MAX_COUNT } from '@tradepost/contract/limits'
import {
  type TrackDay,
  type TrackMonth,
  type TrackRange,
  type TrackRecord,
  trackRecord,
} from '@tradepost/contract/track-record'
import { DAY_MS } from '@tradepost/contract/trading-day'
import Big from 'big.js'
import { findVersion, NEVER_RAISED } from '../../platform/cache/read-versions.queries.ts'
import { versionedCache } from '../../platform/cache/versioned-cache.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { ReadyAnswer } from '../../platform/http/ready-answer.ts'
import { countPublic, listPublicTimes } from '../../positions/record/public-times.ts'
import { requireTrader, type Viewer } from '../find-trader.ts'
import type { TradersDeps } from '../trader-profile.ts'
import {
  countClosedWithin,
  findAllIn,
  findLastComputedDay,
  findVersusIndex,
  listClosedWithin,
  listTrackDays,
  type Track,
  type TrackDayRow,
} from './track-record.queries.ts'

type CurveDeps = TradersDeps & { pipelined: Queryable }

/** Of a process, in bytes: eight hundred curves of a year. Their letters take a byte each. */
const MAX_KEPT_SIZE = 16_000_000
/** Of a process, in bytes. */
const MAX_KEPT_TIMES_SIZE = 2_000_000
const SIZE_OF_NUMBER = 8

/** Places kept of a level, so that rounding never shows. */
const LEVEL_DECIMALS = 12
const MONTHS: Readonly<Record<TrackRange, number | null>> = { '3m': 3, '1y': 12, all: null }

export type ReadTrackRecord = (
  caller: Viewer,
  username: string,
  asked: { range: TrackRange; now: Date },
) => Promise<ReadyAnswer>

/**
 * Traders' curves of equal stakes beside the index, and what they are made of, up to the last session that is computed. Open positions
 * within their plan are part of one for the trader and for those who follow them alone: a curve that counted one for everybody would reveal
 * its ticker by a comparison with the market's prices (ADR 0054). A curve is kept for the trader's last event and the version of days;
 * which of the two it is, and how many positions are public, is part of its key (ADR 0101).
 * @returns answers a caller who names a trader. @throws `user_not_found`
 */
export function makeTrackRecord(deps: CurveDeps): ReadTrackRecord {
  const findCurve = versionedCache<ReadyAnswer>({ maxSize: MAX_KEPT_SIZE, sizeOf: ({ json }) => json.length })
  const findTimes = keepPublicTimes()
  const { indexSymbol } = deps.settings
  return async (caller, username, { now, range }) => {
    const [trader, days = NEVER_RAISED] = await Promise.all([
      requireTrader(deps, caller, username),
      findVersion(deps.pipelined, 'days'),
    ])
    const { lastEventNo, relationship, traderId } = trader
    const withOpen = relationship.isSelf || relationship.isSubscribed
    const seen = new Map([[traderId, lastEventNo]])
    const read: ReadPublished = (from) => deps.others.read(seen, from, new Map([['days', days]]))
    const isPublic = withOpen
      ? 'all'
      : countPublic(await findTimes({ traderId, lastEventNo, days }, read), now)
    const key = [traderId, indexSymbol, range, isPublic, days].join(' ')
    const found = await findCurve(new Map([[key, lastEventNo]]), async () => {
      const asked = { traderId, indexSymbol, withOpen, range, now }
      return new Map([[key, write(await read((from) => readCurve(from, asked)))]])
    })
    return found.get(key) ?? unanswered()
  }
}

type ReadPublished = <Found>(read: (db: Queryable) => Promise<Found>) => Promise<Found>
type TraderAt = { traderId: string; lastEventNo: number; days: string }

/** Keeps when open positions of traders become public. */
function keepPublicTimes(): (trader: TraderAt, read: ReadPublished) => Promise<readonly number[]> {
  const findKept = versionedCache<number[]>({
    maxSize: MAX_KEPT_TIMES_SIZE,
    sizeOf: (times) => SIZE_OF_NUMBER * times.length,
  })
  return async ({ days, lastEventNo, traderId }, read) => {
    const key = `${traderId} ${days}`
    const found = await findKept(new Map([[key, lastEventNo]]), async () => {
      const times = await read((from) => listPublicTimes(from, [traderId]))
      return new Map([[key, [...(times.get(traderId) ?? [])]]])
    })
    return found.get(key) ?? []
  }
}

/** With nothing that the contract does not name. */
function write(curve: TrackRecord): ReadyAnswer {
  return new ReadyAnswer(JSON.stringify(trackRecord.parse(curve)))
}

function unanswered(): never {
  throw new Error('a curve that was asked for is not answered')
}

type Asked = Omit<Track, 'asOf'> & { range: TrackRange; now: Date }

async function readCurve(
  db: Queryable,
  { indexSymbol, now, range, traderId, withOpen }: Asked,
): Promise<TrackRecord> {
  const asOf = await findLastComputedDay(db)
  if (asOf === null) return { ...NOTHING, indexSymbol, withOpen }
  const track = { traderId, indexSymbol, asOf, withOpen }
  const from = firstDayOf(range, asOf)
  const whole = await listTrackDays(db, track, null)
  const rows = rowsFrom(whole, from)
  const levels = compound(rows)
  const allIn = await findAllIn(db, track, now)
  const versusIndex = await findVersusIndex(db, track)
  return {
    asOf,
    indexSymbol,
    withOpen,
    days: levels.map(({ day, level, index }) => ({ day, level: percentOf(level), index: percentOf(index) })),
    months: monthsOf(whole),
    drawdown: deepestFall(rows, levels),
    allIn: allIn.mean === null ? null : { ...allIn, mean: gainNumber(allIn.mean) },
    versusIndex: versusIndex.mean === null ? null : { ...versusIndex, mean: gainNumber(versusIndex.mean) },
    ...(await readCloses(db, track, { from, first: levels[0]?.day ?? asOf })),
  }
}

const NOTHING = {
  asOf: null,
  days: [],
  months: [],
  closedBefore: 0,
  drawdown: null,
  allIn: null,
  versusIndex: null,
  closes: [],
  moreCloses: 0,
}

/** @returns the day after that so many months before, as `2026-08-21`; null for all */
function firstDayOf(range: TrackRange, asOf: string): string | null {
  const months = MONTHS[range]
  if (months === null) return null
  const [year = 0, month = 1, day = 1] = asOf.split('-').map(Number)
  const lastOfMonth = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  const before = Date.UTC(year, month - 1 - months, Math.min(day, lastOfMonth) + 1)
  return new Date(before).toISOString().slice(0, 10)
}

type Level = { day: string; level: Big; index: Big }

/** The worth of one stake at the end of each day; the first level is where it starts. */
function compound(rows: readonly TrackDayRow[]): Level[] {
  const start = rows[0]?.index ?? 1
  let level = new Big(1)
  return rows.map(({ day, index, return: ofDay }, nth) => {
    if (nth > 0 && ofDay !== null)
      level = level.times(new Big(ofDay).div(100).plus(1)).round(LEVEL_DECIMALS, Big.roundHalfUp)
    return { day, level, index: new Big(index).div(start) }
  })
}

/** From the session before the first day of the range with a position on; none where no day of it has one. @param from null for all */
function rowsFrom(whole: readonly TrackDayRow[], from: string | null): readonly TrackDayRow[] {
  if (from === null) return whole
  const first = whole.findIndex((row) => row.return !== null && row.day >= from)
  return first < 0 ? [] : whole.slice(Math.max(0, first - 1))
}

/** Each month against the end of the one before; the first row is where the first month starts. */
function monthsOf(rows: readonly TrackDayRow[]): TrackMonth[] {
  const levels = compound(rows)
  const months: TrackMonth[] = []
  let start = levels[0]
  for (const [nth, at] of levels.entries()) {
    const month = at.day.slice(0, 7)
    if (nth === 0 || start === undefined || levels[nth + 1]?.day.startsWith(month)) continue
    const held = rows.some((row, of) => of > 0 && row.return !== null && row.day.startsWith(month))
    months.push({
      month,
      level: held ? percentOf(at.level.div(start.level)) : null,
      index: percentOf(at.index.div(start.index)),
    })
    start = at
  }
  return months
}

function percentOf(level: Big): TrackDay['level'] {
  return Number(formatGain(level.minus(1).times(100).toFixed()))
}

/** How far the curve fell at most below its highest level until then. Null where too few days had positions. */
function deepestFall(rows: readonly TrackDayRow[], levels: readonly Level[]): TrackRecord['drawdown'] {
  if (rows.filter((row) => row.return !== null).length < DRAWDOWN_MIN_DAYS) return null
  let peak = levels[0]
  let deepest = { left: new Big(1), from: peak?.day ?? '', to: peak?.day ?? '' }
  for (const at of levels) {
    if (peak === undefined || at.level.gte(peak.level)) peak = at
    const left = at.level.div(peak.level)
    if (left.lt(deepest.left)) deepest = { left, from: peak.day, to: at.day }
  }
  return { fall: percentOf(deepest.left), from: deepest.from, to: deepest.to }
}

/**
 * The positions that were closed on the days of the curve, the latest ones where there are too many, and how many were closed
 * before.
 * @param days.from first day of the range; null for all
 * @param days.first the day where the curve starts: a close on it counts as one from before
 */
async function readCloses(
  db: Queryable,
  { traderId, asOf }: Track,
  { from, first }: { from: string | null; first: string },
): Promise<Pick<TrackRecord, 'closedBefore' | 'closes' | 'moreCloses'>> {
  const rows = await listClosedWithin(db, traderId, {
    after: first,
    until: asOf,
    limit: TRACK_CLOSES_MAX_COUNT,
  })
  const within = await countClosedWithin(db, traderId, { from: dayAfter(first), until: asOf })
  return {
    closedBefore: await countClosedWithin(db, traderId, { from, until: first }),
    closes: rows.reverse().map(({ symbol, openedAt, closedAt, gain }) => ({
      symbol,
      opened: openedAt.toISOString(),
      closed: closedAt.toISOString(),
      gain: gainNumber(gain),
    })),
    moreCloses: within - rows.length,
  }
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
}
