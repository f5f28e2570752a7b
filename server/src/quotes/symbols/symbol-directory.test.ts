import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { call, makeTrader, NOTES, open, type Trader } from '../../../test/factories.ts'
import { askDepsOf, askOne, letRoundGoBy, marksOf } from '../../../test/prices/marks-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import {
  type Listed,
  listOn,
  operatorNotices,
  readListOfToday,
  setList,
} from '../../../test/prices/symbol-list.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { renameSymbol } from '../../positions/correct/rename-symbol.ts'
import { settleCloses } from '../../positions/publish/settle-closes.ts'

const quotes = await startQuoteServer()
afterAll(() => quotes.close())

/** Of an app of its own: symbols that a list lacks are counted over all of it. */
async function startScenario() {
  const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const { clock, db, pool } = testApp
  const list = (instant: string, ...rows: Listed[]) => listOn(testApp, quotes, instant, rows)
  const preview = async (who: Trader, symbol: string) =>
    (await call(testApp, who, 'POST', '/v1/positions/preview', { symbol })).body
  const trade = (symbol: string, price: number, at: Date = clock.now()) => quotes.set(symbol, { price, at })
  const closeWith = (who: Trader, symbol: string, key: unknown) =>
    call(testApp, who, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })
  const rename = (from: string, to: string, day: string) =>
    renameSymbol({ db, secret: makeSecretKey(testApp.settings.authSecret) }, { from, to, day }, clock.now())
  const settle = () => settleCloses({ ...testApp, db, log: silentLog }).run(clock.now())
  const lookAtMark = async (who: Trader) => {
    await letRoundGoBy(testApp)
    await askOne(testApp, askDepsOf(testApp, quotes.provider))
    return marksOf(testApp, who)
  }
  const positionsOf = async (who: Trader) =>
    (
      await pool.query(
        `select symbol, unsettled, close_price::float8 as price from positions where trader_id = $1 order by opened_at`,
        [who.userId],
      )
    ).rows
  return {
    testApp,
    clock,
    list,
    preview,
    trade,
    closeWith,
    rename,
    settle,
    lookAtMark,
    positionsOf,
    [Symbol.asyncDispose]: () => testApp.close(),
  }
}

/** Enough that a few that go are the few of every day. */
const OTHERS: Listed[] = Array.from({ length: 60 }, (_, nth) => [`ZZ${nth}`, `OTHER ${nth}`, `BBGZ${nth}`])
const WEDNESDAY = '2026-03-04T15:00:00Z'
const THURSDAY = '2026-03-05T15:00:00Z'
const FRIDAY = '2026-03-06T15:00:00Z'

test('a ticker that is another company’s by now is suspect for its holders alone, and the operator is notified once whose it was and where that is', async () => {
  await using scenario = await startScenario()
  const { clock, closeWith, list, lookAtMark, positionsOf, preview, rename, settle, testApp, trade } =
    scenario
  const holder = await makeTrader(testApp)
  const other = await makeTrader(testApp)
  await list(WEDNESDAY, ...OTHERS, ['AAA', 'OLD MINES', 'BBG1'])
  await open(testApp, quotes, holder, 'AAA', 100)

  await list(THURSDAY, ...OTHERS, ['AAA', 'NEW SOFTWARE', 'BBG2'], ['MINE', 'OLD MINES', 'BBG1'])
  expect(await operatorNotices(testApp)).toEqual(['AAA: a ticker that somebody holds has changed'])
  const { rows } = await testApp.pool.query(
    `select facts ->> 'text' as text from outbox where kind = 'operator_notice'`,
  )
  expect(rows[0].text).toContain(
    "AAA is another company's now; it was that of Old Mines. The same share is listed as MINE.",
  )
  expect((await call(testApp, holder, 'GET', '/v1/positions')).body.positions).toMatchObject([
    { stock: 'AAA', companyName: 'Old Mines' },
  ])
  expect((await open(testApp, quotes, other, 'AAA', 101)).body.position).toMatchObject({
    stock: 'AAA',
    companyName: 'New Software',
  })
  expect(await lookAtMark(holder)).toEqual([
    { symbol: 'AAA', price: null, at: null, state: 'waiting', unpriced: true },
  ])
  expect(await lookAtMark(other)).toMatchObject([{ symbol: 'AAA', price: '101', state: 'current' }])

  // Plausible beside what the holder paid, and yet another company's.
  trade('AAA', 103)
  expect(await preview(other, 'AAA')).toMatchObject({ price: '103' })
  const refused = await preview(holder, 'AAA')
  expect(refused).toMatchObject({ code: 'price_suspect', price: '100.000000', settled: false })
  const { body } = await closeWith(holder, 'AAA', refused.key)
  expect(body.position).toMatchObject({ closePrice: 100, settled: false, companyName: 'Old Mines' })
  clock.set(new Date(FRIDAY))
  trade('AAA', 104)
  trade('MINE', 130)
  await settle()
  expect(await positionsOf(holder)).toEqual([{ symbol: 'AAA', unsettled: true, price: 100 }])

  expect(await rename('AAA', 'MINE', '2026-03-05')).toBe('Renamed 1 position.')
  clock.advance(61_000)
  trade('MINE', 130)
  await settle()
  expect(await positionsOf(holder)).toEqual([{ symbol: 'MINE', unsettled: false, price: 130 }])
  expect(await positionsOf(other)).toEqual([{ symbol: 'AAA', unsettled: false, price: null }])
  await list(
    '2026-03-07T15:00:00Z',
    ...OTHERS,
    ['AAA', 'NEW SOFTWARE', 'BBG2'],
    ['MINE', 'OLD MINES', 'BBG1'],
  )
  expect(await operatorNotices(testApp)).toHaveLength(1)
})

