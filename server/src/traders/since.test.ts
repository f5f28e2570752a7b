import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, close, makeTrader, open, type Trader } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { runOperator } from '../../test/run-operator.ts'
import { recountStatistics } from '../positions/record/recount-statistics.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const on = (day: string) => testApp.clock.set(new Date(`${day}T20:59:59.999Z`))

/** The standing of a trader in search and profile: since when, and how many positions are closed. */
async function standing(trader: Trader): Promise<[since: unknown, closed: unknown]> {
  const found = (await call(testApp, trader, 'GET', `/v1/accounts/search?username=${trader.username}`)).body
  const { body } = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  expect([found.since, found.closedPositions]).toEqual([body.since, body.closedPositions])
  return [body.since, body.closedPositions]
}

async function openOn(day: string, trader: Trader, symbol: string): Promise<string> {
  on(day)
  const { body, status } = await open(testApp, quotes, trader, symbol, 100)
  expect({ status, ...body }).toMatchObject({ status: 201 })
  return (body.position as { id: string }).id
}

test('a trader is shown with the day of their first position, and with how many are closed', async () => {
  const trader = await makeTrader(testApp)
  expect(await standing(trader), 'a username alone is no beginning').toEqual([null, 0])
  await openOn('2026-03-05', trader, 'AAPL')
  expect(await standing(trader)).toEqual(['2026-03-05', 0])
  await openOn('2026-03-09', trader, 'MSFT')
  await close(testApp, quotes, trader, 'AAPL', 110)
  expect(await standing(trader)).toEqual(['2026-03-05', 1])
  expect(await recountStatistics(testApp.db)).toBe(0)
})

test('a position that was struck is no beginning', async () => {
  const trader = await makeTrader(testApp)
  const first = await openOn('2026-03-05', trader, 'AAPL')
  const second = await openOn('2026-03-06', trader, 'MSFT')
  const strike = (id: string) => runOperator(testApp, 'positions:strike', id, 'Nobody traded at that price.')
  await strike(second)
  expect(await standing(trader), 'a later one changes nothing').toEqual(['2026-03-05', 0])
  await openOn('2026-03-09', trader, 'NVDA')
  await strike(first)
  expect(await standing(trader)).toEqual(['2026-03-09', 0])
  expect(await recountStatistics(testApp.db)).toBe(0)
})

test('who has no position left that counts begins with the next one', async () => {
  const trader = await makeTrader(testApp)
  const only = await openOn('2026-03-05', trader, 'AAPL')
  await runOperator(testApp, 'positions:strike', only, 'Nobody traded at that price.')
  expect(await standing(trader)).toEqual([null, 0])
  await openOn('2026-03-10', trader, 'MSFT')
  expect(await standing(trader)).toEqual(['2026-03-10', 0])
})

test('counting again finds a beginning that is missing or wrong', async () => {
  const trader = await makeTrader(testApp)
  await openOn('2026-03-05', trader, 'AAPL')
  for (const wrong of [null, new Date('2020-01-01T00:00:00Z')]) {
    await testApp.pool.query('update trader_stats set first_opened_at = $2 where trader_id = $1', [
      trader.userId,
      wrong,
    ])
    expect(await recountStatistics(testApp.db)).toBe(1)
    expect(await standing(trader)).toEqual(['2026-03-05', 0])
  }
})
