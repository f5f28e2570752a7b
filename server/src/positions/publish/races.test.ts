import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import { type Answer, call, makeTrader, NOTES, open, type Trader, takeKey } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { RACE_TIMEOUT_MS, rounds } from '../../../test/rounds.ts'
import { recountStatistics } from '../record/recount-statistics.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')

function sendOpen(trader: Trader, symbol: string, key: string): Promise<Answer> {
  const positionLength = 'less_than_one_week'
  return call(testApp, trader, 'POST', '/v1/positions/open', {
    symbol,
    key,
    openNotes: NOTES,
    positionLength,
  })
}

function sendClose(trader: Trader, symbol: string, key: string): Promise<Answer> {
  return call(testApp, trader, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })
}

/** Brings back keys that later checks have ended, so that the database alone decides between them. */
async function reviveKeys(trader: Trader): Promise<void> {
  await testApp.pool.query(
    `update price_previews set expires_at = created_at + interval '2 minutes' where trader_id = $1`,
    [trader.userId],
  )
}

/** One winner; the others are refused with a sentence and this status and code. */
function expectOneWinner(answers: Answer[], won: number, lost: number, code: string): void {
  const winners = answers.filter((answer) => answer.status === won)
  expect(winners.length).toBe(1)
  for (const loser of answers.filter((answer) => answer.status !== won)) {
    expect(loser).toMatchObject({ status: lost, body: { code, message: expect.stringMatching(/\S/) } })
  }
}

/** Positions and events of a trader, which decide a race whatever the answers were. */
async function countWritten(trader: Trader): Promise<object> {
  const { rows } = await testApp.pool.query(
    `select (select count(*)::int from positions where trader_id = $1) as positions,
      (select count(*)::int from positions where trader_id = $1 and active) as active,
      (select count(*)::int from position_events where trader_id = $1) as events,
      (select last_event_no from traders where trader_id = $1) as last`,
    [trader.userId],
  )
  return rows[0]
}

test('of two opens of one symbol, one wins', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const trader = await makeTrader(testApp)
    const keys = [
      await takeKey(testApp, quotes, trader, 'AAPL', 5),
      await takeKey(testApp, quotes, trader, 'AAPL', 5),
    ]
    await reviveKeys(trader)
    const answers = await Promise.all(keys.map((key) => sendOpen(trader, 'AAPL', key)))
    expectOneWinner(answers, 201, 409, 'position_exists')
    expect(await countWritten(trader)).toEqual({ positions: 1, active: 1, events: 1, last: 1 })
  }
})

test('of two closes of one position, one wins, and the other finds none', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    testApp.clock.set(TEST_NOW)
    const trader = await makeTrader(testApp)
    await open(testApp, quotes, trader, 'AAPL', 5)
    testApp.clock.set(NEXT_DAY)
    const keys = [
      await takeKey(testApp, quotes, trader, 'AAPL', 6),
      await takeKey(testApp, quotes, trader, 'AAPL', 7),
    ]
    await reviveKeys(trader)
    const answers = await Promise.all(keys.map((key) => sendClose(trader, 'AAPL', key)))
    expectOneWinner(answers, 200, 404, 'position_not_found')
    expect(await countWritten(trader)).toEqual({ positions: 1, active: 0, events: 2, last: 2 })
  }
})

test('one preview key in two opens at once is used once', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const trader = await makeTrader(testApp)
    const key = await takeKey(testApp, quotes, trader, 'AAPL', 5)
    const answers = await Promise.all([sendOpen(trader, 'AAPL', key), sendOpen(trader, 'AAPL', key)])
    expectOneWinner(answers, 201, 409, 'preview_used')
    expect(await countWritten(trader)).toEqual({ positions: 1, active: 1, events: 1, last: 1 })
  }
})

test('one preview key in a close and an open at once is used once', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    testApp.clock.set(TEST_NOW)
    const trader = await makeTrader(testApp)
    await open(testApp, quotes, trader, 'AAPL', 5)
    testApp.clock.set(NEXT_DAY)
    const key = await takeKey(testApp, quotes, trader, 'AAPL', 6)
    const [closed, opened] = await Promise.all([
      sendClose(trader, 'AAPL', key),
      sendOpen(trader, 'AAPL', key),
    ])
    // The open loses by the key, or by the position when it came first; the close wins in either case.
    expect(closed.status).toBe(200)
    expect(opened.status).toBe(409)
    expect(['preview_used', 'position_exists']).toContain(opened.body.code)
    const { rowCount } = await testApp.pool.query(
      `select 1 from price_previews where trader_id = $1 and consumed_at is not null`,
      [trader.userId],
    )
    expect(rowCount).toBe(2)
    expect(await countWritten(trader)).toEqual({ positions: 1, active: 0, events: 2, last: 2 })
  }
})

test('a trader who opens and closes many at once keeps exact figures and gapless events', async () => {
  const trader = await makeTrader(testApp)
  const symbols = Array.from({ length: 12 }, (_, index) => `S${index}`)
  const keys = await Promise.all(symbols.map((symbol) => takeKey(testApp, quotes, trader, symbol, 3)))
  await reviveKeys(trader)
  const opened = await Promise.all(symbols.map((symbol, at) => sendOpen(trader, symbol, keys[at] ?? '')))
  expect(opened.map((answer) => answer.status)).toEqual(symbols.map(() => 201))
  testApp.clock.set(NEXT_DAY)
  const closing = await Promise.all(symbols.map((symbol) => takeKey(testApp, quotes, trader, symbol, 4)))
  await reviveKeys(trader)
  const closed = await Promise.all(symbols.map((symbol, at) => sendClose(trader, symbol, closing[at] ?? '')))
  expect(closed.map((answer) => answer.status)).toEqual(symbols.map(() => 200))
  const { rows } = await testApp.pool.query(
    'select event_no from position_events where trader_id = $1 order by event_no',
    [trader.userId],
  )
  expect(rows.map((row) => row.event_no)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1))
  expect(await recountStatistics(testApp.db), 'figures that a recount finds wrong').toBe(0)
})

test('statistics are counted again beside an opening, and neither ends the other', async () => {
  const trader = await makeTrader(testApp)
  expect((await open(testApp, quotes, trader, 'AAPL', 5)).status).toBe(201)
  const key = await takeKey(testApp, quotes, trader, 'MSFT', 5)
  const other = await testApp.pool.connect()
  await other.query('begin')
  await other.query('select from trader_stats where trader_id = $1 for update', [trader.userId])
  const opening = sendOpen(trader, 'MSFT', key)
  await expect.poll(() => countWaiting(testApp)).toBe(1)
  const counting = recountStatistics(testApp.db)
  await expect.poll(() => countWaiting(testApp)).toBe(2)
  await other.query('rollback')
  other.release()
  expect((await opening).status).toBe(201)
  expect(await counting).toBe(0)
})
