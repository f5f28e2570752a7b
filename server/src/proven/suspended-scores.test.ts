import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { countWaiting } from '../../test/database/waiting-for-locks.ts'
import { call } from '../../test/factories.ts'
import { insertCloses, insertPositions, insertTraders, scoreAt } from '../../test/prices/proven-scenario.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { markRestored } from '../accounts/suspensions.queries.ts'
import { withTransaction } from '../platform/database/queryable.ts'
import type { DB } from '../platform/database/schema.ts'
import { countOpened } from '../positions/record/stats.queries.ts'
import { findProvenRank, listProven } from './proven.queries.ts'
import { upsertScores } from './scores.queries.ts'

const WEEK = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']
const SATURDAY_NIGHT = '2026-03-07T04:41:00Z'
const SUSPEND = 'update users set suspended_at = $2 where id = $1'
const RESTORE = 'update users set suspended_at = null where id = $1'

type Entry = { username: string; low: string; middle: string; high: string; sparkline?: number[] }

async function readList(testApp: TestApp, path: string, list: string): Promise<Entry[]> {
  const { body, status } = await call(testApp, await signIn(testApp), 'GET', path)
  expect(status).toBe(200)
  return body[list] as Entry[]
}
const proven = (testApp: TestApp) => readList(testApp, '/v1/leaderboard/proven', 'entries')
const board = (testApp: TestApp) => readList(testApp, '/v1/leaderboard', 'leaderboard')

/** Three traders of a week; the third one's prices are nobody's. Without `cheated` the third one has no positions. */
async function setStage(testApp: TestApp, { cheated }: { cheated: boolean }): Promise<string> {
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const [one = '', two = '', cheat = ''] = await insertTraders(testApp, 3)
  const closes = { SPY: [100, 101, 100, 101, 100], UP: [10, 11, 12, 13, 14], DOWN: [10, 9, 8, 7, 6] }
  await insertCloses(
    testApp,
    Object.entries(closes).flatMap(([symbol, of]) =>
      of.map((close, nth) => [symbol, WEEK[nth] ?? '', close] as const),
    ),
  )
  const closed = { openedAt: '2026-03-02T15:00:00Z', openPrice: 10, closedAt: '2026-03-06T15:00:00Z' }
  await insertPositions(testApp, [
    { traderId: one, symbol: 'UP', ...closed, closePrice: 14 },
    { traderId: two, symbol: 'DOWN', ...closed, closePrice: 6 },
    ...(cheated ? [{ traderId: cheat, symbol: 'UP', ...closed, closePrice: 9_999_999 }] : []),
  ])
  await scoreAt(testApp, SATURDAY_NIGHT)
  return cheat
}

test('the days of a suspended trader leave everybody’s means with the next night, and come back with the one after the restoring', async () => {
  await using testApp = await buildTestApp()
  await using without = await buildTestApp()
  const cheat = await setStage(testApp, { cheated: true })
  await setStage(without, { cheated: false })
  const [with3, withoutThird] = [await proven(testApp), await proven(without)]
  expect(with3.map(({ username }) => username).toSorted()).toEqual(['trader1', 'trader2', 'trader3'])
  expect(withoutThird.map(({ username }) => username)).toEqual(['trader1', 'trader2'])
  const whole = await board(testApp)
  expect(whole.map(({ username }) => username)).toEqual(['trader3', 'trader1', 'trader2'])

  await testApp.pool.query(SUSPEND, [cheat, testApp.clock.now()])
  expect(await proven(testApp)).toEqual(with3.filter(({ username }) => username !== 'trader3'))
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await proven(testApp)).toEqual(withoutThird)
  expect(await board(testApp)).toEqual(whole.slice(1))

  await testApp.pool.query(RESTORE, [cheat])
  expect((await proven(testApp)).map(({ username }) => username)).toContain('trader3')
  expect(await board(testApp), 'with the curve of the night').toEqual(whole)
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await proven(testApp)).toEqual(with3)
})

test('a night on which somebody is suspended from its beginning on shows them on no list either', async () => {
  await using testApp = await buildTestApp()
  const cheat = await setStage(testApp, { cheated: true })
  await testApp.pool.query('truncate score_runs, trader_scores')
  await testApp.pool.query(SUSPEND, [cheat, testApp.clock.now()])
  expect(await scoreAt(testApp, SATURDAY_NIGHT)).toMatchObject({ traders: 3 })
  expect((await proven(testApp)).map(({ username }) => username)).toEqual(['trader1', 'trader2'])
})

