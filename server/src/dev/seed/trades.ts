import { HOLD_LENGTHS, HOLD_MAX_DAYS, type HoldLength } from '@tradepost/contract/hold-length'
import type { Random } from './random.ts'
import type { SeedMarket } from './seed-market.ts'

/** The symbols that the demo world trades; all are known to the sandbox's market. */
export const SYMBOLS = [
  'AAPL',
  'MSFT',
  'NVDA',
  'AMZN',
  'GOOGL',
  'META',
  'TSLA',
  'AMD',
  'NFLX',
  'JPM',
  'V',
  'COST',
  'KO',
  'DIS',
  'NKE',
  'INTC',
  'BA',
  'XOM',
  'PFE',
  'UBER',
]

/** A position without its notes. */
export type Trade = {
  symbol: string
  holdLength: HoldLength
  openedAt: Date
  /** US dollars, as the market was. */
  openPrice: number
  close: { at: Date; price: number; unsettled: boolean } | null
}

/** How somebody trades. */
export type Habit = {
  /** Percent that a position of theirs gains in the mean, held for three weeks. */
  edge: number
  /** Days since the first position. */
  days: number
  /** Holds for one to three weeks. */
  patient?: boolean
  /** Holds one position past its plan. */
  overdue?: boolean
  /** Closed one in a stock that is not traded any more. */
  halted?: boolean
}

const DAY_MS = 86_400_000
/** Percent by which a position of three weeks differs from the mean. */
const SPREAD = 5
/** Eight quantiles of the normal distribution with their mean at zero: what a trader draws adds up to the edge. */
const QUANTILES = [-1.65, -0.95, -0.55, -0.15, 0.15, 0.55, 0.95, 1.65]
const USUAL_DAYS = 15
const MOST_OPEN = 5
/** Share of closes that come after the plan. */
const LATE = 0.1

/**
 * The trades of one person up to now, first opening first. Each draws what it gains, and takes the share whose prices come closest to
 * that: so a record is what its trader's edge makes it, at prices of the market.
 */
export function makeTrades(random: Random, habit: Habit, now: Date, market: SeedMarket): Trade[] {
  const trades: Trade[] = []
  const luck = dealer(random)
  let day = habit.days
  while (day > 1) {
    const holdDays = habit.patient ? random.between(8, 18) : drawHold(random)
    const openedAt = marketInstant(random, now, day)
    const closedAt = marketInstant(random, now, day - holdDays)
    const closes = day - holdDays > 0 && closedAt.getTime() - openedAt.getTime() > DAY_MS
    const until = closes ? closedAt : now
    const held = (until.getTime() - openedAt.getTime()) / DAY_MS
    const wanted = (habit.edge + SPREAD * luck()) * Math.min(1.5, Math.max(0.4, Math.sqrt(held / USUAL_DAYS)))
    const symbol = chooseSymbol(freeSymbols(trades, openedAt), { openedAt, until, wanted }, market)
    const openCount = trades.filter(({ close }) => close === null).length
    if (symbol !== null && (closes || openCount < MOST_OPEN))
      trades.push({
        symbol,
        holdLength: declaredHold(random, held, closes),
        openedAt,
        openPrice: market.priceAt(symbol, openedAt),
        close: closes ? { at: closedAt, price: market.priceAt(symbol, closedAt), unsettled: false } : null,
      })
    day -= random.between(2, 8)
  }
  if (habit.overdue) holdTooLong(trades, now)
  if (habit.halted) trades.push(makeHalted(random, now))
  return trades
}

/** @returns deals the quantiles in blocks, each in an order of its own */
function dealer(random: Random): () => number {
  let left: number[] = []
  return () => {
    if (left.length === 0) left = [...QUANTILES]
    return left.splice(random.between(0, left.length - 1), 1)[0] ?? 0
  }
}

function drawHold(random: Random): number {
  const kind = random.next()
  if (kind < 0.4) return random.between(2, 6)
  return kind < 0.8 ? random.between(8, 20) : random.between(24, 60)
}

/** A trader has one position at a time in a share, and none on the day of its close. */
function freeSymbols(trades: readonly Trade[], openedAt: Date): string[] {
  const held = trades.filter(
    ({ close }) => close === null || close.at.getTime() > openedAt.getTime() - DAY_MS,
  )
  const symbols = new Set(held.map(({ symbol }) => symbol))
  return SYMBOLS.filter((symbol) => !symbols.has(symbol))
}

type Wanted = { openedAt: Date; until: Date; wanted: number }

function chooseSymbol(
  symbols: readonly string[],
  { openedAt, until, wanted }: Wanted,
  market: SeedMarket,
): string | null {
  const missOf = (symbol: string) =>
    Math.abs(100 * (market.priceAt(symbol, until) / market.priceAt(symbol, openedAt) - 1) - wanted)
  const misses = symbols.map((symbol) => ({ symbol, miss: missOf(symbol) }))
  return misses.toSorted((one, other) => one.miss - other.miss)[0]?.symbol ?? null
}

/** The shortest plan that the hold keeps; for a part of the closes the one before it. An open position is within its plan. */
function declaredHold(random: Random, days: number, closes: boolean): HoldLength {
  const kept = HOLD_LENGTHS.findIndex((length) => days + (closes ? 0 : 3) < HOLD_MAX_DAYS[length])
  const isLate = closes && random.next() < LATE
  return HOLD_LENGTHS[Math.max(0, isLate ? kept - 1 : kept)] ?? 'one_to_three_months'
}

/** Declares less than a week for the oldest open position that is older than that. */
function holdTooLong(trades: Trade[], now: Date): void {
  const past = (HOLD_MAX_DAYS.less_than_one_week + 2) * DAY_MS
  const old = trades.find(
    ({ close, openedAt }) => close === null && now.getTime() - openedAt.getTime() > past,
  )
  if (old) old.holdLength = 'less_than_one_week'
}

/** A share that was bought out and is halted, unknown to the sandbox's market: its close has no price of a trade yet (ADR 0076). */
const BOUGHT_OUT = { symbol: 'EA', openPrice: 203.4, lastPrice: 209.85, openedDays: 41, closedDays: 3 }

function makeHalted(random: Random, now: Date): Trade {
  const { closedDays, lastPrice: price, openPrice, openedDays, symbol } = BOUGHT_OUT
  return {
    symbol,
    holdLength: 'one_to_three_months',
    openedAt: marketInstant(random, now, openedDays),
    openPrice,
    close: { at: marketInstant(random, now, closedDays), price, unsettled: true },
  }
}

/** An instant in market hours, `daysAgo` days back or on the next weekday before that. */
function marketInstant(random: Random, now: Date, daysAgo: number): Date {
  const at = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - Math.max(daysAgo, 1) * DAY_MS)
  while (at.getUTCDay() === 0 || at.getUTCDay() === 6) at.setTime(at.getTime() - DAY_MS)
  at.setUTCMinutes(14 * 60 + 30 + random.between(0, 389), random.between(0, 59), random.between(0, 999))
  return at
}
