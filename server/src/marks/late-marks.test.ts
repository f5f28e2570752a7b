import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { makeTrader, type Trader } from '../../test/factories.ts'
import { askDepsOf, askOne, holdSymbols, letRoundGoBy, marksOf } from '../../test/prices/marks-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { runOperator } from '../../test/run-operator.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { retractPrices } from '../positions/correct/retract-prices.ts'
import { deleteMarks } from './marks.queries.ts'

const quotes = await startQuoteServer()
const settings = { limitsOn: false, priceRights: 'delayed' } as const
const testApp = await buildTestApp({ quotes, settings })
const deps = askDepsOf(testApp, quotes.provider, 60_000)
const { clock, pool } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(async () => {
  clock.set(TEST_NOW)
  await pool.query('truncate positions, symbol_marks, late_prices, symbol_splits cascade')
  await pool.query("update mark_pace set round_at = null, round_before_at = null, next_ask_at = 'epoch'")
})

/** A position in a ticker, opened an hour ago at $1. */
async function hold(symbol: string): Promise<Trader> {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, [symbol])
  return trader
}

/** A round a minute later, which finds this price. */
async function find(symbol: string, price: number): Promise<void> {
  await letRoundGoBy(testApp)
  quotes.set(symbol, { price, at: clock.now() })
  expect(await askOne(testApp, deps)).toBe(symbol)
}

const kept = async () =>
  (
    await pool.query('select trim_scale(price)::text as price from late_prices order by answered_at')
  ).rows.map(({ price }) => price)
const seen = async (who: Trader) =>
  (await marksOf(testApp, who)).map(({ price, state, symbol }) => `${symbol} ${price} ${state}`)

test('of each symbol the prices of the last 15 minutes are kept, and the one before them', async () => {
  const trader = await hold('KEPT')
  for (let price = 101; price <= 120; price += 1) await find('KEPT', price)
  expect(await kept()).toEqual([
    ...['105', '106', '107', '108', '109', '110', '111', '112', '113'],
    ...['114', '115', '116', '117', '118', '119', '120'],
  ])
  expect(await seen(trader)).toEqual(['KEPT 105 current'])
  clock.advance(10 * 60_000)
  expect(await seen(trader)).toEqual(['KEPT 115 current'])
  // After the session nothing is found any more, and the last price stays.
  clock.advance(6 * 3_600_000)
  expect(await seen(trader)).toEqual(['KEPT 120 aged'])
})

test('while prices are live none is kept for later, and a late answer has the last one once it is old enough', async () => {
  const trader = await hold('LIVE')
  await letRoundGoBy(testApp)
  quotes.set('LIVE', { price: 120, at: clock.now() })
  await askOne(testApp, { ...deps, priceRights: 'live' })
  expect(await kept()).toEqual([])
  clock.advance(14 * 60_000)
  expect(await seen(trader)).toEqual(['LIVE 1 aged'])
  clock.advance(60_000)
  expect(await seen(trader)).toEqual(['LIVE 120 current'])
})

test('a price whose trade is younger than its answer is told by its trade: a worker’s clock may be slow', async () => {
  const trader = await hold('SLOW')
  await find('SLOW', 120)
  await pool.query("update late_prices set quoted_at = answered_at + interval '2 minutes'")
  await pool.query("update symbol_marks set quoted_at = answered_at + interval '2 minutes'")
  clock.advance(16 * 60_000)
  expect(await seen(trader)).toEqual(['SLOW 1 aged'])
  clock.advance(60_000)
  expect(await seen(trader)).toEqual(['SLOW 120 aged'])
})

test('a price of before a split is counted in the shares of now', async () => {
  const trader = await hold('SPLT')
  clock.set(new Date('2026-03-04T20:50:00.000Z'))
  await find('SPLT', 120)
  clock.set(new Date('2026-03-05T14:00:00.000Z'))
  await runOperator(testApp, 'positions:adjust', 'split', 'SPLT', '10:1', '2026-03-05')
  expect(await seen(trader)).toEqual(['SPLT 12 aged'])
})

test('a price that is taken back is shown to nobody later', async () => {
  const trader = await hold('GLCH')
  await find('GLCH', 100)
  await find('GLCH', 110)
  await find('GLCH', 101)
  const span = { symbol: 'GLCH', from: '2026-03-04T15:01:30Z', to: '2026-03-04T15:02:30Z' }
  const secret = makeSecretKey(testApp.settings.authSecret)
  await retractPrices({ ...testApp, secret }, { ...span, reason: 'A glitch of the provider.' }, clock.now())
  expect(await kept()).toEqual(['100', '101'])
  clock.advance(14 * 60_000)
  expect(await seen(trader)).toEqual(['GLCH 100 current'])
})

test('a renamed share has the last price of its former ticker', async () => {
  const trader = await hold('OLDN')
  clock.set(new Date('2026-03-04T20:50:00.000Z'))
  await find('OLDN', 120)
  clock.set(new Date('2026-03-05T14:00:00.000Z'))
  await runOperator(testApp, 'symbols:rename', 'OLDN', 'NEWN', '2026-03-05')
  expect(await seen(trader)).toEqual(['NEWN 120 aged'])
})

test('prices of symbols that nobody holds are forgotten with their marks', async () => {
  await hold('GONE')
  await find('GONE', 120)
  await deleteMarks(testApp.db, new Date(clock.now().getTime() + 1))
  expect(await kept()).toEqual([])
})

test('from the switch on the last price of before is shown, and not the opening of long ago', async () => {
  const trader = await hold('SWCH')
  await letRoundGoBy(testApp)
  quotes.set('SWCH', { price: 90, at: clock.now() })
  expect(await askOne(testApp, { ...deps, priceRights: 'live' })).toBe('SWCH')
  clock.advance(18 * 60_000)
  await find('SWCH', 100)
  expect(await seen(trader)).toEqual(['SWCH 90 aged'])
  clock.advance(15 * 60_000)
  expect(await seen(trader)).toEqual(['SWCH 100 current'])
})
