import type pg from 'pg'
import { expect, test } from 'vitest'
import { openEarlierDatabase, silentLog } from '../../test/database.ts'
import { makeCrowdTrader } from '../../test/followers.ts'
import { countWaiting } from '../../test/waiting-for-locks.ts'
import { migrate } from '../platform/migrate.ts'

const NOW = new Date('2026-03-04T15:00:00.000Z')

type Given = [symbol: string, openedOn: string, end?: 'closed' | 'unsettled']

/** A trader whose positions are the given ones, as the version before leaves them. */
async function haveTrader(pool: pg.Pool, name: string, positions: Given[]): Promise<string> {
  const { traderId } = await makeCrowdTrader(pool, name, NOW)
  for (const [symbol, openedOn, end] of positions)
    await pool.query(
      `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
         closed_at, close_price, close_notes, close_preview_id, percentage_gain, unsettled)
       select $1, gen_random_uuid(), $2, 'less_than_one_week', 10, 'ten or more', $3, gen_random_uuid(),
         closed_at, case when closed_at is not null then 12 end, case when closed_at is not null then 'ten or more' end,
         case when closed_at is not null then gen_random_uuid() end, case when closed_at is not null then 20 end, $5
       from (select $4::timestamptz as closed_at) close`,
      [traderId, symbol, `${openedOn}T15:00Z`, end ? '2026-03-04T14:00Z' : null, end === 'unsettled'],
    )
  return traderId
}

/** In the order of their openings. */
async function symbolsOf(pool: pg.Pool, traderId: string): Promise<string[]> {
  const { rows } = await pool.query(
    'select symbol from positions where trader_id = $1 order by opened_at, symbol',
    [traderId],
  )
  return rows.map(({ symbol }) => symbol)
}

const texts = async (pool: pg.Pool, query: string) =>
  (await pool.query({ text: query, rowMode: 'array' })).rows.map((row) => row.join(' '))

test('positions of before get the dot, and of two in one share the younger the hyphen', async () => {
  await using database = await openEarlierDatabase('0062')
  const { pool } = database
  const traders = {
    alone: await haveTrader(pool, 'alone', [['BRK-B', '2026-03-02']]),
    dashedFirst: await haveTrader(pool, 'dashed', [
      ['BRK-B', '2026-03-02'],
      ['BRK.B', '2026-03-03'],
      ['V-A', '2026-03-03'],
    ]),
    dottedFirst: await haveTrader(pool, 'dotted', [
      ['BRK.B', '2026-03-02'],
      ['BRK-B', '2026-03-03'],
    ]),
    ended: await haveTrader(pool, 'ended', [
      ['BRK-B', '2026-03-01', 'closed'],
      ['BRK-B', '2026-03-02', 'unsettled'],
      ['BRK.B', '2026-03-03'],
    ]),
    other: await haveTrader(pool, 'other', [
      ['AAPL', '2026-03-01'],
      ['RDS-AA', '2026-03-02'],
      ['ABCDEF-A', '2026-03-03'],
    ]),
  }
  await migrate(database.url, silentLog)
  expect(await symbolsOf(pool, traders.alone)).toEqual(['BRK.B'])
  expect(await symbolsOf(pool, traders.dashedFirst)).toEqual(['BRK.B', 'BRK-B', 'V.A'])
  expect(await symbolsOf(pool, traders.dottedFirst)).toEqual(['BRK.B', 'BRK-B'])
  expect(await symbolsOf(pool, traders.ended)).toEqual(['BRK.B', 'BRK.B', 'BRK.B'])
  expect(await symbolsOf(pool, traders.other)).toEqual(['AAPL', 'RDS-AA', 'ABCDEF-A'])

  // What processes have read of a trader is read again where it changed; a later migration has that of all who hold anything.
  const { rows } = await pool.query('select trader_id as id from traders where last_event_no = 1')
  expect(rows.map(({ id }) => id)).toEqual([traders.other])
})

