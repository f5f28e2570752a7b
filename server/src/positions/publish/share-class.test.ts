import { afterAll, beforeEach, expect, test } from 'vitest'
import { inShort, readActivity } from '../../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader, NOTES, readTables, subscribe, type Trader } from '../../../test/factories.ts'
import { askAll, askDepsOf, letRoundGoBy, marksOf } from '../../../test/prices/marks-scenario.ts'
import { insertCloses } from '../../../test/prices/proven-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { closeTyped, haveDashed, listedTo, setPrice, storedOf } from '../../../test/prices/share-class.ts'
import { holdsSymbol } from '../../quotes/provider/take-call.queries.ts'
import { recountStatistics } from '../record/recount-statistics.ts'
import { settleCloses } from './settle-closes.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const { clock, db, pool } = testApp
/** `TEST_NOW` is the Wednesday before. */
const THURSDAY = new Date('2026-03-05T15:00:00.000Z')
const FRIDAY = new Date('2026-03-06T15:00:00.000Z')

const price = (symbol: string, dollars: number) => setPrice(testApp, quotes, symbol, dollars)
const close = (trader: Trader, typed: string) => closeTyped(testApp, trader, typed)
const dashed = (trader: Trader, symbol: string, dollars: number) =>
  haveDashed(testApp, quotes, trader, symbol, dollars)
const stored = (trader: Trader) => storedOf(testApp, trader)
const timesAsked = (symbol: string) => quotes.asked.filter((question) => question.symbol === symbol).length

async function openTyped(trader: Trader, typed: string) {
  const preview = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: typed })
  const order = { symbol: typed, key: preview.body.key, openNotes: NOTES }
  return call(testApp, trader, 'POST', '/v1/positions/open', {
    ...order,
    positionLength: 'one_to_three_weeks',
  })
}

/** The figures of a profile; fails where a recount finds others. */
async function figuresOf(trader: Trader) {
  const { body } = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  expect(await recountStatistics(db), 'figures that a recount finds wrong').toBe(0)
  return { open: body.openPositions, closed: body.closedPositions, average: body.averageProfit }
}

test.each(['BRKA-B', 'brka/b', 'BRKA B', 'brka.b', '$BRKA-B'])(
  'who types %s opens, and sees everywhere, BRKA.B',
  async (typed) => {
    const trader = await makeTrader(testApp)
    await price('BRKA.B', 100)
    expect((await openTyped(trader, typed)).body.position).toMatchObject({ stock: 'BRKA.B', openPrice: 100 })
    expect(await stored(trader)).toEqual(['BRKA.B'])
    expect(timesAsked('BRKA-B')).toBe(0)
    clock.set(THURSDAY)
    await price('BRKA.B', 110)
    expect((await close(trader, typed)).body.position).toMatchObject({
      stock: 'BRKA.B',
      percentageGain: 10,
    })
  },
)

test('of two open positions in one share each is closed from its own row, and everybody sees which', async () => {
  const [trader, follower] = [await makeTrader(testApp), await makeTrader(testApp)]
  await subscribe(testApp, follower, trader)
  await price('BF.B', 100)
  const { body } = await openTyped(trader, 'BF.B')
  const first = (body.position as { id: string }).id
  clock.advance(60_000)
  const second = await dashed(trader, 'BF-B', 50)
  expect(await listedTo(testApp, follower)).toEqual(['BF-B', 'BF.B'])
  expect(await figuresOf(trader)).toEqual({ open: 2, closed: 0, average: null })

  clock.set(THURSDAY)
  await price('BF.B', 110)
  expect((await close(trader, 'bf-b')).body.position).toMatchObject({
    id: second,
    stock: 'BF.B',
    openPrice: 50,
    percentageGain: 120,
  })
  expect(await stored(trader)).toEqual(['BF.B', 'BF.B closed'])
  expect(await listedTo(testApp, follower)).toEqual(['BF.B'])
  expect(await figuresOf(trader)).toEqual({ open: 1, closed: 1, average: 120 })
  expect(inShort(await readActivity(testApp, follower))[0]).toBe('closed BF.B')

  // From the row of before, in a page that has not been loaded again.
  expect((await close(trader, 'BF-B')).body.position).toMatchObject({
    id: first,
    openPrice: 100,
    percentageGain: 10,
  })
  expect(await figuresOf(trader)).toEqual({ open: 0, closed: 2, average: 65 })
  expect(await listedTo(testApp, follower)).toEqual([])
  expect((await close(trader, 'BF-B')).body).toMatchObject({ code: 'position_not_found' })
})

