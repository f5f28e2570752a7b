import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader, NOTES, readTables, takeKey } from '../../../test/factories.ts'
import {
  closedInIt,
  EVENING,
  FROM,
  haveGlitch,
  openedInIt,
  retract,
  TO,
} from '../../../test/prices/glitch.ts'
import {
  daysOf,
  type GivenPosition,
  insertCloses,
  insertPositions,
  insertTraders,
  scoreAt,
} from '../../../test/prices/proven-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { recountStatistics } from '../record/recount-statistics.ts'
import { correctPrice } from './correct-price.ts'

type Case = {
  given: Partial<GivenPosition>
  /** Columns that the test sets itself. */
  set?: string
  /** Open price, close price and gain afterwards; `unsettled` behind them. */
  is: string
}

const CLOSED = { closedAt: '2026-03-04T14:45:00Z', closePrice: 300 }
const BEFORE = { closedAt: '2026-03-04T14:30:00Z', closePrice: 300 }

/** A position is opened the day before at 100, and the price that is known after the glitch is 150. */
const CASES: Record<string, Case> = {
  'opened in it': { given: { openedAt: '2026-03-04T14:45:00Z' }, is: '150 - -' },
  'opened at its first instant': { given: { openedAt: FROM }, is: '150 - -' },
  'opened before it': { given: { openedAt: '2026-03-04T14:39:59.999Z' }, is: '100 - -' },
  'opened after it': { given: { openedAt: '2026-03-04T14:50:00.001Z' }, is: '100 - -' },
  'closed in it': { given: CLOSED, is: '100 150 50' },
  'closed at its last instant': { given: { ...CLOSED, closedAt: TO }, is: '100 150 50' },
  'closed before it': { given: BEFORE, is: '100 300 200' },
  'opened and closed in it': {
    given: { ...CLOSED, openedAt: '2026-03-04T14:41:00Z' },
    is: '150 150 0',
  },
  'closed in it, settled after it': {
    given: { ...CLOSED, settledAt: '2026-03-04T15:00:00Z' },
    is: '100 300 200',
  },
  'closed before it, settled in it': {
    given: { ...BEFORE, settledAt: '2026-03-04T14:45:00Z' },
    is: '100 150 50',
  },
  'unsettled at a last price of it': {
    given: { ...CLOSED, closedAt: '2026-03-04T21:30:00Z', unsettled: true },
    set: "close_quoted_at = '2026-03-04T14:45:00Z'",
    is: '100 150 50 unsettled',
  },
  'unsettled in it, at a last price of before': {
    given: { ...CLOSED, unsettled: true },
    set: "close_quoted_at = '2026-03-04T14:39:00Z'",
    is: '100 300 200 unsettled',
  },
  'settled at a last price of it': {
    given: { ...CLOSED, closedAt: '2026-03-04T14:55:00Z', settledAt: '2026-03-04T21:30:00Z' },
    set: "settled_by = 'last_price', close_quoted_at = '2026-03-04T14:45:00Z'",
    is: '100 150 50',
  },
  'settled by the operator': {
    given: { ...CLOSED, settledAt: '2026-03-04T15:00:00Z' },
    set: "settled_by = 'operator'",
    is: '100 300 200',
  },
  'closed by the operator': {
    given: CLOSED,
    set: 'closed_by_operator = true, close_preview_id = null',
    is: '100 300 200',
  },
  'closed with the account, at a price of it': {
    given: CLOSED,
    set: "closed_by_operator = true, close_preview_id = null, close_quoted_at = '2026-03-04T14:45:00Z'",
    is: '100 150 50',
  },
  struck: { given: CLOSED, set: "struck_at = closed_at, struck_reason = 'Tried out.'", is: '100 150 50' },
}

test('exactly those prices are set right that were quoted in the glitch, at either end, and statistics are those of a recount', async () => {
  await using testApp = await buildTestApp()
  const names = Object.keys(CASES)
  const traders = await insertTraders(testApp, names.length)
  await testApp.pool.query('alter table positions alter override_used set default true')
  const positions = Object.values(CASES).map(({ given }, nth) => ({
    traderId: traders[nth] ?? '',
    symbol: 'ENDS',
    openedAt: '2026-03-03T15:00:00Z',
    openPrice: 100,
    ...given,
  }))
  await haveGlitch(testApp, 'ENDS', { positions, close: 150 })
  for (const [nth, { set }] of Object.values(CASES).entries())
    if (set) await testApp.pool.query(`update positions set ${set} where trader_id = $1`, [traders[nth]])
  await recountStatistics(testApp.db)

  expect(await retract(testApp, { symbol: 'ENDS' })).toMatchObject({ prices: 11, positions: 10, traders: 10 })
  const after = await Promise.all(traders.map((id) => readPosition(testApp, id)))
  expect(Object.fromEntries(names.map((name, nth) => [name, after[nth]]))).toEqual(
    Object.fromEntries(Object.entries(CASES).map(([name, { is }]) => [name, is])),
  )
  expect(await recountStatistics(testApp.db)).toBe(0)
  const audited = await testApp.pool.query("select detail from audit_log where action = 'price_adjusted'")
  expect(audited.rowCount).toBe(11)
})

