import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import {
  call,
  close,
  makeTrader,
  NOTES,
  open,
  readTables,
  type Trader,
  takeKey,
} from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { recountStatistics } from '../record/recount-statistics.ts'
import { adjustForSplit, closeDelisted } from './adjust-positions.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const { db } = testApp
const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
const now = () => testApp.clock.now()

const profileOf = async (trader: Trader) =>
  (await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)).body

async function activeOf(trader: Trader) {
  const { body } = await call(testApp, trader, 'GET', '/v1/positions')
  return (body.positions as { stock: string; openPrice: number }[]).map(({ openPrice, stock }) => [
    stock,
    openPrice,
  ])
}

async function closesOf(trader: Trader) {
  const { rows } = await testApp.pool.query(
    `select closed_by_operator as by_operator, close_preview_id is not null as has_preview from positions
     where trader_id = $1 and closed_at is not null`,
    [trader.userId],
  )
  return rows
}

test('a split changes what was opened before it and not closed before it, once, and the record with it', async () => {
  const [holder, early, late, hasty] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  await open(testApp, quotes, holder, 'SPLT', 100)
  await open(testApp, quotes, holder, 'AAPL', 100)
  await open(testApp, quotes, early, 'SPLT', 100)
  await open(testApp, quotes, hasty, 'SPLT', 100)
  testApp.clock.set(NEXT_DAY)
  await close(testApp, quotes, early, 'SPLT', 110)
  testApp.clock.set(new Date('2026-03-06T15:00:00.000Z'))
  // At the new price before the operator has entered the split: a loss that is none.
  await close(testApp, quotes, hasty, 'SPLT', 12)
  await open(testApp, quotes, late, 'SPLT', 11)
  expect(await profileOf(hasty)).toMatchObject({ averageProfit: -88 })

  const split = { symbol: ' splt ', ratio: '10:1', day: '2026-03-06' }
  expect(await adjustForSplit(db, split, now())).toBe(2)
  expect(await activeOf(holder)).toEqual(
    expect.arrayContaining([
      ['AAPL', 100],
      ['SPLT', 10],
    ]),
  )
  expect(await activeOf(late)).toEqual([['SPLT', 11]])
  expect(await profileOf(early)).toMatchObject({ averageProfit: 10 })
  expect(await profileOf(hasty)).toMatchObject({
    averageProfit: 20,
    latestPositions: [{ symbol: 'SPLT', percentageGain: 20 }],
  })
  expect(await recountStatistics(db)).toBe(0)
  const { rows } = await testApp.pool.query(
    'select trader_id, open_price_before, open_price_after from position_adjustments order by trader_id',
  )
  const written = { open_price_before: '100.000000', open_price_after: '10.000000' }
  const changed = [holder, hasty].map(({ userId }) => userId).sort()
  expect(rows).toEqual(changed.map((trader_id) => ({ trader_id, ...written })))

  const before = await readTables(testApp)
  expect(await adjustForSplit(db, split, now())).toBe(0)
  expect(await readTables(testApp)).toEqual(before)
  // The other way round is another day's split.
  expect(await adjustForSplit(db, { ...split, ratio: '1:3', day: '2026-03-05' }, now())).toBe(3)
  expect(await activeOf(holder)).toEqual(expect.arrayContaining([['SPLT', 30]]))
})

test('a person whose positions were published is not deleted by a cascade, and their events stay', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'KEPT', 80)
  const before = await readTables(testApp)
  await expect(testApp.pool.query('delete from users where id = $1', [trader.userId])).rejects.toThrow(
    'positions_trader',
  )
  expect(await readTables(testApp)).toEqual(before)
})

test('positions in a stock that is no longer traded are closed at its last worth, and followers are mailed', async () => {
  const [trader, newcomer] = [await makeTrader(testApp), await makeTrader(testApp)]
  await open(testApp, quotes, trader, 'GONE', 80)
  testApp.clock.set(NEXT_DAY)
  await open(testApp, quotes, newcomer, 'GONE', 21)
  const delisting = { symbol: 'GONE', price: '20.00' }
  expect(await closeDelisted(db, delisting, now())).toEqual({ closed: 1, settled: 0, tooNew: 1 })
  expect(await activeOf(trader)).toEqual([])
  expect(await profileOf(trader)).toMatchObject({
    averageProfit: -75,
    latestPositions: [{ symbol: 'GONE', closed: NEXT_DAY.toISOString(), percentageGain: -75 }],
  })
  const { rows } = await testApp.pool.query(
    'select kind from position_events where trader_id = $1 order by event_no',
    [trader.userId],
  )
  expect(rows).toEqual([{ kind: 'opened' }, { kind: 'closed' }])
  expect(await closesOf(trader)).toEqual([{ by_operator: true, has_preview: false }])
  const audited = await testApp.pool.query(
    "select 1 from event_work where trader_id = $1 and event_no = 2 and reader = 'mail'",
    [trader.userId],
  )
  expect(audited.rowCount).toBe(1)

  expect(await closeDelisted(db, delisting, now())).toEqual({ closed: 0, settled: 0, tooNew: 1 })
  testApp.clock.set(new Date('2026-03-06T00:00:00.000Z'))
  expect(await closeDelisted(db, delisting, now())).toEqual({ closed: 1, settled: 0, tooNew: 0 })
  expect(await recountStatistics(db)).toBe(0)
})

