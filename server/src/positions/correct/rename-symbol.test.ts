import { afterAll, beforeEach, expect, test } from 'vitest'
import { readActivity } from '../../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import {
  call,
  close,
  makeTrader,
  NOTES,
  open,
  readTables,
  subscribe,
  type Trader,
  takeKey,
} from '../../../test/factories.ts'
import { insertCloses } from '../../../test/prices/proven-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { makeEventMails } from '../../mail/event-mails/event-mails.ts'
import { recountStatistics } from '../record/recount-statistics.ts'
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
const MONDAY = new Date('2026-03-09T15:00:00.000Z')
const DAY = '2026-03-06'

const secret = makeSecretKey(testApp.settings.authSecret)
const rename = (from: string, to: string, day = DAY) =>
  renameSymbol({ db, secret }, { from, to, day }, clock.now())

async function symbolsOf(trader: Trader): Promise<string[]> {
  const { rows } = await pool.query('select symbol from positions where trader_id = $1 order by opened_at', [
    trader.userId,
  ])
  return rows.map(({ symbol }) => symbol)
}

const listOf = async (trader: Trader) =>
  ((await call(testApp, trader, 'GET', '/v1/positions')).body.positions as { stock: string }[]).map(
    ({ stock }) => stock,
  )

/** At a last trade of an hour ago, so that it is settled at the next one. */
async function closeUnsettled(trader: Trader, symbol: string): Promise<void> {
  quotes.set(symbol, { price: 100, at: new Date(clock.now().getTime() - 3_600_000) })
  const { body } = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
  const order = { symbol, key: body.key, closeNotes: NOTES }
  expect((await call(testApp, trader, 'POST', '/v1/positions/close', order)).body.position).toMatchObject({
    settled: false,
  })
}

test('what was opened before the day and has not ended goes on under the new ticker, sent to followers and recorded, once', async () => {
  const [holder, settled, unsettled, late] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  for (const trader of [holder, settled, unsettled]) await open(testApp, quotes, trader, 'OLDA', 100)
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, holder)
  clock.set(THURSDAY)
  await close(testApp, quotes, settled, 'OLDA', 110)
  await closeUnsettled(unsettled, 'OLDA')
  // The ticker is another company's from then on.
  clock.set(FRIDAY)
  await open(testApp, quotes, late, 'OLDA', 100)
  for (const moved of ['positions set opened_at', 'trader_stats set first_opened_at'])
    await pool.query(`update ${moved} = $2 where trader_id = $1`, [late.userId, `${DAY}T00:00:00Z`])
  clock.set(MONDAY)
  expect(await listOf(holder)).toEqual(['OLDA'])

  expect(await runOperator(testApp, 'symbols:rename', 'olda', 'NEWA', DAY)).toBe('Renamed 2 positions.\n')
  expect(await Promise.all([holder, settled, unsettled, late].map(symbolsOf))).toEqual([
    ['NEWA'],
    ['OLDA'],
    ['NEWA'],
    ['OLDA'],
  ])
  expect(await listOf(holder)).toEqual(['NEWA'])
  expect(await recountStatistics(db)).toBe(0)

  const [item] = (await readActivity(testApp, follower)).items
  const renamed = { symbolBefore: 'OLDA', symbolAfter: 'NEWA' }
  expect(item).toMatchObject({ id: `${holder.username}.2`, kind: 'adjusted', unread: true, rename: renamed })
  const mail = await makeEventMails({ db, settings: testApp.settings }).of({
    traderId: holder.userId,
    eventNo: 2,
  })
  const written = String(
    mail?.sheet().to({ address: 'ada@example.com', unsubscribeToken: 'x' }).bytes('').toString(),
  )
  expect(written).toContain(`@${holder.username}'s OLDA is now traded as NEWA`)
  expect(written).toMatch(/Stock before: OLDA\s+Stock now: +NEWA/)
  const work = await pool.query('select reader from event_work where trader_id = $1 and event_no = 2', [
    holder.userId,
  ])
  expect(work.rows).toEqual([{ reader: 'mail' }])
  const { rows } = await pool.query(
    `select adjustment.position_id as id, reason, effective_on::text as day, event_no, symbol_before, symbol_after, open_price_before, open_price_after
     from position_adjustments adjustment where trader_id = $1`,
    [holder.userId],
  )
  const price = { open_price_before: '100.000000', open_price_after: '100.000000' }
  expect(rows).toMatchObject([
    { reason: 'renamed', day: DAY, symbol_before: 'OLDA', symbol_after: 'NEWA', ...price },
  ])
  expect(String(rows[0].event_no)).toBe('2')
  const audited = await pool.query(
    'select action, detail from audit_log where user_id = $1 and action = $2',
    [holder.userId, 'symbol_renamed'],
  )
  const detail = `${rows[0].id} OLDA to NEWA of ${DAY} by operator`
  expect(audited.rows).toEqual([{ action: 'symbol_renamed', detail }])

  // Without a position to rename, keys are those of the other company.
  await takeKey(testApp, quotes, late, 'OLDA', 100)
  const before = await readTables(testApp)
  expect(await rename('OLDA', 'NEWA')).toBe('Renamed 0 positions.')
  expect(await readTables(testApp)).toEqual(before)
})