async function readPosition({ pool }: TestApp, traderId: string): Promise<string> {
  const { rows } = await pool.query<{ state: string }>(
    `select concat_ws(' ', open_price::float8, coalesce(close_price::float8::text, '-'),
       coalesce(percentage_gain::float8::text, '-'), case when unsettled then 'unsettled' end) as state
     from positions where trader_id = $1`,
    [traderId],
  )
  return rows[0]?.state ?? ''
}

test('what somebody has set right since stays as they set it', async () => {
  await using testApp = await buildTestApp()
  const [closer = '', opener = '', other = ''] = await insertTraders(testApp, 3)
  const positions = [closedInIt(closer, 'MEND'), openedInIt(opener, 'MEND'), closedInIt(other, 'MEND')]
  await haveGlitch(testApp, 'MEND', { positions, close: 150 })
  const deps = { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret) }
  const { rows } = await testApp.pool.query('select id, closed_at from positions where trader_id = any($1)', [
    [closer, opener],
  ])
  for (const { closed_at, id } of rows) {
    const given = { id, end: closed_at ? 'close' : 'open', price: '160', reason: 'By hand.' }
    expect(await correctPrice(deps, given, testApp.clock.now())).toBe(true)
  }
  expect(await retract(testApp, { symbol: 'MEND' })).toMatchObject({ prices: 1, traders: 1, mailed: 1 })
  expect(await readPosition(testApp, closer)).toBe('100 160 60')
  expect(await readPosition(testApp, opener)).toBe('160 - -')
  // A price that was set in the glitch itself may be of it.
  await testApp.pool.query("update position_adjustments set adjusted_at = '2026-03-04T14:49:00Z'")
  expect(await retract(testApp, { symbol: 'MEND' })).toMatchObject({ prices: 2 })
  expect(await readPosition(testApp, closer)).toBe('100 150 50')
})

test('marks, closes, prices that looked wrong and unused keys of the glitch go, and others stay', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const { clock, pool } = testApp
  const [early, late] = [await makeTrader(testApp), await makeTrader(testApp)]
  clock.set(new Date('2026-03-04T14:49:30.000Z'))
  const keyOfGlitch = await takeKey(testApp, quotes, early, 'LEFT', 100)
  await pool.query(
    `insert into symbol_days (symbol, day, close, late, known_at)
       values ('LEFT', '2026-03-02', 90, true, $1), ('LEFT', '2026-03-03', 91, false, '2026-03-03T21:10:00Z');
     `.replace('$1', `'${clock.now().toISOString()}'`),
  )
  await pool.query(
    `insert into suspect_prices (symbol, price, since, accepted_price, accepted_at)
     values ('LEFT', 100, '2026-03-04T14:00:00Z', 100, $1), ('ELSE', 100, $1, null, null)`,
    [clock.now()],
  )
  clock.set(new Date('2026-03-04T14:50:30.000Z'))
  await pool.query("update symbol_marks set watched_until = $1 where symbol = 'LEFT'", [EVENING])
  quotes.set('LEFT', { price: 95, at: clock.now() })
  expect(await retract(testApp, { symbol: 'LEFT' }, quotes)).toMatchObject({ prices: 0, mailed: 0 })
  expect(
    (
      await pool.query(
        "select price, quoted_at, answered_at, watched_until from symbol_marks where symbol = 'LEFT'",
      )
    ).rows,
  ).toEqual([{ price: null, quoted_at: null, answered_at: null, watched_until: EVENING }])
  expect((await pool.query('select day::text, close::float8 from symbol_days')).rows).toEqual([
    { day: '2026-03-03', close: 91 },
  ])
  expect((await pool.query('select symbol from suspect_prices')).rows).toEqual([{ symbol: 'ELSE' }])
  const openWith = (who: typeof early, key: string) =>
    call(testApp, who, 'POST', '/v1/positions/open', {
      symbol: 'LEFT',
      key,
      openNotes: NOTES,
      positionLength: 'one_to_three_weeks',
    })
  expect((await openWith(early, keyOfGlitch)).body.code).toBe('preview_expired')
  const keyOfAfter = await takeKey(testApp, quotes, late, 'LEFT', 95)
  await retract(testApp, { symbol: 'LEFT' })
  expect((await openWith(late, keyOfAfter)).status).toBe(201)
  expect((await pool.query("select price::float8 from symbol_marks where symbol = 'LEFT'")).rows).toEqual([
    { price: 95 },
  ])
})

