import { gainNumber } from '@tradepost/contract/gain'
import { PLANS_MIN_ENDED_COUNT, WINS_MIN_CLOSED_COUNT } from '@tradepost/contract/limits'
import type { TraderProfile, TraderRecord } from '@tradepost/contract/traders'
import { findLastEvents } from '../../events/events.queries.ts'
import { versionedCache } from '../../platform/cache/versioned-cache.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../../platform/distribution/replica.ts'
import type { Settings } from '../../platform/settings.ts'
import { publicAtOf } from '../../positions/record/public-at.ts'
import { presentStrike, settledOf } from '../../positions/record/shown-position.ts'
import type { Directory } from '../../quotes/symbols/directory.ts'
import { type OpenPosition, readPastPlan } from '../past-plan.ts'
import type { TraderRow } from '../traders.queries.ts'
import { findListed, type ListedRow } from './record.queries.ts'

/** Of a process, in bytes: the figures of three thousand traders. */
const MAX_KEPT_SIZE = 8_000_000
/** Of what is kept, in bytes, nearly. */
const SIZES = { record: 600, open: 150, latest: 200 }

type Latest = TraderProfile['latestPositions']
/** A trader's record, and the positions that everybody sees, which are read with it. */
type TraderFigures = {
  record: TraderRecord
  latest: Latest
  /** When each open position was opened, oldest first, and nothing else of it: ms since 1970. */
  openedAt: number[]
} & Awaited<ReturnType<typeof readPastPlan>>

/** The figures that are read from a trader's positions, at one of their events; but for the names of companies. */
type Listed = Pick<TraderRecord, 'median' | 'best' | 'worst' | 'medianDaysHeld'> & {
  /** The open positions and those closed unsettled; the one that becomes public last comes first. */
  open: (OpenPosition & { unsettled: boolean })[]
  latest: Latest
  /** Of each of the latest, when its ticker was last its company's. */
  namedAt: Date[]
}

type Deps = {
  db: Queryable
  pipelined: Queryable
  others: ReadsOfOthers
  directory: Directory
  settings: Pick<Settings, 'priceRights'>
}
export type FindRecord = (
  trader: TraderRow,
  now: Date,
  options?: { asItIs: boolean },
) => Promise<TraderFigures | null>

/**
 * The figures over a trader's closed positions (ADR 0052). Of active ones those that are past their plan count, as plans that are not kept,
 * and are shown (rule G-16). The figures from the positions are kept for the trader's last event (ADR 0070).
 * @returns answers a trader, with the counts that were read of them; null where an event has come since, so that counts and positions
 *   may not agree: then both are to be read again, or with `asItIs` given as they are
 */
export function makeTraderRecord(deps: Deps): FindRecord {
  const findKept = versionedCache<Listed>({ maxSize: MAX_KEPT_SIZE, sizeOf })
  return async (trader, now, { asItIs } = { asItIs: false }) => {
    // Where the middle is depends on the count, which an operator's recount corrects without an event.
    // A list of symbols that says whose a ticker is now changes positions without an event.
    const directory = await deps.directory.now()
    const key = `${trader.traderId} ${trader.settledCount} ${directory.version}`
    const kept = await findKept(new Map([[key, trader.lastEventNo]]), async () => {
      const { listed, settled } = await readListed(deps, trader)
      return new Map(settled ? [[key, listed]] : [])
    })
    const listed = kept.get(key) ?? (asItIs ? (await readListed(deps, trader)).listed : null)
    if (!listed) return null
    const latest = listed.latest.map((closed, nth) => {
      const companyName = directory.nameOf(closed.symbol, listed.namedAt[nth] ?? null)
      return { ...closed, ...(companyName !== undefined && { companyName }) }
    })
    const open = listed.open.filter(({ unsettled }) => !unsettled)
    const { priceRights: rights } = deps.settings
    const pastPlan = await readPastPlan({ db: deps.db, directory, rights }, open, now)
    const openedAt = open.map((position) => position.openedAt).sort((one, other) => one - other)
    return { record: presentRecord(trader, listed, now), latest, openedAt, ...pastPlan }
  }
}

/** `settled`: no event of the trader's was committed meanwhile, so that what is listed is what was counted. */
async function readListed(
  { others, pipelined }: Deps,
  { lastEventNo, settledCount, traderId }: TraderRow,
): Promise<{ listed: Listed; settled: boolean }> {
  const row = await others.read(new Map([[traderId, lastEventNo]]), (from) =>
    findListed(from, { traderId, settled: settledCount }),
  )
  const since = (await findLastEvents(pipelined, [traderId])).get(traderId) ?? 0
  const latest = row.latest.map(
    ({ symbol, openedAt, closedAt, percentageGain, struckReason, unsettled }) => ({
      symbol,
      opened: new Date(openedAt).toISOString(),
      closed: new Date(closedAt).toISOString(),
      percentageGain: gainNumber(percentageGain),
      settled: settledOf({ unsettled }),
      ...presentStrike(struckReason),
    }),
  )
  const listed = {
    median: gainOrNull(row.median),
    best: gainOrNull(row.best),
    worst: gainOrNull(row.worst),
    medianDaysHeld: row.medianDaysHeld === null ? null : Number(row.medianDaysHeld),
    open: openOf(row),
    latest,
    namedAt: row.latest.map(({ closedAt, tickerLostOn }) => new Date(tickerLostOn ?? closedAt)),
  }
  return { listed, settled: since === lastEventNo }
}

/** At one instant, by the opening; so the order is the same whenever it is read. */
function openOf({ open }: ListedRow): Listed['open'] {
  return open
    .map(({ holdLength, openedAt, openPrice, publicAt, symbol, tickerLostOn, unsettled }) => {
      const opened = new Date(openedAt)
      const stored = publicAt === null ? null : new Date(publicAt)
      return {
        symbol,
        openPrice,
        openedAt: opened.getTime(),
        publicAt: publicAtOf({ openedAt: opened, holdLength, publicAt: stored }).getTime(),
        tickerLostOn: tickerLostOn === null ? null : Date.parse(tickerLostOn),
        unsettled,
      }
    })
    .sort(
      (one, other) =>
        other.publicAt - one.publicAt ||
        other.openedAt - one.openedAt ||
        (one.symbol < other.symbol ? -1 : 1),
    )
}

function sizeOf({ open, latest }: Listed): number {
  return SIZES.record + open.length * SIZES.open + latest.length * SIZES.latest
}

function countOverdue({ open }: Listed, now: Date): number {
  return open.filter(({ publicAt }) => publicAt <= now.getTime()).length
}

function presentRecord(trader: TraderRow, listed: Listed, now: Date): TraderRecord {
  const { median, best, worst, medianDaysHeld } = listed
  const closed = trader.settledCount
  const ended = closed + countOverdue(listed, now)
  return {
    closed,
    wins: closed < WINS_MIN_CLOSED_COUNT ? null : { count: trader.winCount, of: closed },
    average: gainOrNull(trader.averageGain),
    median,
    best,
    worst,
    medianDaysHeld,
    plansKept: ended < PLANS_MIN_ENDED_COUNT ? null : { count: trader.keptCount, of: ended },
  }
}

function gainOrNull(gain: string | null): number | null {
  return gain === null ? null : gainNumber(gain)
}
