import { formatGain, percentageGain } from '@tradepost/contract/gain'
import { HOLD_LENGTHS, type HoldLength } from '@tradepost/contract/hold-length'
import type { TraderRecord } from '@tradepost/contract/traders'
import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { call, close, makeTrader, open, type Trader } from '../../../test/factories.ts'
import { makeCrowdTrader } from '../../../test/followers.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { readAllFromPrimary } from '../../platform/distribution/replica.ts'
import { newId } from '../../platform/ids.ts'
import { adjustForSplit, closeDelisted } from '../../positions/correct/adjust-positions.ts'
import { recordClose } from '../../positions/publish/close-position.ts'
import { insertPosition, lockActivePosition } from '../../positions/record/positions.queries.ts'
import { recountStatistics } from '../../positions/record/recount-statistics.ts'
import { countOpened } from '../../positions/record/stats.queries.ts'
import { keepDirectory } from '../../quotes/symbols/directory.ts'
import { findTrader } from '../traders.queries.ts'
import { makeTraderRecord } from './trader-record.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const DAY_MS = 86_400_000
const { db, pool } = testApp
const NOTHING = {
  closed: 0,
  wins: null,
  average: null,
  median: null,
  best: null,
  worst: null,
  medianDaysHeld: null,
  plansKept: null,
}

async function recordOf(trader: Trader): Promise<TraderRecord> {
  const { body } = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  return body.record as TraderRecord
}

/** Opens at 100 on a Wednesday and closes after some days at a price. */
async function trade(
  trader: Trader,
  trades: readonly (readonly [days: number, price: number])[],
): Promise<void> {
  testApp.clock.set(TEST_NOW)
  for (const at of trades.keys()) await open(testApp, quotes, trader, `T${at}`, 100)
  for (const [at, [days, price]] of [...trades.entries()].toSorted((a, b) => a[1][0] - b[1][0])) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + days * DAY_MS))
    await close(testApp, quotes, trader, `T${at}`, price)
  }
}

test('a record is that of a pocket calculator, and figures that few positions do not support are hidden', async () => {
  const trader = await makeTrader(testApp)
  expect(await recordOf(trader)).toEqual(NOTHING)
  // 1 to 3 weeks: kept for less than 22 days.
  await trade(trader, [
    [1, 110],
    [16, 100],
  ])
  expect(await recordOf(trader)).toEqual({
    closed: 2,
    wins: null,
    average: 5,
    median: 5,
    best: 10,
    worst: 0,
    medianDaysHeld: 8.5,
    plansKept: null,
  })
  const many = await makeTrader(testApp)
  await trade(many, [
    [1, 110],
    [21, 100],
    [22, 97],
    [3, 101.5],
    [2, 150],
  ])
  // 10, 0, -3, 1.5 and 50: no win is 0; 22 days are past the plan.
  expect(await recordOf(many)).toEqual({
    closed: 5,
    wins: { count: 3, of: 5 },
    average: 11.7,
    median: 1.5,
    best: 50,
    worst: -3,
    medianDaysHeld: 3,
    plansKept: { count: 4, of: 5 },
  })
})

test('an open position past its plan counts as a plan that is not kept, one within it not at all', async () => {
  const trader = await makeTrader(testApp)
  await trade(trader, [
    [1, 110],
    [2, 110],
  ])
  testApp.clock.set(TEST_NOW)
  await open(testApp, quotes, trader, 'OPEN', 100)
  testApp.clock.set(new Date('2026-03-26T14:59:59.999Z'))
  expect((await recordOf(trader)).plansKept).toBeNull()
  testApp.clock.set(new Date('2026-03-26T15:00:00.000Z'))
  expect((await recordOf(trader)).plansKept).toEqual({ count: 2, of: 3 })
})