test('a renamed position is closed under its new ticker, and the old one is no position of the trader', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'OLDC', 100)
  const key = await takeKey(testApp, quotes, trader, 'OLDC', 100)
  clock.set(FRIDAY)
  expect(await rename('OLDC', 'NEWC')).toBe('Renamed 1 position.')
  quotes.set('OLDC', { price: 0, at: clock.now() })
  expect(await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'OLDC' })).toMatchObject({
    body: { code: 'symbol_not_found' },
  })
  const order = { symbol: 'OLDC', key, closeNotes: NOTES }
  expect(await call(testApp, trader, 'POST', '/v1/positions/close', order)).toMatchObject({
    body: { code: 'position_not_found' },
  })
  expect((await close(testApp, quotes, trader, 'NEWC', 120)).body.position).toMatchObject({
    stock: 'NEWC',
    openPrice: 100,
    closePrice: 120,
    percentageGain: 20,
  })
  const list = `/v1/traders/${trader.username}/positions/closed`
  expect((await call(testApp, trader, 'GET', list)).body.positions).toMatchObject([{ symbol: 'NEWC' }])
})

test('closes, splits, last price and name go along where there are none, and keys and doubts of the old ticker end', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'OLDB', 100)
  await insertCloses(testApp, [
    ['OLDB', '2026-03-03', 99],
    ['OLDB', '2026-03-04', 100],
    ['OLDB', '2026-03-05', 51, '2026-03-05'],
    ['OLDB', '2026-03-06', 52],
    ['NEWB', '2026-03-04', 77],
  ])
  await pool.query(`insert into symbols (symbol, name) values ('OLDB', 'Old Company')`)
  await pool.query(
    `insert into symbol_splits (symbol, day, shares, said_at)
     values ('OLDB', '2026-03-04', 3, $1), ('OLDB', '2026-03-05', 2, $1), ('NEWB', '2026-03-06', 5, $1)`,
    [TEST_NOW],
  )
  clock.set(FRIDAY)
  const key = await takeKey(testApp, quotes, trader, 'OLDB', 52)
  await pool.query(`insert into suspect_prices (symbol, price, since) values ('OLDB', 1, $1)`, [FRIDAY])
  await pool.query(`update symbol_marks set quoted_at = '2026-03-05T23:59:59.999Z' where symbol = 'OLDB'`)
  const marked = await pool.query(
    `select price, quoted_at, answered_at from symbol_marks where symbol = 'OLDB'`,
  )

  expect(await rename('OLDB', 'NEWB')).toBe('Renamed 1 position.')
  const ofNew = async (columns: string, table: string) =>
    (await pool.query(`select ${columns} from ${table} where symbol = 'NEWB' order by 1`)).rows
  expect(await ofNew('day::text, close::float8, shares_of::text, known_at', 'symbol_days')).toEqual([
    { day: '2026-03-04', close: 77, shares_of: null, known_at: TEST_NOW },
    { day: '2026-03-05', close: 51, shares_of: '2026-03-05', known_at: TEST_NOW },
  ])
  expect(await ofNew('day::text, shares::float8', 'symbol_splits')).toEqual([
    { day: '2026-03-05', shares: 2 },
    { day: '2026-03-06', shares: 5 },
  ])
  expect(await ofNew('name', 'symbols')).toEqual([{ name: 'Old Company' }])
  expect(await ofNew('price, quoted_at, answered_at', 'symbol_marks')).toEqual(marked.rows)
  expect(await ofNew('price', 'suspect_prices')).toEqual([])
  const left = await pool.query(
    `select (select count(*)::int from symbol_days where symbol = 'OLDB') as days,
       (select count(*)::int from symbol_splits where symbol = 'OLDB') as splits,
       (select count(*)::int from suspect_prices where symbol = 'OLDB') as suspect`,
  )
  expect(left.rows).toEqual([{ days: 4, splits: 2, suspect: 0 }])
  const order = { symbol: 'OLDB', key, openNotes: NOTES, positionLength: 'one_to_three_weeks' }
  expect(await call(testApp, trader, 'POST', '/v1/positions/open', order)).toMatchObject({
    body: { code: 'preview_expired' },
  })
})