test('the price in its place is the close of the first session known since, or one that is traded now within its day', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const [trader = ''] = await insertTraders(testApp, 1)
  await insertPositions(testApp, [closedInIt(trader, 'NEXT')])
  await recountStatistics(testApp.db)
  testApp.clock.set(EVENING)
  // Of days before the glitch, however late they became known, and of the glitch itself.
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late, known_at)
     values ('NEXT', '2026-03-03', 50, false, '2026-03-03T21:10:00Z'), ('NEXT', '2026-03-02', 50, true, $1),
       ('NEXT', '2026-03-04', 50, true, '2026-03-04T14:50:00Z')`,
    [EVENING],
  )
  const before = await readTables(testApp)
  const answer = (quote: object) => (response: ServerResponse) => response.end(JSON.stringify(quote))
  const t = EVENING.getTime() / 1000 - 60
  for (const behaviour of [
    answer({ c: 0, t: 0 }),
    answer({ c: 120, h: 121, l: 99, t: new Date(TO).getTime() / 1000 }),
    answer({ c: 120, h: 110, l: 99, t }),
    (response: ServerResponse) => response.writeHead(500).end(),
  ]) {
    quotes.set('NEXT', behaviour)
    await expect(retract(testApp, { symbol: 'NEXT' }, quotes)).rejects.toThrow(
      'No price of after that is known. Run it again once NEXT has traded.',
    )
  }
  expect(await readTables(testApp)).toEqual(before)
  // The price that is known otherwise is far from it: that may be the glitch's own.
  quotes.set('NEXT', answer({ c: 120, h: 121, l: 99, t }))
  expect(await retract(testApp, { symbol: 'NEXT' }, quotes)).toMatchObject({ prices: 1 })
  expect(await readPosition(testApp, trader)).toBe('100 120 20')
  await insertCloses(testApp, [
    ['NEXT', '2026-03-05', 140],
    ['NEXT', '2026-03-04', 130],
  ])
  const other = { symbol: 'NEXT', from: '2026-03-03T14:59:00Z', to: '2026-03-03T15:01:00Z' }
  await testApp.pool.query("delete from symbol_days where day = '2026-03-03'")
  expect(await retract(testApp, other, quotes)).toMatchObject({ prices: 1 })
  expect(await readPosition(testApp, trader)).toMatch(/^130 120 /)
})

test('days that were counted with a close of the glitch are counted again, of holders too whose prices are right', async () => {
  await using testApp = await buildTestApp({ now: new Date('2026-03-04T14:45:00.000Z') })
  const [trader = ''] = await insertTraders(testApp, 1)
  const position = { traderId: trader, symbol: 'HELD', openedAt: '2026-03-02T15:00:00Z', openPrice: 100 }
  await insertPositions(testApp, [position])
  await insertCloses(testApp, [['HELD', '2026-03-04', 1000]])
  testApp.clock.set(new Date('2026-03-05T22:00:00.000Z'))
  for (const day of ['02', '03', '04', '05']) await insertCloses(testApp, [['SPY', `2026-03-${day}`, 500]])
  await insertCloses(testApp, [
    ['HELD', '2026-03-02', 100],
    ['HELD', '2026-03-03', 100],
    ['HELD', '2026-03-05', 110],
  ])
  await scoreAt(testApp, '2026-03-06T04:41:00Z')
  expect(await daysOf(testApp, trader)).toContain('2026-03-04 1 900.0000 900.0000')
  testApp.clock.set(new Date('2026-03-06T12:00:00.000Z'))
  expect(await retract(testApp, { symbol: 'HELD' })).toMatchObject({ prices: 0 })
  await scoreAt(testApp, '2026-03-07T04:41:00Z')
  const days = await daysOf(testApp, trader)
  expect(days.join()).not.toContain('900')
  expect(days.at(-1)).toBe('2026-03-05 1 10.0000 10.0000')
})

test('an opening of the glitch is shown in the list of positions at the price in its place', async () => {
  await using testApp = await buildTestApp()
  const { userId, ...trader } = await makeTrader(testApp)
  await testApp.pool.query('insert into trader_stats (trader_id) values ($1)', [userId])
  await haveGlitch(testApp, 'SEEN', { positions: [openedInIt(userId, 'SEEN')], close: 150 })
  const list = () => call(testApp, { userId, ...trader }, 'GET', '/v1/positions')
  expect((await list()).body).toMatchObject({ positions: [{ openPrice: 0.0001 }] })
  await retract(testApp, { symbol: 'SEEN' })
  // Its trader is not shown how mails of the event went, since there are none.
  const me = { userId, ...trader }
  expect((await call(testApp, me, 'GET', '/v1/activity/mailings')).body).toEqual({ events: [] })
  expect((await list()).body).toMatchObject({ positions: [{ openPrice: 150 }] })
})
