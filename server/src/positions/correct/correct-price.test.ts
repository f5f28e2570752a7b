import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readActivity } from '../../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, close, makeTrader, open, readTables, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { makeEventMails } from '../../mail/event-mails/event-mails.ts'
import { recountStatistics } from '../record/recount-statistics.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const { db, pool } = testApp
const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
const REASON = 'Nobody traded at that price.'

const adjust = (id: string, ...words: string[]) =>
  runOperator(testApp, 'positions:adjust', 'price', id, ...words)

async function profileOf(trader: Trader) {
  return (await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)).body
}

async function idOf(trader: Trader): Promise<string> {
  const { rows } = await pool.query('select id from positions where trader_id = $1', [trader.userId])
  return rows[0].id
}

test('a closing price that an operator sets changes gain and statistics, once, and sends followers both prices and the reason', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'GLCH', 100)
  testApp.clock.set(NEXT_DAY)
  await close(testApp, quotes, trader, 'GLCH', 130)
  const id = await idOf(trader)
  expect(await adjust(id, 'close', '90.00', ...REASON.split(' '))).toBe('Adjusted.\n')
  expect(await profileOf(trader)).toMatchObject({
    averageProfit: -10,
    latestPositions: [{ symbol: 'GLCH', percentageGain: -10 }],
  })
  expect(await recountStatistics(db)).toBe(0)
  const correction = { end: 'close', priceBefore: 130, price: 90, reason: REASON }
  const [item] = (await readActivity(testApp, trader)).items
  expect(item).toMatchObject({ id: `${trader.username}.3`, kind: 'adjusted', correction })
  const mails = makeEventMails({ db, settings: testApp.settings })
  const mail = await mails.of({ traderId: trader.userId, eventNo: 3 })
  const written = mail?.sheet().to({ address: 'ada@example.com', unsubscribeToken: 'x' }).bytes('').toString()
  expect(String(written)).toContain(`@${trader.username}'s GLCH, corrected: close price $90.00`)
  const mailed = await pool.query(
    "select 1 from event_work where trader_id = $1 and event_no = 3 and reader = 'mail'",
    [trader.userId],
  )
  expect(mailed.rowCount).toBe(1)
  expect(await runOperator(testApp, 'audit')).toContain(`${id} close 130.000000 to 90.00 by operator`)

  const before = await readTables(testApp)
  expect(await adjust(id, 'close', '90', REASON)).toBe('That is its price already.\n')
  expect(await readTables(testApp)).toEqual(before)
  // The opening price on the same day is another correction, and so is a second one of the close.
  expect(await adjust(id, 'open', '60', REASON)).toBe('Adjusted.\n')
  expect(await adjust(id, 'close', '75', REASON)).toBe('Adjusted.\n')
  expect(await profileOf(trader)).toMatchObject({ averageProfit: 25 })
  expect(await recountStatistics(db)).toBe(0)
  const { rows } = await pool.query(
    `select corrected, price_before, price_after, open_price_before, open_price_after, event_no from position_adjustments
     where position_id = $1 order by event_no`,
    [id],
  )
  expect(rows.map((row) => Object.values(row).map(String))).toEqual([
    ['close', '130.000000', '90.000000', '100.000000', '100.000000', '3'],
    ['open', '100.000000', '60.000000', '100.000000', '60.000000', '4'],
    ['close', '90.000000', '75.000000', '60.000000', '60.000000', '5'],
  ])
})

test('a gain that is corrected to nothing, and from it, counts as no win', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'FLAT', 100)
  testApp.clock.set(NEXT_DAY)
  await close(testApp, quotes, trader, 'FLAT', 130)
  const id = await idOf(trader)
  const wins: number[] = []
  for (const price of ['100', '90', '100', '100.01']) {
    expect(await adjust(id, 'close', price, REASON)).toBe('Adjusted.\n')
    const { rows } = await pool.query('select win_count from trader_stats where trader_id = $1', [
      trader.userId,
    ])
    wins.push(Number(rows[0].win_count))
    expect(await recountStatistics(db)).toBe(0)
  }
  expect(wins).toEqual([0, 0, 0, 1])
})

test('an unsettled close stays out of the statistics when its opening price is set right', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'WAIT', 100)
  testApp.clock.set(NEXT_DAY)
  await close(testApp, quotes, trader, 'WAIT', 130)
  await pool.query('update positions set unsettled = true where trader_id = $1', [trader.userId])
  await recountStatistics(db)
  const id = await idOf(trader)
  expect(await adjust(id, 'open', '65', REASON)).toBe('Adjusted.\n')
  expect(await recountStatistics(db)).toBe(0)
  const { rows } = await pool.query('select percentage_gain from positions where id = $1', [id])
  expect(Number(rows[0].percentage_gain)).toBe(100)
})

test('a correction that cannot be meant is refused with the reason and changes nothing', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'KEPT', 100)
  const id = await idOf(trader)
  const before = await readTables(testApp)
  for (const [words, sentence] of [
    [['one', 'open', '1', REASON], 'That is not the id of a position.'],
    [[randomUUID(), 'open', '1', REASON], 'There is no such position.'],
    [[id, 'both', '1', REASON], 'Say `open` or `close` behind the position.'],
    [[id, 'open', '0', REASON], 'That is not a price such as 12.50.'],
    [[id, 'open', '1'], 'Say why, in at most 500 characters'],
    [[id, 'close', '1', REASON], 'That position is not closed.'],
  ] as const) {
    const [which, ...more] = words
    await expect(adjust(which, ...more)).rejects.toThrow(sentence)
  }
  expect(await readTables(testApp)).toEqual(before)
})

test('a price that looks wrong is accepted once, and audited', async () => {
  await pool.query("insert into suspect_prices (symbol, price, since) values ('HALF', 50, $1)", [TEST_NOW])
  expect(await runOperator(testApp, 'prices:accept', 'half')).toBe('Accepted 50.000000.\n')
  expect(await runOperator(testApp, 'prices:accept', 'HALF')).toBe('No price of it looks wrong.\n')
  expect(await runOperator(testApp, 'prices:accept', 'NONE')).toBe('No price of it looks wrong.\n')
  expect(
    (await runOperator(testApp, 'audit')).match(/price_accepted .*HALF 50\.000000 by operator/g),
  ).toHaveLength(1)
  await expect(runOperator(testApp, 'prices:accept')).rejects.toThrow('Say a ticker.')
  await expect(runOperator(testApp, 'prices:accept', 'N O')).rejects.toThrow('That is not a ticker.')
})