test('a split changes wins and the middle with the gains, and a close counts with no statement more', async () => {
  const trader = await makeTrader(testApp)
  await trade(trader, [
    [1, 110],
    [1, 12],
    [1, 101],
    [1, 102],
  ])
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  await open(testApp, quotes, trader, 'T4', 100)
  testApp.clock.set(new Date('2026-03-06T15:00:00Z'))
  const texts = await statementsOf(testApp, () => close(testApp, quotes, trader, 'T4', 90))
  expect(texts.filter((text) => text.includes('trader_stats'))).toHaveLength(1)
  expect(await recordOf(trader)).toMatchObject({ wins: { count: 3, of: 5 }, median: 1, worst: -88 })
  await adjustForSplit(db, { symbol: 'T1', ratio: '10:1', day: '2026-03-05' }, testApp.clock.now())
  expect(await recordOf(trader)).toMatchObject({ wins: { count: 4, of: 5 }, median: 2, best: 20, worst: -10 })
  expect(await recountStatistics(db)).toBe(0)
})

test('the operator’s recount finds wrong counts of wins and kept plans, mends them, and prints how many', async () => {
  const [one, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  for (const trader of [one, other]) await trade(trader, [[1, 110]])
  const read = () => pool.query('select * from trader_stats order by trader_id')
  const before = (await read()).rows
  await pool.query('update trader_stats set win_count = 0 where trader_id = $1', [one.userId])
  await pool.query('update trader_stats set kept_count = 7 where trader_id = $1', [other.userId])
  expect(await runOperator(testApp, 'statistics:recount')).toBe(
    "Counted again; 2 traders' statistics were wrong.\n",
  )
  expect((await read()).rows).toEqual(before)
  expect(await runOperator(testApp, 'statistics:recount')).toBe(
    "Counted again; 0 traders' statistics were wrong.\n",
  )
})

type Trade = { opens: number; holds: number | null; hold: HoldLength; prices: [string, string] }
type History = {
  trades: Trade[]
  splits: { trade: number; day: number; ratio: string }[]
  delisted: number[]
}

const price = fc.integer({ min: 1, max: 3_000_000 }).map((steps) => new Big(steps).div(10_000).toFixed())
const history: fc.Arbitrary<History> = fc.record({
  trades: fc.array(
    fc.record({
      opens: fc.integer({ min: 0, max: 60 }),
      // From a day to long past every plan but the longest; some stay open.
      holds: fc.option(fc.integer({ min: 1, max: 200 }), { freq: 4 }),
      hold: fc.constantFrom(...HOLD_LENGTHS),
      prices: fc.tuple(price, price),
    }),
    { maxLength: 7 },
  ),
  splits: fc.array(
    fc.record({
      trade: fc.nat(6),
      day: fc.integer({ min: 1, max: 250 }),
      ratio: fc.constantFrom('10:1', '2:1', '1:8', '3:2'),
    }),
    { maxLength: 2 },
  ),
  delisted: fc.array(fc.nat(6), { maxLength: 1 }),
})

const BEGINNING = new Date('2025-01-06T15:00:00Z')
const END = new Date(BEGINNING.getTime() + 400 * DAY_MS)
const dayAt = (day: number) => new Date(BEGINNING.getTime() + day * DAY_MS)

async function openAt(traderId: string, symbol: string, { opens, hold, prices }: Trade): Promise<void> {
  await withTransaction(db, async (tx) => {
    await insertPosition(tx, {
      traderId,
      id: newId(),
      symbol,
      holdLength: hold,
      openPrice: prices[0],
      openNotes: 'ten or more',
      openedAt: dayAt(opens),
      openPreviewId: newId(),
    })
    await countOpened(tx, traderId, dayAt(opens))
  })
}

async function closeAt(traderId: string, symbol: string, closePrice: string, now: Date): Promise<void> {
  await withTransaction(db, async (tx) => {
    const position = await lockActivePosition(tx, { traderId, symbol })
    if (!position) return
    const close = {
      closePrice,
      closeNotes: 'ten or more',
      closedAt: now,
      closedBy: { previewId: newId() },
      percentageGain: percentageGain(position.openPrice, closePrice),
      overrideUsed: false,
      quotedAt: now,
      unsettled: false,
    }
    await recordClose(tx, position, close, { now, requestId: null })
  })
}

/** Lives a history in the order of its days, through the functions that people and the operator reach. */
async function live(traderId: string, name: string, { trades, splits, delisted }: History): Promise<void> {
  // A symbol of each position's own, so that a split is of this history alone.
  const symbols = trades.map((_, at) => `H${name}X${at}`)
  const steps: { day: number; run: () => Promise<unknown> }[] = []
  for (const [at, trade] of trades.entries()) {
    const symbol = symbols[at] ?? ''
    const { opens, holds } = trade
    steps.push({ day: opens, run: () => openAt(traderId, symbol, trade) })
    if (holds !== null)
      steps.push({
        day: opens + holds,
        run: () => closeAt(traderId, symbol, trade.prices[1], dayAt(opens + holds)),
      })
  }
  for (const { trade, day, ratio } of splits) {
    const symbol = symbols[trade]
    const split = { symbol: symbol ?? '', ratio, day: dayAt(day).toISOString().slice(0, 10) }
    // Entered days later, when some positions in it have closed.
    if (symbol) steps.push({ day: day + 20, run: () => adjustForSplit(db, split, dayAt(day + 20)) })
  }
  for (const trade of delisted) {
    const symbol = symbols[trade]
    if (symbol) steps.push({ day: 240, run: () => closeDelisted(db, { symbol, price: '0.5' }, dayAt(240)) })
  }
  for (const { run } of steps.toSorted((a, b) => a.day - b.day)) await run()
}

type Row = {
  open_price: string
  close_price: string
  opened_at: Date
  closed_at: Date | null
  hold_length: HoldLength
}

/** Every figure computed again from the prices and instants of the positions, without the statistics and without SQL's arithmetic. */
async function fromScratch(traderId: string): Promise<TraderRecord> {
  const { rows } = await pool.query<Row>('select * from positions where trader_id = $1', [traderId])
  const closed = rows.flatMap((row) => (row.closed_at ? [{ ...row, closed_at: row.closed_at }] : []))
  const gains = closed
    .map((row) => new Big(percentageGain(row.open_price, row.close_price)))
    .sort((a, b) => a.cmp(b))
  const held = closed
    .map((row) => new Big(Math.floor((row.closed_at.getTime() - row.opened_at.getTime()) / DAY_MS)))
    .sort((a, b) => a.cmp(b))
  const shown = (value: Big | undefined) => (value ? Number(formatGain(value.toFixed())) : null)
  const kept = closed.filter((row) => isKept(row.opened_at, row.closed_at, row.hold_length)).length
  const overdue = rows.filter((row) => !row.closed_at && !isKept(row.opened_at, END, row.hold_length)).length
  const ended = closed.length + overdue
  const sum = gains.reduce((total, gain) => total.plus(gain), new Big(0))
  const middleOfHeld = middle(held)
  return {
    closed: closed.length,
    wins: closed.length < 5 ? null : { count: gains.filter((gain) => gain.gt(0)).length, of: closed.length },
    average: gains.length === 0 ? null : shown(sum.div(gains.length)),
    median: shown(middle(gains)),
    best: shown(gains.at(-1)),
    worst: shown(gains[0]),
    medianDaysHeld: middleOfHeld ? middleOfHeld.toNumber() : null,
    plansKept: ended < 3 ? null : { count: kept, of: ended },
  }
}

function middle(sorted: Big[]): Big | undefined {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low && high && low.plus(high).div(2)
}

/** In whole days of 24 hours. */
function isKept(from: Date, to: Date, hold: HoldLength): boolean {
  const firstDayPast = {
    less_than_one_week: 8,
    one_to_three_weeks: 22,
    one_to_three_months: 93,
    three_to_six_months: 185,
    more_than_six_months: 366,
  }[hold]
  return Math.floor((to.getTime() - from.getTime()) / DAY_MS) < firstDayPast
}

const findRecord = makeTraderRecord({
  db,
  pipelined: testApp.pipelined,
  others: readAllFromPrimary(db),
  directory: keepDirectory({ db, clock: testApp.clock }),
  settings: testApp.settings,
})

test('after any history with splits, delistings, late closes and missing ones every figure is the one computed from scratch', async () => {
  let lived = 0
  await fc.assert(
    fc.asyncProperty(history, async (events) => {
      lived += 1
      const { traderId, username } = await makeCrowdTrader(pool, `history${lived}`, BEGINNING)
      await live(traderId, String(lived), events)
      const found = await findTrader(db, newId(), username)
      const figures = found && (await findRecord(found.trader, END))
      expect(figures?.record).toEqual(await fromScratch(traderId))
    }),
    { numRuns: 1000, endOnFailure: true },
  )
  expect(lived).toBe(1000)
  expect(await recountStatistics(db)).toBe(0)
})
