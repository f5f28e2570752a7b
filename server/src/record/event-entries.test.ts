import { hash } from 'node:crypto'
import { LEAF_FLAGS } from '@tradepost/record/leaf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, close, makeTrader, NOTES, open, type Trader } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { checkLog, makeTestRecord, registerRecord } from '../../test/record.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { adjustForSplit, closeDelisted } from '../positions/correct/adjust-positions.ts'
import { correctPrice } from '../positions/correct/correct-price.ts'
import { renameSymbol } from '../positions/correct/rename-symbol.ts'
import { strikePosition } from '../positions/correct/strike-position.ts'
import { settleCloses } from '../positions/publish/settle-closes.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
const { clock, db, pool } = testApp
const secret = makeSecretKey(testApp.settings.authSecret)
const record = makeTestRecord(testApp)
beforeAll(() => registerRecord(testApp))
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const THURSDAY = new Date('2026-03-05T15:00:00.000Z')
const FRIDAY = new Date('2026-03-06T15:00:00.000Z')
const FRIDAYS_LAST = new Date('2026-03-06T20:59:58.000Z')
const SUNDAY = new Date('2026-03-08T22:00:00.000Z')
const MONDAY = new Date('2026-03-09T13:31:05.000Z')
const REASON = 'Nobody traded at that price.'
const ofNotes = hash('sha256', NOTES, 'base64')
const ofReason = hash('sha256', REASON, 'base64')
const { operator } = LEAF_FLAGS

async function idOf(trader: Trader, symbol: string): Promise<string> {
  const { rows } = await pool.query('select id from positions where trader_id = $1 and symbol = $2', [
    trader.userId,
    symbol,
  ])
  return rows[0].id
}
const strike = async (trader: Trader, symbol: string) =>
  strikePosition({ db, secret }, { id: await idOf(trader, symbol), reason: REASON }, clock.now())
const correct = async (trader: Trader, symbol: string, end: string, price: string) =>
  correctPrice({ db, secret }, { id: await idOf(trader, symbol), end, price, reason: REASON }, clock.now())
const rename = (from: string, to: string, day: string) =>
  renameSymbol({ db, secret }, { from, to, day }, clock.now())
const settle = () => settleCloses({ ...testApp, db, log: testApp.app.log as never }).run(clock.now())

/** At the last price of Friday. */
async function closeOnSunday(trader: Trader, symbol: string): Promise<void> {
  clock.set(SUNDAY)
  quotes.set(symbol, { price: 110, at: FRIDAYS_LAST })
  const { body } = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
  const order = { symbol, key: body.key, closeNotes: NOTES }
  expect((await call(testApp, trader, 'POST', '/v1/positions/close', order)).status).toBe(200)
}

/** The log's entries of a trader, a line each. */
async function entriesOf(trader: Trader) {
  const entries = (await checkLog(testApp)).filter((entry) => entry.trader === trader.userId)
  return entries.map(({ flags, hold, kind, open: openNow, seq, seqOfOpening, text }) => [
    seq,
    kind,
    { hold, flags, of: seqOfOpening, open: openNow },
    ...(text ?? []),
  ])
}

/** Everything that can happen to a position, and what the log says of it. */
async function live(trader: Trader, afterEach: () => Promise<unknown>): Promise<void> {
  const step = async (happening: Promise<unknown>) => {
    const answer = await happening
    if (answer !== null && typeof answer === 'object' && 'status' in answer)
      expect([200, 201]).toContain(answer.status)
    clock.advance(1000)
    await afterEach()
  }
  const { username } = trader
  const name = (letter: string) => `${username.slice(0, 3).toUpperCase()}${letter}`
  clock.set(TEST_NOW)
  for (const letter of ['A', 'B', 'C', 'D', 'E'])
    await step(open(testApp, quotes, trader, name(letter), 100.5))
  clock.set(THURSDAY)
  await step(close(testApp, quotes, trader, name('A'), 120))
  await step(correct(trader, name('A'), 'close', '90.00'))
  await step(correct(trader, name('A'), 'open', '60.10'))
  await step(strike(trader, name('A')))
  await step(strike(trader, name('B')))
  await step(close(testApp, quotes, trader, name('B'), 130))
  await step(closeDelisted(db, { symbol: name('C'), price: '0.000001' }, clock.now()))
  clock.set(FRIDAY)
  await step(adjustForSplit(db, { symbol: name('D'), ratio: '10:1', day: '2026-03-06' }, clock.now()))
  await step(adjustForSplit(db, { symbol: name('D'), ratio: '1:2', day: '2026-03-05' }, clock.now()))
  await step(rename(name('D'), name('X'), '2026-03-06'))
  await step(close(testApp, quotes, trader, name('X'), 25))
  await step(closeOnSunday(trader, name('E')))
  clock.set(MONDAY)
  quotes.set(name('E'), { price: 92, at: new Date('2026-03-09T13:30:31.000Z') })
  await step(settle())
}

