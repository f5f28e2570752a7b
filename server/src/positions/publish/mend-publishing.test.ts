import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { call, close, makeTrader, NOTES, open, type Trader, takeKey } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { bearer, tokenOf } from '../../../test/sign-in/sign-in.ts'
import { keepPublishingWhole } from './mend-publishing.ts'

const DAY_MS = 86_400_000

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const deps = { db: testApp.db, log: silentLog }

/**
 * The rows that are committed after an event where it is on another node: its number, its readers' work, the statistics, the used preview.
 */
async function besideEvents({ userId }: Trader) {
  const rowsOf = async (statement: string) => (await testApp.pool.query(statement, [userId])).rows
  return {
    numbers: await rowsOf('select last_event_no from traders where trader_id = $1'),
    work: await rowsOf('select * from event_work where trader_id = $1 order by event_no, reader'),
    counted: await rowsOf('select * from trader_stats where trader_id = $1'),
    prices: await rowsOf(
      'select symbol, consumed_at is not null as used from price_previews where trader_id = $1 order by created_at, symbol',
    ),
  }
}

/** Leaves what a coordinator leaves that is killed after a node has committed the trader's last event, and before it has itself. */
async function loseWhatIsBeside({ userId }: Trader, counted: string): Promise<void> {
  for (const statement of [
    'delete from event_work where trader_id = $1 and event_no = (select last_event_no from traders where trader_id = $1)',
    'update traders set last_event_no = last_event_no - 1 where trader_id = $1',
    `update price_previews set consumed_at = null where trader_id = $1
     and consumed_at = (select max(consumed_at) from price_previews where trader_id = $1)`,
    `${counted} where trader_id = $1`,
  ])
    await testApp.pool.query(statement, [userId])
}

test('a first opening that a crash has left half published is whole again after a sweep', async () => {
  testApp.clock.set(TEST_NOW)
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 100)
  const whole = await besideEvents(trader)
  expect(whole).toMatchObject({ numbers: [{ last_event_no: 1 }], counted: [{ open_count: 1 }] })
  expect(whole.work).toHaveLength(1)
  await loseWhatIsBeside(trader, 'delete from trader_stats')

  await keepPublishingWhole(deps).run(testApp.clock.now())
  expect(await besideEvents(trader)).toEqual(whole)
})

test('until the sweep the trader is asked to try again, nothing changes, and then a close is as if nothing had been', async () => {
  testApp.clock.set(TEST_NOW)
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 100)
  await open(testApp, quotes, trader, 'MSFT', 200)
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  expect((await close(testApp, quotes, trader, 'AAPL', 110)).status).toBe(200)
  testApp.clock.set(new Date('2026-03-05T15:00:01Z'))
  const key = await takeKey(testApp, quotes, trader, 'MSFT', 220)
  const whole = await besideEvents(trader)
  await loseWhatIsBeside(
    trader,
    'update trader_stats set open_count = 2, closed_count = 0, gain_sum = 0, win_count = 0, kept_count = 0',
  )
  const half = await besideEvents(trader)

  const payload = { symbol: 'MSFT', key, closeNotes: NOTES }
  const refused = await testApp.app.inject({
    method: 'POST',
    url: '/v1/positions/close',
    headers: bearer(await tokenOf(testApp, trader)),
    payload,
  })
  expect(refused.statusCode).toBe(503)
  expect(refused.headers['retry-after']).toBe('20')
  expect(refused.json()).toMatchObject({ code: 'unavailable' })
  expect(await besideEvents(trader)).toEqual(half)

  await keepPublishingWhole(deps).run(testApp.clock.now())
  expect(await besideEvents(trader)).toEqual(whole)
  expect((await call(testApp, trader, 'POST', '/v1/positions/close', payload)).status).toBe(200)
  expect(await besideEvents(trader)).toMatchObject({
    numbers: [{ last_event_no: 4 }],
    counted: [{ open_count: 0, closed_count: 2 }],
  })
})

test('a process that has just started looks back a week, later ones only since their last look', async () => {
  testApp.clock.set(TEST_NOW)
  const trader = await makeTrader(testApp)
  const sweep = keepPublishingWhole(deps)
  await open(testApp, quotes, trader, 'AAPL', 100)
  const whole = await besideEvents(trader)
  await sweep.run(new Date(TEST_NOW.getTime() + DAY_MS))
  await loseWhatIsBeside(trader, 'delete from trader_stats')
  const half = await besideEvents(trader)

  await sweep.run(new Date(TEST_NOW.getTime() + DAY_MS))
  expect(await besideEvents(trader)).toEqual(half)
  await keepPublishingWhole(deps).run(new Date(TEST_NOW.getTime() + 6 * DAY_MS))
  expect(await besideEvents(trader)).toEqual(whole)
})

test('a duplicate that is not an event’s number is a fault of ours: 500, and nobody is asked to try again', async () => {
  testApp.clock.set(TEST_NOW)
  const trader = await makeTrader(testApp)
  await testApp.pool.query(
    `create unique index one_an_instant on position_events (created_at) where trader_id = '${trader.userId}'`,
  )
  expect((await open(testApp, quotes, trader, 'AAPL', 100)).status).toBe(201)
  expect(await open(testApp, quotes, trader, 'MSFT', 200)).toMatchObject({
    status: 500,
    body: { code: 'internal' },
  })
})