test('a share that the list holds no more is no longer traded, whatever its last price, until it is listed again', async () => {
  await using scenario = await startScenario()
  const { clock, list, lookAtMark, preview, testApp, trade } = scenario
  const holder = await makeTrader(testApp)
  await list(WEDNESDAY, ...OTHERS, ['AAA', 'OLD MINES', 'BBG1'], ['NOBODY', 'HELD BY NOBODY'])
  await open(testApp, quotes, holder, 'AAA', 100)
  const lastTrade = clock.now()
  await list(THURSDAY, ...OTHERS)
  expect(await operatorNotices(testApp)).toEqual(['AAA: a ticker that somebody holds has changed'])
  trade('AAA', 100, lastTrade)
  expect(await lookAtMark(holder)).toMatchObject([{ symbol: 'AAA', price: '100', state: 'gone' }])
  expect((await call(testApp, holder, 'GET', '/v1/symbols?query=aaa')).body).toEqual({ symbols: [] })
  trade('AAA', 0)
  clock.advance(600_000)
  expect(await lookAtMark(holder)).toMatchObject([{ symbol: 'AAA', price: '100', state: 'gone' }])
  expect(await preview(holder, 'AAA')).toMatchObject({
    code: 'symbol_not_found',
    price: '100.000000',
    settled: false,
  })

  await list(FRIDAY, ...OTHERS, ['AAA', 'OLD MINES', 'BBG1'])
  trade('AAA', 90)
  clock.advance(600_000)
  trade('AAA', 90)
  expect(await lookAtMark(holder)).toMatchObject([{ symbol: 'AAA', price: '90', state: 'current' }])
  expect(await preview(holder, 'AAA')).toMatchObject({ price: '90' })
  expect(await operatorNotices(testApp)).toHaveLength(1)
})