/** @param closeOfE price of the close that waited for its settlement */
function expected(name: (letter: string) => string, closeOfE: string) {
  const opened = (seq: number, letter: string) => [
    ...[seq, 'opened', { hold: 2, flags: 0, of: 0, open: seq }, 'opened', name(letter), '100.5', 'USD'],
    expect.stringMatching(/^2026-03-04T15:00:0\d\.000Z$/),
    ...['one_to_three_weeks', ofNotes],
  ]
  const closed = (seq: number, of: number, openNow: number, ...[letter = '', price, at]: string[]) => [
    ...[seq, 'closed', { hold: 0, flags: 0, of, open: openNow }],
    ...['closed', name(letter), price, 'USD', at, '', ofNotes],
  ]
  const adjusted = (seq: number, of: number, openNow: number, ...[letter = '', ...rest]: string[]) => [
    ...[seq, 'adjusted', { hold: 0, flags: operator, of, open: openNow }, 'adjusted', name(letter), ...rest],
  ]
  const delisted = ['closed', name('C'), '0.000001', 'USD', expect.any(String), '', expect.any(String)]
  return [
    ...['A', 'B', 'C', 'D', 'E'].map((letter, nth) => opened(nth + 1, letter)),
    closed(6, 1, 4, 'A', '120', '2026-03-05T15:00:00.000Z'),
    adjusted(7, 1, 4, 'A', 'price', 'close', '90', ofReason),
    adjusted(8, 1, 4, 'A', 'price', 'open', '60.1', ofReason),
    adjusted(9, 1, 4, 'A', 'struck', ofReason),
    adjusted(10, 2, 3, 'B', 'struck', ofReason),
    closed(11, 2, 3, 'B', '130', '2026-03-05T15:00:05.000Z'),
    [12, 'closed', { hold: 0, flags: operator, of: 3, open: 2 }, ...delisted],
    adjusted(13, 4, 2, 'D', 'split', '10:1', '2026-03-06'),
    adjusted(14, 4, 2, 'D', 'split', '1:2', '2026-03-05'),
    adjusted(15, 4, 2, 'D', 'renamed', name('X'), '2026-03-06'),
    closed(16, 4, 1, 'X', '25', '2026-03-06T15:00:03.000Z'),
    closed(17, 5, 0, 'E', closeOfE, '2026-03-06T20:59:58.000Z'),
    [
      ...[18, 'adjusted', { hold: 0, flags: 0, of: 5, open: 0 }, 'adjusted', name('E'), 'settled'],
      ...['92', 'USD', '2026-03-09T13:30:31.000Z'],
    ],
  ]
}

test('whatever happens to a position is an entry that says what was published, with the open positions behind it', async () => {
  const trader = await makeTrader(testApp, 'eva')
  await live(trader, () => record.ensure())
  expect(await entriesOf(trader)).toEqual(expected((letter) => `EVA${letter}`, '110'))
})

test('entries that are written after everything has happened say what was published at each event', async () => {
  const trader = await makeTrader(testApp, 'ida')
  await live(trader, async () => undefined)
  clock.advance(3_600_000)
  await record.ensure()
  // The settlement has overwritten the price of the close that waited for it.
  expect(await entriesOf(trader)).toEqual(expected((letter) => `IDA${letter}`, ''))
})
