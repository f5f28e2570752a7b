import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import {
  BEGINNING,
  dayOf,
  history,
  type Made,
  type MadePosition,
  makeHistory,
} from '../../test/prices/follow-histories.ts'
import { insertHistories } from '../../test/prices/insert-histories.ts'
import { insertCloses } from '../../test/prices/proven-scenario.ts'
import { RACE_TIMEOUT_MS } from '../../test/rounds.ts'
import { readResults } from './read-results.ts'

const testApp = await buildTestApp()
vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
afterAll(() => testApp.close())

const DAY_MS = 86_400_000
const HISTORIES_AT_ONCE = 25
const BATCHES = 40

/** Some days have none, and from the hundredth on there is none at all. */
const INDEX = Array.from({ length: 100 }, (_, nth) => nth)
  .filter((nth) => nth % 9 < 2 || nth % 5 === 0)
  .map((nth) => [dayOf(BEGINNING + nth * DAY_MS), 100 + ((nth * 37) % 41)] as const)
await insertCloses(
  testApp,
  INDEX.map(([day, close]) => ['SPY', day, close] as const),
)

function indexAt(day: string): number | null {
  const oldest = dayOf(Date.parse(day) - 4 * DAY_MS)
  return INDEX.findLast(([of]) => of <= day && of >= oldest)?.[1] ?? null
}

const twoPlaces = (sum: Big, count: number) =>
  count === 0 ? null : Number(sum.div(count).round(2, Big.roundHalfUp).toFixed())

/** Means and counts of positions that somebody was told the close of, by hand. */
function recount(positions: readonly MadePosition[], follower: number) {
  const counts = { closed: 0, won: 0, gains: new Big(0), index: new Big(0), indexes: 0, fromClose: 0 }
  for (const { bases, closePrice, closedAt, openPrice } of positions) {
    const base = bases.get(follower)
    if (!base || !closePrice || closedAt === null) continue
    const start = base.price ?? openPrice
    counts.closed += 1
    counts.gains = counts.gains.plus(closePrice.minus(start).div(start).times(100))
    if (closePrice.gt(start)) counts.won += 1
    if (base.from === 'close' || base.from === 'opening before') counts.fromClose += 1
    const [first, last] = [indexAt(base.day), indexAt(dayOf(closedAt))]
    if (first === null || last === null) continue
    counts.indexes += 1
    counts.index = counts.index.plus(new Big(last).minus(first).div(first).times(100))
  }
  const { closed, won } = counts
  const results = {
    closed,
    won,
    mean: twoPlaces(counts.gains, closed),
    index: twoPlaces(counts.index, counts.indexes),
  }
  return { results, fromClose: counts.fromClose }
}

function expected(made: Made, follower: number, now: number) {
  const told = made.positions.filter((one) => one.told.has(follower) && !one.struck)
  const settled = told.filter(({ unsettled }) => !unsettled)
  const recent = settled.filter(({ closedAt }) => closedAt !== null && closedAt >= now - 30 * DAY_MS)
  const pairs = made.subscriptions.filter((one) => one.follower === follower)
  const follows = new Set(pairs.filter(({ status }) => status === 'active').map(({ trader }) => trader))
  const openOf = (trader: number) =>
    told.filter((one) => one.trader === trader && one.unsettled).length +
    (follows.has(trader)
      ? made.positions.filter((one) => one.trader === trader && one.closedAt === null && !one.struck).length
      : 0)
  const traders = [...new Set(pairs.map(({ trader }) => trader))]
  const { fromClose, results } = recount(settled, follower)
  return {
    ...results,
    fromClose,
    following: follows.size,
    recent: recount(recent, follower).results,
    open: traders.reduce((sum, trader) => sum + openOf(trader), 0),
    costs: follows.size > 0 ? [{ currency: 'usd', cents: 1000 * follows.size }] : [],
    traders: traders
      .map((trader) => ({
        ...recount(
          settled.filter((one) => one.trader === trader),
          follower,
        ).results,
        since: new Date(
          Math.min(...pairs.filter((one) => one.trader === trader).map(({ startedAt }) => startedAt)),
        ).toISOString(),
        open: openOf(trader),
      }))
      .toSorted(byStart),
  }
}

const byStart = (one: { since: string }, other: { since: string }) => (one.since < other.since ? -1 : 1)

test('over a thousand random histories following has brought what a count by hand finds', async () => {
  const seen = { closed: 0, fromClose: 0, splits: 0, without: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(history, { minLength: HISTORIES_AT_ONCE, maxLength: HISTORIES_AT_ONCE }),
      async (histories) => {
        const batch = histories.map(makeHistory)
        await insertHistories(testApp.pool, batch)
        for (const made of batch) {
          const now = made.now + 5 * DAY_MS
          for (const [follower, id] of made.followerIds.entries()) {
            const { indexSymbol, renewalMail, traders, ...found } = await readResults(
              testApp,
              id,
              new Date(now),
            )
            const named = traders.map(({ username, ...trader }) => trader).toSorted(byStart)
            const byHand = expected(made, follower, now)
            expect({ ...found, traders: named }).toEqual(byHand)
            seen.closed += found.closed
            seen.fromClose += found.fromClose
            seen.splits += found.closed > 0 ? made.splits.length : 0
            if (found.closed === 0) seen.without += 1
          }
        }
      },
    ),
    { numRuns: BATCHES, endOnFailure: true, seed: 42 },
  )
  // The counts prove something only where there is much to count.
  expect(seen.closed).toBeGreaterThan(2000)
  expect(seen.fromClose).toBeGreaterThan(200)
  expect(seen.splits).toBeGreaterThan(200)
})