test('a name and a price that the new ticker has stay, and a price of the day is not that of the share', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'OLDE', 100)
  await open(testApp, quotes, trader, 'OLDK', 30)
  await open(testApp, quotes, trader, 'OLDM', 50)
  await pool.query(
    `insert into symbols (symbol, name) values ('OLDE', 'Old Company'), ('NEWE', 'New Company')`,
  )
  await pool.query(
    `insert into symbol_marks (symbol, price, quoted_at, answered_at) values ('NEWE', 140, $1, $1), ('NEWK', null, null, $1)`,
    [TEST_NOW],
  )
  clock.set(FRIDAY)
  expect(await rename('OLDE', 'NEWE')).toBe('Renamed 1 position.')
  expect(await rename('OLDK', 'NEWK')).toBe('Renamed 1 position.')
  await pool.query(`update symbol_marks set quoted_at = $1 where symbol = 'OLDM'`, [`${DAY}T00:00:00Z`])
  expect(await rename('OLDM', 'NEWM')).toBe('Renamed 1 position.')
  const { rows } = await pool.query(
    `select name, price::float8 from symbol_marks left join symbols using (symbol) where symbol in ('NEWE', 'NEWK', 'NEWM') order by symbol`,
  )
  expect(rows).toEqual([
    { name: 'New Company', price: 140 },
    { name: null, price: 30 },
  ])
})

test('a trader who holds both keeps both, until one is closed and the command is run again', async () => {
  const [both, one, closer] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  for (const trader of [both, one, closer]) await open(testApp, quotes, trader, 'OLDG', 100)
  clock.set(THURSDAY)
  await closeUnsettled(closer, 'OLDG')
  clock.set(FRIDAY)
  await open(testApp, quotes, both, 'NEWG', 100)
  await open(testApp, quotes, closer, 'NEWG', 100)
  clock.set(MONDAY)
  // An unsettled close is no second open position.
  expect(await rename('OLDG', 'NEWG')).toBe(
    'Renamed 2 positions; 1 trader holds both: run this again when one is closed.',
  )
  expect(await Promise.all([both, one, closer].map(symbolsOf))).toEqual([
    ['OLDG', 'NEWG'],
    ['NEWG'],
    ['NEWG', 'NEWG'],
  ])
  const before = await readTables(testApp)
  expect(await rename('OLDG', 'NEWG')).toBe(
    'Renamed 0 positions; 1 trader holds both: run this again when one is closed.',
  )
  expect(await readTables(testApp)).toEqual(before)
  await close(testApp, quotes, both, 'NEWG', 105)
  expect(await rename('OLDG', 'NEWG')).toBe('Renamed 1 position.')
  expect(await symbolsOf(both)).toEqual(['NEWG', 'NEWG'])
})

test('a run that is cut off leaves whole positions behind, and is run again', async () => {
  const traders = [await makeTrader(testApp), await makeTrader(testApp), await makeTrader(testApp)] as const
  for (const trader of traders) {
    await open(testApp, quotes, trader, 'OLDH', 100)
    clock.advance(1000)
  }
  clock.set(FRIDAY)
  const [, second] = traders
  await pool.query(`create function cut_off() returns trigger language plpgsql as $$
    begin if new.trader_id = '${second.userId}' then raise exception 'cut off'; end if; return new; end $$`)
  await pool.query(
    'create trigger cut_off before insert on position_adjustments for each row execute function cut_off()',
  )
  await expect(rename('OLDH', 'NEWH')).rejects.toThrow('cut off')
  expect(await Promise.all(traders.map(symbolsOf))).toEqual([['NEWH'], ['OLDH'], ['OLDH']])
  await pool.query('drop trigger cut_off on position_adjustments')
  expect(await rename('OLDH', 'NEWH')).toBe('Renamed 2 positions.')
  expect(await Promise.all(traders.map(symbolsOf))).toEqual([['NEWH'], ['NEWH'], ['NEWH']])
  const { rows } = await pool.query(
    `select (select count(*)::int from position_events event where event.trader_id = trader.id and kind = 'adjusted') as events,
       (select count(*)::int from position_adjustments adjustment where adjustment.trader_id = trader.id) as adjustments,
       (select count(*)::int from audit_log entry where entry.user_id = trader.id and action = 'symbol_renamed') as audited
     from unnest($1::uuid[]) trader (id)`,
    [traders.map(({ userId }) => userId)],
  )
  expect(rows).toEqual([1, 1, 1].map(() => ({ events: 1, adjustments: 1, audited: 1 })))
})

