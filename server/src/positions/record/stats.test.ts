import { formatGain, percentageGain } from '@tradepost/contract/gain'
import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { call, close, makeTrader, open } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { recountStatistics } from './recount-statistics.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const inCents = (min: number) => fc.integer({ min, max: 100_000_00 }).map((cents) => cents / 100)
const inMicros = (min: number) => fc.integer({ min, max: 2_000_000 }).map((micros) => micros / 1e6)
/** Nothing is opened below a dollar. */
const openingPrice = fc.oneof(inCents(100), inMicros(1_000_000))
const closingPrice = fc.oneof(inCents(1), inMicros(1))

test('for any trades, every figure is the exact recomputation from the prices', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(openingPrice, closingPrice), { minLength: 1, maxLength: 4 }),
      async (trades) => {
        testApp.clock.set(TEST_NOW)
        const trader = await makeTrader(testApp)
        for (const [at, [opening]] of trades.entries()) await open(testApp, quotes, trader, `T${at}`, opening)
        testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
        let sum = new Big(0)
        for (const [at, [opening, closing]] of trades.entries()) {
          const { body } = await close(testApp, quotes, trader, `T${at}`, closing)
          const gain = percentageGain(opening, closing)
          sum = sum.plus(gain)
          expect(body.position).toMatchObject({ percentageGain: Number(formatGain(gain)) })
        }
        const average = formatGain(sum.div(trades.length).toFixed())
        const profile = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
        expect(profile.body).toMatchObject({
          openPositions: 0,
          closedPositions: trades.length,
          averageProfit: Number(average),
        })
        const board = await call(testApp, trader, 'GET', '/v1/leaderboard')
        expect(board.body.leaderboard).toContainEqual(
          expect.objectContaining({ username: trader.username, averageGain: average }),
        )
        const { rows } = await testApp.pool.query('select gain_sum from trader_stats where trader_id = $1', [
          trader.userId,
        ])
        expect(new Big(rows[0].gain_sum).eq(sum)).toBe(true)
      },
    ),
    { numRuns: 15 },
  )
  expect(await recountStatistics(testApp.db)).toBe(0)
})

test('gains and their mean are those of a pocket calculator, rounded only when shown', async () => {
  testApp.clock.set(TEST_NOW)
  const trader = await makeTrader(testApp)
  const trades = [
    ['THIRD', 3, 4, 33.33],
    ['LOSS', 187.52, 180, -4.01],
    ['HALF', 200, 200.01, 0.01],
    ['CENT', 1.5, 2.25, 50],
  ] as const
  for (const [symbol, opening] of trades) await open(testApp, quotes, trader, symbol, opening)
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  for (const [symbol, , closing, gain] of trades) {
    const { body } = await close(testApp, quotes, trader, symbol, closing)
    expect(body.position).toMatchObject({ percentageGain: gain })
  }
  const profile = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  // 33.333333… - 4.010239… + 0.005 + 50 = 79.328094…, a quarter of which is 19.832023…
  expect(profile.body).toMatchObject({ openPositions: 0, closedPositions: 4, averageProfit: 19.83 })
  const board = await call(testApp, trader, 'GET', '/v1/leaderboard')
  expect(board.body.leaderboard).toContainEqual(
    expect.objectContaining({ username: trader.username, averageGain: '19.83' }),
  )
})

test('a rebuild finds what is wrong, sets it right, and prints how many', async () => {
  testApp.clock.set(TEST_NOW)
  const [wrong, missing] = [await makeTrader(testApp), await makeTrader(testApp)]
  for (const trader of [wrong, missing]) await open(testApp, quotes, trader, 'AAPL', 4)
  const read = () => testApp.pool.query('select * from trader_stats order by trader_id')
  const before = await read()
  await testApp.pool.query(
    'update trader_stats set gain_sum = gain_sum + 0.000000000001 where trader_id = $1',
    [wrong.userId],
  )
  await testApp.pool.query('delete from trader_stats where trader_id = $1', [missing.userId])
  expect(await recountStatistics(testApp.db)).toBe(2)
  expect((await read()).rows).toEqual(before.rows)
  expect(await recountStatistics(testApp.db)).toBe(0)
  const locks = (await statementsOf(testApp, () => recountStatistics(testApp.db))).filter((text) =>
    /from "traders".* for update/.test(text),
  )
  expect(locks, 'each trader is counted once').toHaveLength(before.rows.length)
})