/** Statements of two at once: the second one begins while the first is not committed. @returns whether the second one waited */
async function oneAfterTheOther(
  testApp: TestApp,
  first: (client: pg.PoolClient) => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<boolean> {
  const client = await testApp.pool.connect()
  try {
    await client.query('begin')
    await first(client)
    let done = false
    const other = second().then(() => {
      done = true
    })
    await expect.poll(async () => done || (await countWaiting(testApp)) > 0).toBe(true)
    const waited = !done
    await client.query('commit')
    await other
    return waited
  } finally {
    client.release()
  }
}

const marks = async ({ pool }: TestApp, table: 'trader_stats' | 'trader_scores') =>
  (await pool.query(`select suspended from ${table}`)).rows

test('people who are suspended while the night writes their score, or while they open their first position, are on no list', async () => {
  await using testApp = await buildTestApp()
  const { db, pool } = testApp
  const score = { low: 1, middle: 2, high: 3, reliability: 0.5 }
  const now = testApp.clock.now()
  const [first = '', second = '', third = '', fourth = ''] = await insertTraders(testApp, 4)
  await pool.query('delete from trader_stats')
  const write = (traderId: string) => upsertScores(db, '2026-03-03', [{ traderId, ...score }])
  const insert = `insert into trader_scores (as_of, trader_id, low, middle, high, reliability) values ('2026-03-03', $1, 1, 2, 3, 0.5)`

  expect(
    await oneAfterTheOther(
      testApp,
      (client) => client.query(SUSPEND, [first, now]),
      () => write(first),
    ),
  ).toBe(true)
  expect(
    await oneAfterTheOther(
      testApp,
      (client) => client.query(insert, [second]),
      () => pool.query(SUSPEND, [second, now]),
    ),
  ).toBe(true)
  expect(await marks(testApp, 'trader_scores')).toEqual([{ suspended: true }, { suspended: true }])

  await pool.query('delete from trader_stats')
  expect(
    await oneAfterTheOther(
      testApp,
      (client) => client.query(SUSPEND, [third, now]),
      () => countOpened(db, third, now),
    ),
  ).toBe(true)
  expect(
    await oneAfterTheOther(
      testApp,
      (client) => client.query('insert into trader_stats (trader_id, open_count) values ($1, 1)', [fourth]),
      () => pool.query(SUSPEND, [fourth, now]),
    ),
  ).toBe(true)
  expect((await pool.query('select open_count, suspended from trader_stats')).rows).toEqual([
    { open_count: 1, suspended: true },
    { open_count: 1, suspended: true },
  ])
})

test('a restoring waits for the night’s page of scores, and never the page for the restoring', async () => {
  await using testApp = await buildTestApp()
  const { db, pool } = testApp
  const [restored = '', other = ''] = await insertTraders(testApp, 2)
  const insert = `insert into trader_scores (as_of, trader_id, low, middle, high, reliability) values ('2026-03-03', $1, 1, 2, 3, 0.5)`
  await pool.query(SUSPEND, [restored, testApp.clock.now()])
  const night = await pool.connect()
  try {
    await night.query('begin')
    await night.query(insert, [other])
    const restoring = withTransaction(db, (tx) => markRestored(tx, restored))
    await expect.poll(() => countWaiting(testApp)).toBe(1)
    await night.query(insert, [restored])
    await night.query('commit')
    expect(await restoring).toEqual(testApp.clock.now())
  } finally {
    night.release()
  }
  expect(await marks(testApp, 'trader_scores')).toEqual([{ suspended: false }, { suspended: false }])
})

test('the list reads a hundred rows of its index, and places are counted in it, however many suspended people stand above', async () => {
  await using testApp = await buildTestApp()
  const { pool } = testApp
  const ids = await insertTraders(testApp, 3000)
  await pool.query(`insert into score_runs values ('2026-03-03', 2, $1, 3000)`, [testApp.clock.now()])
  await pool.query(
    `insert into trader_scores (as_of, trader_id, low, middle, high, reliability)
     select '2026-03-03', id, -n, -n, -n, 0.9 from unnest($1::uuid[]) with ordinality given (id, n)`,
    [ids],
  )
  await pool.query('update users set suspended_at = $2 where id = any($1)', [
    ids.slice(0, 1000),
    testApp.clock.now(),
  ])
  await pool.query('vacuum analyze trader_stats, accounts, trader_scores, users')
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const listening = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  const listed = await listProven(listening, '2026-03-03', 100)
  expect(listed.map(({ low }) => low)).toEqual(Array.from({ length: 100 }, (_, nth) => -1001 - nth))
  const rankOf = (nth: number) =>
    findProvenRank(listening, '2026-03-03', { limit: 1500, traderId: ids[nth] ?? '' })
  expect(await rankOf(1499)).toMatchObject({ rank: 500, suspended: 1000 })
  expect(await rankOf(2999)).toMatchObject({ rank: null, suspended: 1000 })
  expect(await rankOf(0)).toBeNull()
  const ranking = asked.filter(({ sql }) => sql.includes('trader_scores'))
  expect(ranking.length).toBe(4)
  for (const { sql, parameters } of ranking) {
    const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
    const plan = JSON.stringify(rows)
    expect(plan).toContain('trader_scores_board')
    // A hundred rows or more.
    expect(plan.replaceAll(/"Node Type":"CTE Scan".*?"Storage"/g, '')).not.toMatch(
      /"Rows Removed by Filter":\d{3}/,
    )
  }
})
