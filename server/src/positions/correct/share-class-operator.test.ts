import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { makeTrader, open, type Trader } from '../../../test/factories.ts'
import { EVENING, FROM, retract, TO } from '../../../test/prices/glitch.ts'
import { insertCloses, insertPositions } from '../../../test/prices/proven-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { closeTyped, haveDashed, setPrice, storedOf } from '../../../test/prices/share-class.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { acceptPrice } from '../../quotes/prices/accept-price.ts'
import { recountStatistics } from '../record/recount-statistics.ts'
import { adjustForSplit, closeDelisted } from './adjust-positions.ts'
import { renameSymbol } from './rename-symbol.ts'

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
const secret = makeSecretKey(testApp.settings.authSecret)
const dashed = (trader: Trader, symbol: string, price: number) =>
  haveDashed(testApp, quotes, trader, symbol, price)
const stored = (trader: Trader) => storedOf(testApp, trader)

/** Both spellings, the dot first. */
async function haveBoth(root: string): Promise<Trader> {
  const trader = await makeTrader(testApp)
  expect((await open(testApp, quotes, trader, `${root}.B`, 100)).status).toBe(201)
  await dashed(trader, `${root}-B`, 60)
  return trader
}

async function pricesOf({ userId }: Trader) {
  const { rows } = await pool.query(
    `select open_price::float8 as open, close_price::float8 as close from positions where trader_id = $1 order by opened_at, id`,
    [userId],
  )
  return rows
}

test('a split reaches the positions of both spellings, once', async () => {
  const trader = await haveBoth('BRKC')
  const alone = await makeTrader(testApp)
  await open(testApp, quotes, alone, 'BRKD.B', 100)
  clock.set(THURSDAY)
  const split = { symbol: 'brkc-b', ratio: '2:1', day: '2026-03-05' }
  expect(await adjustForSplit(db, split, clock.now())).toBe(2)
  expect(await adjustForSplit(db, split, clock.now())).toBe(0)
  expect(await pricesOf(trader)).toEqual([
    { open: 50, close: null },
    { open: 30, close: null },
  ])
  expect(await adjustForSplit(db, { ...split, symbol: 'BRKD.B' }, clock.now())).toBe(1)
  const { rows } = await pool.query('select symbol from symbol_splits order by 1')
  expect(rows.map(({ symbol }) => symbol)).toEqual(['BRKC-B', 'BRKC.B', 'BRKD.B'])
})

test('a delisting closes the positions of both spellings, and settles what is unsettled in them', async () => {
  const [trader, unsettled] = [await haveBoth('DELB'), await makeTrader(testApp)]
  await dashed(unsettled, 'DELB-B', 100)
  clock.set(THURSDAY)
  quotes.set('DELB.B', { price: 100, at: new Date(clock.now().getTime() - 3_600_000) })
  await closeTyped(testApp, unsettled, 'DELB.B')
  // As the version before would have left it.
  await pool.query(`update positions set symbol = 'DELB-B' where trader_id = $1`, [unsettled.userId])
  expect(await closeDelisted(db, { symbol: 'DELB-B', price: '30' }, clock.now())).toEqual({
    closed: 2,
    settled: 1,
    tooNew: 0,
  })
  expect(await stored(trader)).toEqual(['DELB.B closed', 'DELB.B closed'])
  expect(await pricesOf(unsettled)).toEqual([{ open: 100, close: 30 }])
  expect(await recountStatistics(db)).toBe(0)
})

