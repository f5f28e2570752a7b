import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader, NOTES, open, setMark, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { judgeQuoteOf } from './judge-price.ts'
import { isSuspect, looksLikeSplit } from './suspect-price.ts'
import { acceptSuspect } from './suspect-prices.queries.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const { clock, db, pool } = testApp
const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
const quoteOf = (price: string, high: string | null = null, low: string | null = null) => ({
  price,
  at: TEST_NOW,
  high,
  low,
})
const setQuote = (symbol: string, price: number, day?: { h: number; l: number }) =>
  quotes.set(symbol, (response) => {
    const t = Math.floor(clock.now().getTime() / 1000)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ c: price, h: price, l: price, o: price, pc: price, t, ...day }))
  })
const check = (who: Trader, symbol: string) => call(testApp, who, 'POST', '/v1/positions/preview', { symbol })
const sendClose = (who: Trader, symbol: string, key: unknown) =>
  call(testApp, who, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })
const notifiedOf = async (symbol: string) =>
  (
    await pool.query(`select facts ->> 'subject' as subject from outbox where cause = $1`, [
      `suspect:${symbol}`,
    ])
  ).rows

test.each([
  ['100', null, null, null, false],
  ['100', '101', '99', '98', false],
  ['100.6', '100', '99', '98', true],
  ['100.5', '100', '99', '98', false],
  ['98.4', '100', '99', '98', true],
  ['135', null, null, '100', false],
  ['135.01', null, null, '100', true],
  ['64.99', null, null, '100', true],
  ['65', null, null, '100', false],
])('%s within a day of %s and %s, after %s, looks wrong: %s', (price, high, low, known, wrong) => {
  expect(isSuspect(quoteOf(price, high, low), known)).toBe(wrong)
})

test.each([
  ['10', '0.5', true],
  ['50', '100', true],
  ['51.4', '100', true],
  ['52', '100', false],
  ['66.6', '100', true],
  ['150', '100', true],
  ['60', '100', false],
  ['170', '100', false],
])('%s after %s may be a split: %s', (price, known, split) => {
  expect(looksLikeSplit(price, known)).toBe(split)
})

test('a glitch gives a holder no key to it: the check refuses it, with the last price that was plausible', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'GLIT', 10)
  clock.set(NEXT_DAY)
  setQuote('GLIT', 9_999_999, { h: 10.2, l: 9.8 })
  const refused = await check(trader, 'GLIT')
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'price_suspect',
      message: 'The price of GLIT looks wrong. We are checking it.',
      price: '10.000000',
      symbol: 'GLIT',
      key: expect.stringMatching(/^[\w-]{43}$/),
    },
  })
  expect(await sendClose(trader, 'GLIT', refused.body.key), 'at any hour').toMatchObject({
    status: 200,
    body: { position: { closePrice: 10, percentageGain: 0, settled: false } },
  })
  expect(await notifiedOf('GLIT')).toEqual([{ subject: 'the price of GLIT looks wrong' }])
  const profile = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  expect(profile.body).toMatchObject({ closedPositions: 1, averageProfit: null })
})

test('somebody who holds none of it gets no key', async () => {
  const trader = await makeTrader(testApp)
  await setMark(testApp, 'NONE', 10)
  setQuote('NONE', 100)
  const { status, body } = await check(trader, 'NONE')
  expect({ status, body }).toEqual({
    status: 409,
    body: {
      code: 'price_suspect',
      message: 'The price of NONE looks wrong. We are checking it.',
      requestId: expect.any(String),
    },
  })
})

test('a price that looks wrong only once is asked for again, and then counts', async () => {
  const trader = await makeTrader(testApp)
  await setMark(testApp, 'ONCE', 10)
  quotes.set('ONCE', (response) => {
    setQuote('ONCE', 10.1)
    response.end(`{"c":100,"h":100,"l":100,"t":${clock.now().getTime() / 1000}}`)
  })
  expect(await check(trader, 'ONCE')).toMatchObject({ status: 200, body: { price: '10.1' } })
  expect(await notifiedOf('ONCE')).toEqual([])
})