test('of two runs at once one renames a position, and neither one that has ended while they waited', async () => {
  const [trader, closer] = [await makeTrader(testApp), await makeTrader(testApp)]
  for (const one of [trader, closer]) await open(testApp, quotes, one, 'OLDL', 100)
  clock.set(FRIDAY)
  const holding = await pool.connect()
  try {
    await holding.query('begin')
    await holding.query('select from positions where trader_id = $1 for update', [trader.userId])
    await holding.query(
      `update positions set closed_at = $2, close_price = 1, close_notes = $3, percentage_gain = 0,
         close_preview_id = gen_random_uuid() where trader_id = $1`,
      [closer.userId, FRIDAY, NOTES],
    )
    const both = Promise.all([rename('OLDL', 'NEWL'), rename('OLDL', 'NEWL')])
    while ((await countWaiting(testApp)) < 2);
    await holding.query('commit')
    expect((await both).toSorted()).toEqual(['Renamed 0 positions.', 'Renamed 1 position.'])
  } finally {
    holding.release()
  }
  expect(await Promise.all([trader, closer].map(symbolsOf))).toEqual([['NEWL'], ['OLDL']])
})

test('a run that comes to a position which another has renamed meanwhile says nothing of a trader who holds both', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'OLDM', 100)
  clock.set(FRIDAY)
  await pool.query("insert into suspect_prices (symbol, price) values ('OLDM', 1)")
  const holding = await pool.connect()
  try {
    // The run has listed the position and is held before it comes to that.
    await holding.query('begin')
    await holding.query("select from suspect_prices where symbol = 'OLDM' for update")
    const held = rename('OLDM', 'NEWM')
    while ((await countWaiting(testApp)) < 1);
    await holding.query("update positions set symbol = 'NEWM' where trader_id = $1", [trader.userId])
    await holding.query('commit')
    expect(await held).toBe('Renamed 0 positions.')
  } finally {
    holding.release()
  }
})

test('a mistaken renaming is taken back by the other way round, also with the same day', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'OLDI', 100)
  clock.set(FRIDAY)
  for (const [from, to] of [
    ['OLDI', 'NEWI'],
    ['NEWI', 'OLDI'],
    ['OLDI', 'NEWI'],
  ] as const) {
    expect(await rename(from, to)).toBe('Renamed 1 position.')
    expect(await symbolsOf(trader)).toEqual([to])
  }
})

test('a renaming that cannot be meant is refused with the reason and changes nothing', async () => {
  await open(testApp, quotes, await makeTrader(testApp), 'OLDJ', 100)
  clock.set(FRIDAY)
  const before = await readTables(testApp)
  for (const [words, sentence] of [
    [[], 'That is not a ticker.'],
    [['OLDJ'], 'That is not a ticker.'],
    [['O LD', 'NEWJ', DAY], 'That is not a ticker.'],
    [['OLDJ', 'N.W/', DAY], 'That is not a ticker.'],
    [['OLDJ', ' oldj', DAY], 'That is the same ticker.'],
    [['OLDJ', 'NEWJ'], 'That is not a day such as 2026-11-18, up to today.'],
    [['OLDJ', 'NEWJ', '2026-02-30'], 'That is not a day'],
    [['OLDJ', 'NEWJ', '6 March'], 'That is not a day'],
    [['OLDJ', 'NEWJ', '2026-03-07'], 'That is not a day'],
  ] as const) {
    const [from = '', to = '', day = ''] = words
    await expect(rename(from, to, day)).rejects.toThrow(sentence)
  }
  await expect(runOperator(testApp, 'symbols:rename', 'OLDJ')).rejects.toThrow('That is not a ticker.')
  expect(await readTables(testApp)).toEqual(before)
})

test('a process that runs knows the company of a renamed position within the minute', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'OLDN', 100)
  await pool.query(
    "insert into symbols (symbol, name) values ('OLDN', 'Old Name') on conflict (symbol) do update set name = 'Old Name'",
  )
  const companies = async () =>
    (
      (await call(testApp, trader, 'GET', '/v1/positions')).body.positions as {
        stock: string
        companyName?: string
      }[]
    ).map(({ companyName, stock }) => [stock, companyName])
  expect((await companies())[0]?.[0]).toBe('OLDN')
  clock.set(MONDAY)
  expect(await rename('OLDN', 'NEWN')).toBe('Renamed 1 position.')
  clock.advance(60_000)
  expect(await companies()).toEqual([['NEWN', 'Old Name']])
})