test('a renaming takes along what is spelt either way, and sees the new ticker in either', async () => {
  const [holder, holdsNew, both] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await haveBoth('OLDR'),
  ]
  await dashed(holder, 'OLDR-B', 100)
  await dashed(holdsNew, 'OLDR-B', 100)
  await dashed(holdsNew, 'NEWR-C', 100)
  await insertCloses(testApp, [['OLDR-B', '2026-03-04', 99]])
  clock.set(FRIDAY)
  const renaming = { from: 'OLDR-B', to: 'newr-c', day: '2026-03-06' }
  expect(await renameSymbol({ db, secret }, renaming, clock.now())).toBe(
    'Renamed 2 positions; 2 traders hold both: run this again when one is closed.',
  )
  expect(await stored(holder)).toEqual(['NEWR.C'])
  expect(await stored(both)).toEqual(['NEWR.C', 'OLDR-B'])
  expect((await stored(holdsNew)).toSorted()).toEqual(['NEWR-C', 'OLDR-B'])
  const { rows } = await pool.query(`select close::float8 from symbol_days where symbol = 'NEWR.C'`)
  expect(rows).toEqual([{ close: 99 }])
  const adjusted = await pool.query(
    'select distinct symbol_before, symbol_after from position_adjustments where reason = $1',
    ['renamed'],
  )
  expect(adjusted.rows).toEqual([{ symbol_before: 'OLDR.B', symbol_after: 'NEWR.C' }])
  await expect(
    renameSymbol({ db, secret }, { ...renaming, from: 'OLDR/B', to: 'OLDR B' }, clock.now()),
  ).rejects.toThrow('That is the same ticker.')
})

test('an unsettled close is renamed also where its trader holds the new ticker', async () => {
  const trader = await makeTrader(testApp)
  await dashed(trader, 'OLDU-B', 100)
  clock.set(THURSDAY)
  quotes.set('OLDU.B', { price: 100, at: new Date(clock.now().getTime() - 3_600_000) })
  await closeTyped(testApp, trader, 'OLDU-B')
  await open(testApp, quotes, trader, 'NEWU.B', 100)
  clock.set(FRIDAY)
  const renaming = { from: 'OLDU.B', to: 'NEWU.B', day: '2026-03-06' }
  expect(await renameSymbol({ db, secret }, renaming, clock.now())).toBe('Renamed 1 position.')
  expect(await stored(trader)).toEqual(['NEWU.B unsettled', 'NEWU.B'])
})

test('prices of a glitch are taken back of the positions in both spellings, with what they left beside', async () => {
  const trader = await makeTrader(testApp)
  const opened = { traderId: trader.userId, openedAt: '2026-03-04T14:41:00Z', openPrice: 0.0001 }
  await insertPositions(testApp, [
    { ...opened, symbol: 'GLI.B' },
    { ...opened, symbol: 'GLI-B' },
  ])
  await recountStatistics(db)
  clock.set(new Date('2026-03-04T14:45:00Z'))
  await insertCloses(testApp, [['GLI-B', '2026-03-03', 0.0001]])
  await setPrice(testApp, quotes, 'GLI-B', 0.0001)
  await pool.query(`insert into suspect_prices (symbol, price, since) values ('GLI-B', 1, $1)`, [clock.now()])
  clock.set(EVENING)
  await insertCloses(testApp, [['GLI-B', '2026-03-04', 100]])
  expect(await retract(testApp, { symbol: 'gli-b', from: FROM, to: TO })).toMatchObject({
    prices: 2,
    positions: 2,
    traders: 1,
  })
  expect(await pricesOf(trader)).toEqual([
    { open: 100, close: null },
    { open: 100, close: null },
  ])
  const left = await pool.query(
    `select (select count(*)::int from symbol_days where symbol = 'GLI-B') as days,
       (select count(*)::int from symbol_marks where symbol = 'GLI-B' and price is not null) as marks,
       (select count(*)::int from suspect_prices where symbol = 'GLI-B') as doubts`,
  )
  expect(left.rows).toEqual([{ days: 1, marks: 0, doubts: 0 }])
})

test('a price that the version before found suspect is accepted in either spelling', async () => {
  await pool.query(`insert into suspect_prices (symbol, price, since) values ('ACC-B', 70, $1)`, [TEST_NOW])
  expect(await acceptPrice({ db, secret }, 'ACC.B', clock.now())).toBe('70.000000')
})