test.each(['BFA.B', 'bfa/b', 'BFA B'])(
  'with both open, who types %s closes the one with the dot',
  async (typed) => {
    const trader = await makeTrader(testApp)
    await price('BFA.B', 100)
    const dotted = (await openTyped(trader, 'BFA.B')).body.position as { id: string }
    await dashed(trader, 'BFA-B', 50)
    clock.set(THURSDAY)
    await price('BFA.B', 110)
    expect((await close(trader, typed)).body.position).toMatchObject({ id: dotted.id, percentageGain: 10 })
    expect(await listedTo(testApp, trader)).toEqual(['BFA-B'])
  },
)

test('who holds a share in the spelling of before opens it in no other one, and another trader does', async () => {
  const [trader, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  await dashed(trader, 'RDS-A', 100)
  await price('RDS.A', 100)
  const preview = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'RDS.A' })
  const order = { symbol: 'RDS.A', key: preview.body.key, openNotes: NOTES }
  const before = await readTables(testApp)
  expect(
    await call(testApp, trader, 'POST', '/v1/positions/open', {
      ...order,
      positionLength: 'one_to_three_weeks',
    }),
  ).toMatchObject({ status: 409, body: { code: 'position_exists' } })
  expect(await readTables(testApp)).toEqual(before)

  expect((await openTyped(other, 'RDS-A')).status).toBe(201)
  clock.set(THURSDAY)
  await price('RDS.A', 110)
  expect((await close(other, 'RDS-A')).status).toBe(200)
  expect(await stored(trader)).toEqual(['RDS-A'])
  expect((await close(trader, 'RDS.A')).status).toBe(200)
  expect(await stored(trader)).toEqual(['RDS.A closed'])
  await price('RDS.A', 110)
  expect((await openTyped(trader, 'RDS-A')).status).toBe(201)
  expect(await stored(trader)).toEqual(['RDS.A closed', 'RDS.A'])
  expect(await figuresOf(trader)).toMatchObject({ open: 1, closed: 1, average: 10 })
})

test('the provider is asked about a share in its one spelling, and the rows of both have its price', async () => {
  const trader = await makeTrader(testApp)
  await price('HEI.A', 100)
  await openTyped(trader, 'HEI.A')
  await dashed(trader, 'HEI-A', 90)
  await pool.query('delete from symbol_marks')
  clock.advance(3_600_000)
  await letRoundGoBy(testApp)
  quotes.set('HEI.A', { price: 101, at: clock.now() })
  await askAll(testApp, askDepsOf(testApp, quotes.provider))
  expect(await marksOf(testApp, trader)).toMatchObject([
    { symbol: 'HEI-A', price: '101', state: 'current' },
    { symbol: 'HEI.A', price: '101', state: 'current' },
  ])
  expect(timesAsked('HEI-A')).toBe(0)

  // A price that looks wrong is one case in all spellings, under the name by which an operator accepts it.
  clock.advance(3_600_000)
  quotes.set('HEI.A', { price: 900, at: clock.now() })
  await marksOf(testApp, trader)
  await askAll(testApp, askDepsOf(testApp, quotes.provider))
  const { rows } = await pool.query(`select symbol from suspect_prices where symbol like 'HEI%'`)
  expect(rows).toEqual([{ symbol: 'HEI.A' }])
})