test('where the market has come to look wrong between check and press, nothing is opened and a close is unsettled', async () => {
  const [trader, holder] = [await makeTrader(testApp), await makeTrader(testApp)]
  await open(testApp, quotes, holder, 'JUMP', 10)
  clock.set(NEXT_DAY)
  setQuote('JUMP', 10)
  const [opening, closing] = [await check(trader, 'JUMP'), await check(holder, 'JUMP')]
  clock.advance(6000)
  setQuote('JUMP', 20)
  const order = {
    symbol: 'JUMP',
    key: opening.body.key,
    openNotes: NOTES,
    positionLength: 'one_to_three_weeks',
  }
  expect(await call(testApp, trader, 'POST', '/v1/positions/open', order)).toMatchObject({
    status: 409,
    body: { code: 'price_suspect' },
  })
  expect((await sendClose(holder, 'JUMP', closing.body.key)).body.position).toMatchObject({
    closePrice: 10,
    settled: false,
  })
})

test('a price that is still quoted ten minutes later is right, unless it may be a split', async () => {
  await setMark(testApp, 'CALM', 100)
  await setMark(testApp, 'HALF', 100)
  const judge = async (symbol: string, price: string) => {
    const quote = { ...quoteOf(price, '171', '49'), at: clock.now() }
    return (await judgeQuoteOf(db, symbol, quote, clock.now())).suspect
  }
  expect([await judge('CALM', '60'), await judge('HALF', '50')]).toEqual([true, true])
  clock.advance(599_999)
  expect([await judge('CALM', '60.5'), await judge('HALF', '50')]).toEqual([true, true])
  clock.advance(1)
  expect([await judge('CALM', '60.4'), await judge('HALF', '50')]).toEqual([false, true])
  expect(await judge('CALM', '61'), 'the released price is known from then on').toBe(false)
  expect(await acceptSuspect(db, 'HALF', clock.now())).toBe('50.000000')
  expect(await judge('HALF', '50.2')).toBe(false)
})

test('another price that looks wrong begins its own ten minutes', async () => {
  await setMark(testApp, 'WILD', 100)
  const judge = async (price: string, high: string, low: string) =>
    (await judgeQuoteOf(db, 'WILD', quoteOf(price, high, low), clock.now())).suspect
  expect(await judge('170', '171', '169')).toBe(true)
  clock.advance(600_000)
  expect(await judge('58', '59', '57'), 'it does not agree with the first').toBe(true)
  clock.advance(599_999)
  expect(await judge('58', '59', '57')).toBe(true)
  clock.advance(1)
  expect(await judge('58', '59', '57')).toBe(false)
})

test('a glitch that is over is no first quote for the next one, and was none for the one that was accepted', async () => {
  await setMark(testApp, 'OVER', 100)
  const judge = async (price: string, high: string, low: string) =>
    (await judgeQuoteOf(db, 'OVER', quoteOf(price, high, low), clock.now())).suspect
  expect(await judge('170', '171', '169')).toBe(true)
  expect(await judge('101', '102', '99')).toBe(false)
  clock.advance(600_000)
  expect(await judge('170', '171', '169')).toBe(true)
  clock.advance(600_000)
  expect(await judge('170', '171', '169')).toBe(false)
  // The released price is the known one now; the next one begins its own ten minutes.
  clock.advance(600_000)
  expect(await judge('290', '291', '169')).toBe(true)
})

test('the operator is notified of a symbol once a day', async () => {
  await setMark(testApp, 'DAYS', 100)
  const judge = () => judgeQuoteOf(db, 'DAYS', quoteOf('170', '160', '150'), clock.now())
  await judge()
  await pool.query(`delete from outbox where cause = 'suspect:DAYS'`)
  clock.advance(3_600_000)
  await judge()
  expect(await notifiedOf('DAYS')).toEqual([])
  clock.set(NEXT_DAY)
  await judge()
  expect((await notifiedOf('DAYS')).length).toBe(1)
})

test('a price that is older than two weeks is no measure', async () => {
  await setMark(testApp, 'LONG', 10)
  clock.advance(14 * 86_400_000 - 1)
  const judge = async () => (await judgeQuoteOf(db, 'LONG', quoteOf('20'), clock.now())).suspect
  expect(await judge()).toBe(true)
  clock.advance(1)
  expect(await judge()).toBe(false)
})

test('a price from after the clock was set back is no measure', async () => {
  clock.set(NEXT_DAY)
  await setMark(testApp, 'BACK', 10)
  const judge = async () => (await judgeQuoteOf(db, 'BACK', quoteOf('20'), clock.now())).suspect
  clock.set(new Date(NEXT_DAY.getTime() - 60_001))
  expect(await judge()).toBe(false)
  clock.advance(1)
  expect(await judge()).toBe(true)
})