test('a ticker that was gone and comes back under another name is another company’s, where the list has no identity of its share', async () => {
  await using scenario = await startScenario()
  const { list, preview, testApp, trade } = scenario
  const [holder, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  await list(WEDNESDAY, ...OTHERS, ['AAA', 'OLD MINES', 'BBG1'])
  await open(testApp, quotes, holder, 'AAA', 100)
  await list(THURSDAY, ...OTHERS)
  await list(FRIDAY, ...OTHERS, ['AAA', 'NEW SOFTWARE'])
  await open(testApp, quotes, other, 'AAA', 101)
  trade('AAA', 101)
  expect(await preview(holder, 'AAA')).toMatchObject({ code: 'price_suspect', price: '100.000000' })
  // An identity of the share that comes later is no change.
  await list('2026-03-09T15:00:00Z', ...OTHERS, ['AAA', 'NEW SOFTWARE', 'BBG2'])
  trade('AAA', 102)
  expect(await preview(other, 'AAA')).toMatchObject({ price: '102' })
  const nameOf = async (who: Trader) =>
    (await call(testApp, who, 'GET', '/v1/positions')).body.positions as { companyName: string }[]
  expect(await nameOf(holder)).toMatchObject([{ companyName: 'Old Mines' }])
  expect(await nameOf(other)).toMatchObject([{ companyName: 'New Software' }])
  // Nor is the first company's share one of the second when a third one has the ticker.
  await list('2026-03-10T15:00:00Z', ...OTHERS, ['AAA', 'THIRD BANK', 'BBG3'])
  expect(await nameOf(holder)).toMatchObject([{ companyName: 'Old Mines' }])
  expect(await nameOf(other)).toMatchObject([{ companyName: 'New Software' }])
})

test('a list that lacks half of its symbols for a day ends nothing, and on the third day what it lacks is delisted', async () => {
  await using scenario = await startScenario()
  const { list, lookAtMark, testApp } = scenario
  const holder = await makeTrader(testApp)
  const half = OTHERS.slice(0, 30)
  const offered = async () =>
    (await call(testApp, holder, 'GET', '/v1/symbols?query=zz59')).body.symbols as unknown[]
  await list('2026-03-03T15:00:00Z', ...OTHERS)
  await open(testApp, quotes, holder, 'ZZ59', 100)
  await list(WEDNESDAY, ...half)
  expect(await operatorNotices(testApp)).toEqual(['the list of symbols is not whole'])
  expect(await lookAtMark(holder)).toMatchObject([{ symbol: 'ZZ59', price: '100', state: 'current' }])
  await list(THURSDAY, ...OTHERS)
  expect(await offered()).toHaveLength(1)
  expect(await operatorNotices(testApp)).toHaveLength(1)

  await list(FRIDAY, ...half)
  // Shorter still, and the operator is notified already.
  await list('2026-03-07T15:00:00Z', ...half.slice(0, 15))
  expect(await marksOf(testApp, holder)).toMatchObject([{ state: 'aged' }])
  await list('2026-03-08T15:00:00Z', ...half.slice(0, 15))
  expect(await marksOf(testApp, holder)).toMatchObject([{ state: 'gone' }])
  expect(await operatorNotices(testApp)).toEqual([
    'the list of symbols is not whole',
    'the list of symbols is not whole',
    'ZZ59: a ticker that somebody holds has changed',
  ])
})

test('of a short list five that go are the few of every day, and six are not', async () => {
  await using scenario = await startScenario()
  const { list, testApp } = scenario
  const few = OTHERS.slice(0, 12)
  await list(WEDNESDAY, ...few)
  await list(THURSDAY, ...few.slice(5))
  expect(await operatorNotices(testApp)).toEqual([])
  await list(FRIDAY, ...few.slice(11))
  expect(await operatorNotices(testApp)).toEqual(['the list of symbols is not whole'])
})

test('the list is read once a day from ten o’clock UTC, by one of all workers, and after a failure again ten minutes later', async () => {
  await using scenario = await startScenario()
  const { clock, testApp } = scenario
  setList(quotes, OTHERS)
  clock.set(new Date(WEDNESDAY))
  const asked = await Promise.all([1, 2, 3].map(() => readListOfToday(testApp, quotes)))
  expect(Math.max(...asked)).toBe(1)
  clock.set(new Date('2026-03-05T09:59:59Z'))
  expect(await readListOfToday(testApp, quotes)).toBe(0)
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  quotes.setList((response) => void response.writeHead(500).end())
  clock.set(new Date('2026-03-05T10:00:00Z'))
  expect(await readListOfToday(testApp, quotes, log)).toBe(1)
  expect(lines).toMatchObject([{ msg: 'the list of symbols could not be read', reason: 'status 500' }])
  clock.set(new Date('2026-03-05T10:09:59Z'))
  expect(await readListOfToday(testApp, quotes, log)).toBe(0)
  clock.set(new Date('2026-03-05T10:10:00Z'))
  setList(quotes, OTHERS)
  expect(await readListOfToday(testApp, quotes, log)).toBe(1)
})

test('a list that is away for days leaves names and search as they were, and the operator is notified once', async () => {
  await using scenario = await startScenario()
  const { clock, list, testApp } = scenario
  const trader = await makeTrader(testApp)
  await list('2026-03-02T15:00:00Z', ...OTHERS)
  quotes.setList((response) => void response.destroy())
  for (const day of ['03', '04', '05', '06']) {
    clock.set(new Date(`2026-03-${day}T15:00:00Z`))
    expect(await readListOfToday(testApp, quotes)).toBe(1)
    clock.advance(600_000)
    expect(await readListOfToday(testApp, quotes)).toBe(1)
  }
  expect(await operatorNotices(testApp)).toEqual(['there is no list of symbols'])
  expect((await open(testApp, quotes, trader, 'ZZ1', 100)).body.position).toMatchObject({
    companyName: 'Other 1',
  })
  await list('2026-03-07T15:00:00Z', ...OTHERS)
  quotes.setList((response) => void response.destroy())
  clock.set(new Date('2026-03-11T15:00:00Z'))
  await readListOfToday(testApp, quotes)
  expect(await operatorNotices(testApp)).toHaveLength(2)
})

test('a ticker that the list spells with a hyphen is found by a search with a point, and stored as the list has it', async () => {
  await using scenario = await startScenario()
  const { list, preview, testApp, trade } = scenario
  const trader = await makeTrader(testApp)
  await list(WEDNESDAY, ...OTHERS, ['BAC-PL', 'BANK OF AMERICA PFD L'], ['BRK.B', 'BERKSHIRE HATHAWAY CL B'])
  trade('BAC-PL', 1200)
  trade('BRK.B', 500)
  for (const [typed, symbol] of [
    ['bac.pl', 'BAC-PL'],
    ['BRK-B', 'BRK.B'],
    ['brk/b', 'BRK.B'],
  ] as const) {
    const checked = await preview(trader, typed)
    expect(checked).toMatchObject({ symbol })
    const order = { symbol: typed, key: checked.key, openNotes: NOTES, positionLength: 'one_to_three_weeks' }
    if (typed === 'brk/b') {
      expect(await call(testApp, trader, 'POST', '/v1/positions/open', order)).toMatchObject({
        body: { code: 'position_exists' },
      })
    } else {
      const { body } = await call(testApp, trader, 'POST', '/v1/positions/open', order)
      expect(body.position).toMatchObject({ stock: symbol })
    }
  }
})
