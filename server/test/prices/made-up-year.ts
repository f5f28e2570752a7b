/** Writes a made-up year into the database and has the product count its days. */
import { HOLD_SESSIONS } from '@tradepost/contract/kept-plan'
import { listSessions } from '../../src/proven/days.queries.ts'
import type { DaySums } from '../../src/proven/score.ts'
import { sumDays } from '../../src/proven/scores.queries.ts'
import type { TestApp } from '../build-test-app.ts'
import {
  type GivenClose,
  type GivenPosition,
  insertCloses,
  insertPositions,
  scoreAt,
} from './proven-scenario.ts'
import {
  type End,
  type MadeUpPosition,
  type MadeUpTrader,
  type Market,
  SESSIONS,
} from './trader-population.ts'

const DAY_MS = 86_400_000
/** A Monday. */
const FIRST = Date.parse('2025-01-06')
const ROWS_AT_ONCE = 20_000
/** UTC; none of them is on another side of the bell in summer. */
const NOON = '17:00'
const END_AT: Readonly<Record<End, string>> = { noon: NOON, bell: '19:55', settled: '22:00' }

/** Of a number of a session, as `2025-01-06`. */
function dayOf(session: number): string {
  const weeks = Math.floor(session / 5)
  return new Date(FIRST + (7 * weeks + (session % 5)) * DAY_MS).toISOString().slice(0, 10)
}

/**
 * Counts a year by the product's own night, whatever the database has of another year.
 * @param traders with the ids that they have in the database
 * @returns what the days of each add up to; none for those without a day that everybody may know of
 */
export async function countYear(
  testApp: TestApp,
  market: Market,
  traders: ReadonlyMap<string, MadeUpTrader>,
): Promise<DaySums[]> {
  const { db, pool } = testApp
  await pool.query(
    `truncate positions, position_events, symbol_days, trader_days, trader_scores, score_runs, day_runs, day_steps, trader_sparklines cascade`,
  )
  await pool.query(
    'update trader_stats set open_count = 0, closed_count = 0, unsettled_count = 0, gain_sum = 0',
  )
  const given = [...traders].flatMap(([traderId, { positions }]) =>
    positions.map((position) => giveTo(traderId, position)),
  )
  const closes = closesOf(market)
  for (let at = 0; at < closes.length; at += ROWS_AT_ONCE)
    await insertCloses(testApp, closes.slice(at, at + ROWS_AT_ONCE))
  await insertPositions(testApp, given)
  await pool.query('analyze positions, symbol_days')
  const night = new Date(Date.parse(dayOf(SESSIONS)) + DAY_MS + 5 * 3_600_000)
  await scoreAt(testApp, night.toISOString())
  return sumDays(db, [...traders.keys()], {
    sessions: await listSessions(db, { indexSymbol: 'SPY', before: dayOf(SESSIONS + 1) }),
    holdSessions: HOLD_SESSIONS,
    now: night,
  })
}

function closesOf({ paths, returns }: Market): GivenClose[] {
  let index = 100
  const ofIndex = returns.map((share, session): GivenClose => {
    index *= session === 0 ? 1 : 1 + share
    return ['SPY', dayOf(session), price(index)]
  })
  const ofShares = paths.flatMap(({ closes, from, symbol }) =>
    closes.map((close, nth): GivenClose => [symbol, dayOf(from + nth), price(close)]),
  )
  return [...ofIndex, ...ofShares]
}

function giveTo(
  traderId: string,
  { end, holdLength, openPrice, openedOn, symbol }: MadeUpPosition,
): GivenPosition {
  return {
    traderId,
    symbol,
    holdLength,
    openedAt: `${dayOf(openedOn)}T${NOON}:00Z`,
    openPrice: price(openPrice),
    ...(end && { closedAt: `${dayOf(end.on)}T${END_AT[end.how]}:00Z`, closePrice: price(end.price) }),
    ...(end?.how === 'settled' && { settledAt: `${dayOf(end.on + 1)}T14:31:00Z` }),
  }
}

function price(value: number): number {
  return Math.max(0.000_001, Number(value.toFixed(6)))
}

/** Percent of the positions that are closed, as an average gain counts them; null without one. */
export function averageGain({ positions }: MadeUpTrader): number | null {
  const gains = positions.flatMap(({ end, openPrice }) => (end ? [100 * (end.price / openPrice - 1)] : []))
  return gains.length === 0 ? null : gains.reduce((sum, gain) => sum + gain, 0) / gains.length
}