test('a position that the version before opens meanwhile is one of the two', async () => {
  await using database = await openEarlierDatabase('0062')
  const { pool } = database
  const traderId = await haveTrader(pool, 'maria', [['BRK-B', '2026-03-02']])
  const other = await pool.connect()
  await other.query('begin')
  await other.query('select id from positions where trader_id = $1 for update', [traderId])
  const migrated = migrate(database.url, silentLog)
  await expect.poll(() => countWaiting(database)).toBe(1)
  await other.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
     values ($1, gen_random_uuid(), 'BRK.B', 'less_than_one_week', 10, 'ten or more', $2, gen_random_uuid())`,
    [traderId, NOW],
  )
  await other.query('commit')
  other.release()
  await migrated
  expect(await symbolsOf(pool, traderId)).toEqual(['BRK.B', 'BRK-B'])
})

test('what is known of a share goes along, and stays under the hyphen while a position has it', async () => {
  await using database = await openEarlierDatabase('0062')
  const { pool } = database
  const traderId = await haveTrader(pool, 'maria', [
    ['BRK.B', '2026-03-02'],
    ['BRK-B', '2026-03-03'],
    ['BF-B', '2026-03-02'],
    ['NEW', '2026-03-01'],
  ])
  await pool.query(`
    insert into symbol_days (symbol, day, close, late) values
      ('BRK-B', '2026-03-02', 1, false), ('BRK-B', '2026-03-03', 2, false),
      ('BRK.B', '2026-03-03', 3, false), ('BRK.B', '2026-03-04', 4, false), ('BF-B', '2026-03-03', 5, true);
    insert into symbol_splits (symbol, day, shares, said_at) values
      ('BRK-B', '2026-03-02', 2, '${NOW.toISOString()}'), ('BRK.B', '2026-03-03', 3, '${NOW.toISOString()}'),
      ('BF-B', '2026-03-03', 5, '${NOW.toISOString()}');
    insert into symbols (symbol, name) values ('BRK-B', 'Berkshire'), ('BF-B', 'Brown'), ('BF.B', 'Brown Forman');
    insert into symbol_marks (symbol, price, quoted_at, answered_at, asked_at, gone_at, failures, close_due, empty_days) values
      ('BRK-B', 7, '2026-03-03 20:00Z', '2026-03-03 20:01Z', '2026-03-04 10:00Z', '2026-03-04 10:00Z', 4, '2026-03-04', 3),
      ('BF-B', 8, '2026-03-03 20:00Z', '2026-03-03 20:01Z', null, null, 0, '2026-03-04', 0),
      ('BF.B', null, null, null, '2026-03-04 10:00Z', null, 1, null, 0),
      ('V-A', 1, '2026-03-03 20:00Z', '2026-03-03 20:01Z', null, null, 0, null, 0),
      ('V.A', 9, '2026-03-03 21:00Z', '2026-03-03 21:01Z', null, null, 0, null, 0);
    insert into suspect_prices (symbol, price, since) values
      ('BRK-B', 70, '2026-03-04 14:00Z'), ('BF-B', 80, '2026-03-04 14:00Z'), ('BF.B', 81, '2026-03-04 14:00Z');
    insert into price_retractions (id, symbol, from_at, to_at, price, reason, retracted_at)
      select gen_random_uuid(), symbol, '2026-03-03 14:00Z', to_at::timestamptz, 1, 'a glitch', '2026-03-03 20:00Z'
      from (values ('BRK-B', '2026-03-03 15:00Z'), ('BRK.B', '2026-03-03 15:00Z'), ('BRK-B', '2026-03-03 16:00Z')) given (symbol, to_at)`)
  await pool.query(
    `insert into price_previews (trader_id, id, key_sha256, symbol, price, quoted_at, created_at, expires_at)
     values ($1, gen_random_uuid(), '\\x01', 'BRK-B', 1, $2, $2, $2::timestamptz + interval '1 minute')`,
    [traderId, NOW],
  )
  await pool.query(
    `insert into position_events (trader_id, event_no, position_id, kind, created_at)
     select trader_id, no, id, 'adjusted', $2 from positions, generate_series(1, 3) no where trader_id = $1 and symbol = 'NEW'`,
    [traderId, NOW],
  )
  await pool.query(
    `insert into position_adjustments (trader_id, position_id, reason, effective_on, nth, event_no, symbol_before, symbol_after,
       open_price_before, open_price_after, adjusted_at)
     select trader_id, id, 'renamed', '2026-03-03', no, no, before, after, 10, 10, $2
     from positions, (values (1, 'BRKB', 'BRK-B'), (2, 'BRK-B', 'BRK.B'), (3, 'BF-B', 'NEW')) given (no, before, after)
     where trader_id = $1 and symbol = 'NEW'`,
    [traderId, NOW],
  )
  await migrate(database.url, silentLog)

  expect(
    await texts(pool, 'select symbol, day::text, trim_scale(close), late from symbol_days order by 1, 2'),
  ).toEqual([
    'BF.B 2026-03-03 5 true',
    'BRK-B 2026-03-02 1 false',
    'BRK-B 2026-03-03 2 false',
    'BRK-B 2026-03-04 4 false',
    'BRK.B 2026-03-02 1 false',
    'BRK.B 2026-03-03 3 false',
    'BRK.B 2026-03-04 4 false',
  ])
  expect(
    await texts(pool, 'select symbol, day::text, trim_scale(shares) from symbol_splits order by 1, 2'),
  ).toEqual([
    'BF.B 2026-03-03 5',
    'BRK-B 2026-03-02 2',
    'BRK-B 2026-03-03 3',
    'BRK.B 2026-03-02 2',
    'BRK.B 2026-03-03 3',
  ])
  expect(await texts(pool, 'select symbol, name from symbols order by 1')).toEqual([
    'BF.B Brown Forman',
    'BRK-B Berkshire',
    'BRK.B Berkshire',
  ])
  expect(
    await texts(
      pool,
      'select symbol, trim_scale(price), close_due::text, gone_at is not null, empty_days from symbol_marks order by 1',
    ),
    'the provider’s “unknown” was about the other spelling',
  ).toEqual([
    'BF.B 8 2026-03-04 false 0',
    'BRK-B 7 2026-03-04 true 3',
    'BRK.B 7 2026-03-04 false 0',
    'V.A 9  false 0',
  ])
  expect(await texts(pool, 'select symbol, trim_scale(price) from suspect_prices order by 1')).toEqual([
    'BF.B 81',
    'BRK-B 70',
    'BRK.B 70',
  ])
  expect(await texts(pool, 'select symbol from price_previews')).toEqual(['BRK.B'])
  expect(
    await texts(pool, 'select symbol, extract(hour from to_at)::int from price_retractions order by 2, 1'),
  ).toEqual(['BRK-B 15', 'BRK.B 15', 'BRK.B 16'])
  expect(
    await texts(pool, 'select symbol_before, symbol_after from position_adjustments order by nth'),
  ).toEqual(['BRKB BRK.B', 'BRK-B BRK.B', 'BF.B NEW'])
})