test('a position that is closed while its delisting waits for it is left as it is', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'TWICE', 80)
  testApp.clock.set(NEXT_DAY)
  const delisting = { symbol: 'TWICE', price: '20.00' }
  const holding = await testApp.pool.connect()
  try {
    await holding.query('begin')
    await holding.query('select from positions where trader_id = $1 for update', [trader.userId])
    const both = Promise.all([closeDelisted(db, delisting, now()), closeDelisted(db, delisting, now())])
    while ((await countWaiting(testApp)) < 2);
    await holding.query('commit')
    expect((await both).map(({ closed }) => closed).toSorted()).toEqual([0, 1])
  } finally {
    holding.release()
  }
})

test('a close is the operator’s or redeems a preview, and the database takes no other', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'ORCL', 100)
  testApp.clock.set(NEXT_DAY)
  await close(testApp, quotes, trader, 'ORCL', 110)
  expect(await closesOf(trader)).toEqual([{ by_operator: false, has_preview: true }])
  const change = (set: string) =>
    testApp.pool.query(`update positions set ${set} where trader_id = $1`, [trader.userId])
  for (const set of ['closed_by_operator = true', 'close_preview_id = null', 'closed_at = null'])
    await expect(change(set)).rejects.toMatchObject({
      code: '23514',
      constraint: expect.stringContaining('positions_closed_'),
    })
  await change('closed_by_operator = true, close_preview_id = null')
})

test('an adjustment that cannot be meant changes nothing', async () => {
  await open(testApp, quotes, await makeTrader(testApp), 'KEPT', 100)
  testApp.clock.set(NEXT_DAY)
  const before = await readTables(testApp)
  const split = { symbol: 'KEPT', ratio: '2:1', day: '2026-03-05' }
  for (const [wrong, sentence] of [
    [{ symbol: 'K PT' }, 'That is not a ticker.'],
    [{ ratio: '0:1' }, 'That is not a ratio'],
    [{ ratio: '2' }, 'That is not a ratio'],
    [{ day: '2026-02-30T' }, 'That is not a day'],
    [{ day: '5 March' }, 'That is not a day'],
    [{ day: '2026-03-06' }, 'That is not a day'],
  ] as const) {
    await expect(adjustForSplit(db, { ...split, ...wrong }, now())).rejects.toThrow(sentence)
  }
  for (const price of ['', '0', '0.00', '-1', '1e3', '1.2345678']) {
    await expect(closeDelisted(db, { symbol: 'KEPT', price }, now())).rejects.toThrow('That is not a price')
  }
  expect(await readTables(testApp)).toEqual(before)
})

test('a price that was checked before a split closes nothing after it, also for a request that waits for the market', async () => {
  const [before, waiting] = [await makeTrader(testApp), await makeTrader(testApp)]
  for (const trader of [before, waiting]) await open(testApp, quotes, trader, 'KEYS', 900)
  testApp.clock.set(NEXT_DAY)
  const closeWith = (trader: Trader, key: string) =>
    call(testApp, trader, 'POST', '/v1/positions/close', { symbol: 'KEYS', key, closeNotes: NOTES })
  const keys = [
    await takeKey(testApp, quotes, before, 'KEYS', 1000),
    await takeKey(testApp, quotes, waiting, 'KEYS', 1000),
  ]
  testApp.clock.advance(6000)
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>()
  quotes.set('KEYS', (response) => isAsked(() => response.writeHead(500).end()))
  const closing = closeWith(waiting, keys[1] ?? '')
  const answer = await asked
  testApp.clock.advance(1)
  await adjustForSplit(db, { symbol: 'KEYS', ratio: '10:1', day: '2026-03-05' }, now())
  answer()
  expect(await closing).toMatchObject({ body: { code: 'preview_expired' } })
  expect(await closeWith(before, keys[0] ?? '')).toMatchObject({ body: { code: 'preview_expired' } })
  expect(await activeOf(before)).toEqual([['KEYS', 90]])
})