test('a price of the spelling of before is one that the next is judged by, and who holds it can close without a price', async () => {
  const trader = await makeTrader(testApp)
  await dashed(trader, 'LEN-B', 100)
  expect(await holdsSymbol(db, { personId: trader.userId, symbol: 'LEN.B' })).toBe(true)
  await pool.query(
    `insert into symbol_marks (symbol, price, quoted_at, answered_at) values ('LEN-B', 104, $1, $1)`,
    [clock.now()],
  )
  clock.set(THURSDAY)
  quotes.set('LEN.B', { price: 300, at: clock.now() })
  const jumped = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'LEN-B' })
  expect(jumped.body).toMatchObject({ code: 'price_suspect', price: '104.000000', symbol: 'LEN.B' })
  quotes.set('LEN.B', { price: 0, at: clock.now() })
  const none = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'LEN.B' })
  expect(none.body).toMatchObject({ code: 'symbol_not_found', price: '104.000000' })
  const order = { symbol: 'LEN.B', key: none.body.key, closeNotes: NOTES }
  expect((await call(testApp, trader, 'POST', '/v1/positions/close', order)).body.position).toMatchObject({
    stock: 'LEN.B',
    settled: false,
  })
  expect(await stored(trader)).toEqual(['LEN.B unsettled'])
})

test('an unsettled close of before is settled at a trade of the share', async () => {
  const trader = await makeTrader(testApp)
  await dashed(trader, 'GEF-B', 100)
  clock.set(THURSDAY)
  quotes.set('GEF.B', { price: 100, at: new Date(clock.now().getTime() - 3_600_000) })
  expect((await close(trader, 'GEF-B')).body.position).toMatchObject({ settled: false })
  // As the version before would have left it.
  await pool.query(`update positions set symbol = 'GEF-B' where trader_id = $1`, [trader.userId])
  clock.set(FRIDAY)
  quotes.set('GEF.B', { price: 120, at: FRIDAY })
  await settleCloses({ ...testApp, db, log: testApp.app.log as never }).run(clock.now())
  expect(await stored(trader)).toEqual(['GEF-B closed'])
  expect(await figuresOf(trader)).toEqual({ open: 0, closed: 1, average: 20 })
  expect(timesAsked('GEF-B')).toBe(0)
})

test('a position that gets the dot at its close keeps the closes and splits of its days', async () => {
  const trader = await makeTrader(testApp)
  await dashed(trader, 'MOG-A', 100)
  await insertCloses(testApp, [
    ['MOG-A', '2026-03-03', 98],
    ['MOG-A', '2026-03-04', 101],
    ['MOG-A', '2026-03-05', 102],
    ['MOG.A', '2026-03-05', 103],
  ])
  await pool.query(
    `insert into symbol_splits (symbol, day, shares, said_at) values ('MOG-A', '2026-03-05', 1.5, $1)`,
    [TEST_NOW],
  )
  clock.set(FRIDAY)
  await price('MOG.A', 110)
  expect((await close(trader, 'MOG.A')).status).toBe(200)
  const { rows } = await pool.query(
    `select day::text, close::float8 from symbol_days where symbol = 'MOG.A' order by day`,
  )
  expect(rows).toEqual([
    { day: '2026-03-04', close: 101 },
    { day: '2026-03-05', close: 103 },
  ])
  const splits = await pool.query(`select shares::float8 from symbol_splits where symbol = 'MOG.A'`)
  expect(splits.rows).toEqual([{ shares: 1.5 }])
})

test('closed positions are found by every spelling, those of before too', async () => {
  const trader = await makeTrader(testApp)
  await price('CWEN.A', 100)
  await openTyped(trader, 'CWEN.A')
  await dashed(trader, 'CWEN-A', 100)
  await dashed(trader, 'UHAL-B', 100)
  clock.set(THURSDAY)
  for (const symbol of ['CWEN.A', 'UHAL.B']) await price(symbol, 110)
  for (const symbol of ['CWEN.A', 'CWEN-A', 'UHAL.B']) expect((await close(trader, symbol)).status).toBe(200)
  // As the version before would have left one.
  await pool.query(
    `update positions set symbol = 'CWEN-A' where trader_id = $1 and id = (
       select id from positions where trader_id = $1 and symbol = 'CWEN.A' limit 1)`,
    [trader.userId],
  )
  for (const typed of ['CWEN.A', 'cwen-a', 'CWEN%2FA']) {
    const list = `/v1/traders/${trader.username}/positions/closed?symbol=${typed}`
    expect((await call(testApp, trader, 'GET', list)).body.positions, typed).toHaveLength(2)
  }
})
