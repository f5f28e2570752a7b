import { Kysely, PostgresDialect } from 'kysely'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { signIn } from '../../test/sign-in.ts'
import type { DB } from '../platform/schema.ts'
import { listRanked } from './leaderboard.queries.ts'

type Figures = { gains: readonly string[] }

/** Traders with closed positions of these gains, straight into the statistics. */
async function makeBoard(testApp: Awaited<ReturnType<typeof buildTestApp>>, board: Record<string, Figures>) {
  for (const [name, { gains }] of Object.entries(board)) {
    const trader = await makeTrader(testApp, name)
    await testApp.pool.query(
      `insert into trader_stats (trader_id, closed_count, gain_sum)
       select $1, count(*), coalesce(sum(gain::numeric), 0) from unnest($2::text[]) gain`,
      [trader.userId, gains],
    )
  }
  const viewer = await signIn(testApp)
  const { status, body } = await call(testApp, viewer, 'GET', '/v1/leaderboard')
  expect(status).toBe(200)
  return body.leaderboard as { username: string; averageGain: string }[]
}

test('the leaderboard is empty before anything was closed', { tags: ['API-23'] }, async () => {
  await using testApp = await buildTestApp()
  expect(await makeBoard(testApp, { Opened: { gains: [] } })).toEqual([])
})

test('the leaderboard has the best first by number, in strings of two decimals, never "-0.00"', {
  tags: ['LEAD-05', 'LEAD-06', 'LEAD-07', 'LEAD-08'],
}, async () => {
  await using testApp = await buildTestApp()
  const board = await makeBoard(testApp, {
    Nine: { gains: ['9'] },
    Ten: { gains: ['10'] },
    Hundred: { gains: ['100.005'] },
    Loss: { gains: ['-3.2'] },
    TinyLoss: { gains: ['-0.004', '-0.004'] },
    Mixed: { gains: ['20', '-10.01'] },
    Nothing: { gains: [] },
  })
  expect(board).toEqual([
    { username: 'Hundred', averageGain: '100.01' },
    { username: 'Ten', averageGain: '10.00' },
    { username: 'Nine', averageGain: '9.00' },
    { username: 'Mixed', averageGain: '5.00' },
    { username: 'TinyLoss', averageGain: '0.00' },
    { username: 'Loss', averageGain: '-3.20' },
  ])
})

test('ties go to more closed positions, then by name without regard to case', async () => {
  await using testApp = await buildTestApp()
  const board = await makeBoard(testApp, {
    zed: { gains: ['5'] },
    Bob: { gains: ['5'] },
    alice: { gains: ['5'] },
    Many: { gains: ['5', '5'] },
    Third: { gains: ['0', '0', '15'] },
  })
  expect(board.map(({ username }) => username)).toEqual(['Third', 'Many', 'alice', 'Bob', 'zed'])
})

test('the leaderboard has no more than the best hundred', async () => {
  await using testApp = await buildTestApp()
  const traders = Array.from({ length: 101 }, (_, at) => [`rank${at}`, { gains: [String(at)] }] as const)
  const board = await makeBoard(testApp, Object.fromEntries(traders))
  expect(board.length).toBe(100)
  expect(board.at(0)?.username).toBe('rank100')
  expect(board.at(-1)?.username).toBe('rank1')
})

test('the database reads the ranks from the index, however many traders there are', async () => {
  await using testApp = await buildTestApp()
  const { pool } = testApp
  await pool.query(`insert into users (id, email, created_at, updated_at)
    select gen_random_uuid(), 'p' || n || '@example.com', now(), now() from generate_series(1, 5000) n`)
  await pool.query(`insert into accounts (user_id, username, username_set_at, created_at)
    select id, 'p-' || left(id::text, 8), now(), now() from users on conflict do nothing`)
  await pool.query(`insert into trader_stats (trader_id, closed_count, gain_sum)
    select user_id, 1 + n % 7, n from (select user_id, row_number() over () as n from accounts) numbered`)
  await pool.query('analyze trader_stats, accounts')

  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const listening = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  expect((await listRanked(listening, { minClosed: 1, limit: 100 })).length).toBe(100)
  const { sql, parameters } = asked[0] ?? { sql: '', parameters: [] }
  const { rows } = await pool.query(`explain (format json) ${sql}`, [...parameters])
  const plan = JSON.stringify(rows)
  expect(plan).toContain('trader_stats_rank')
  expect(plan).not.toContain('Seq Scan')
})
