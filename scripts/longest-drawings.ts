/** The longest content that the server draws into documents, so that their size is judged at its worst (scripts/check-bundle.ts). */
import type { LandingBoard } from '../contract/src/landing-board.ts'
import {
  BOARD_TRADERS_COUNT,
  LATEST_POSITIONS_COUNT,
  PAST_PLAN_MAX_COUNT,
  USERNAME_MAX_LENGTH,
} from '../contract/src/limits.ts'
import type { PublicRecord } from '../contract/src/public-record.ts'
import { DAY_MS } from '../contract/src/trading-day.ts'

/** As long as a board gets: every name as long as it may be, every curve with each of its levels another one. */
export const LONGEST_BOARD: LandingBoard = {
  traders: Array.from({ length: BOARD_TRADERS_COUNT }, (_, nth) => ({
    username: `${nth}`.padEnd(USERNAME_MAX_LENGTH, 'abcdefghijklmnopqrstuvwxyz'),
    averageGain: `${1234.56 / (nth + 1)}`,
    closed: 1234 - nth,
    wins: 567,
    sparkline: Array.from({ length: 31 }, (_, at) => 100 + at * Math.sin(at * (nth + 1))),
  })),
  closed: 1_234_567,
  ranked: 12_345,
  halfSeconds: '1.2',
}

/** As long as a public page gets: a year of sessions, every list as long as it may be. */
export const LONGEST_RECORD: PublicRecord = {
  username: 'a'.padEnd(USERNAME_MAX_LENGTH, 'bcdefghijklmnop'),
  since: '2025-11-20',
  record: {
    closed: 1234,
    average: 5.69,
    wins: { count: 819, of: 1234 },
    median: 4.12,
    best: 91.23,
    worst: -52.34,
    medianDaysHeld: 13.5,
    plansKept: { count: 1199, of: 1234 },
  },
  latest: Array.from({ length: LATEST_POSITIONS_COUNT }, (_, nth) => ({
    ...fullStock(nth),
    closed: new Date(Date.UTC(2026, 10, 20) - nth * 3 * DAY_MS).toISOString(),
    percentageGain: 100 * Math.sin(nth),
  })),
  pastPlan: Array.from({ length: PAST_PLAN_MAX_COUNT }, (_, nth) => ({
    ...fullStock(nth),
    openPrice: 1234.56 / (nth + 1),
    gain: 100 * Math.cos(nth),
    at: '2026-11-20T20:59:30.000Z',
  })),
  morePastPlan: 123,
  openedAt: Array.from({ length: 500 }, (_, nth) => Date.UTC(2025, 0, 1) + nth * DAY_MS),
  track: {
    asOf: '2026-11-20',
    indexSymbol: 'SPY',
    withOpen: false,
    days: Array.from({ length: 252 }, (_, nth) => ({
      day: new Date(Date.UTC(2026, 0, 1) + nth * DAY_MS).toISOString().slice(0, 10),
      level: 40 * Math.sin(nth * nth),
      index: 40 * Math.cos(nth * nth),
    })),
    closedBefore: 0,
    drawdown: { fall: -12.34, from: '2026-03-02', to: '2026-06-17' },
    allIn: null,
    versusIndex: { mean: 1.5, positions: 1234, missing: 0 },
    closes: [],
    moreCloses: 0,
  },
  proven: null,
  price: { cents: 1250, yearlyCents: 12_500, currency: 'usd', taxLiable: null },
}

/** No two begin alike, so that compressing gains little. */
function fullStock(nth: number) {
  const symbol = (nth * 7_654_321 + 12_345_678).toString(36).toUpperCase()
  const opened = new Date(Date.UTC(2026, 9, 1) - nth * 5 * DAY_MS).toISOString()
  return { symbol, companyName: `${symbol.repeat(5).toLowerCase()} Holdings`, opened }
}
