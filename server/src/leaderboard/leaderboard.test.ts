import { Kysely, PostgresDialect } from 'kysely'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import type { DB } from '../platform/database/schema.ts'
import { findRank, listRanked } from './leaderboard.queries.ts'

type Figures = { gains: readonly string[] }
type Entry = { username: string; averageGain: string }

/** Traders with closed positions of these gains, straight into the statistics. */
async function makePeople(testApp: TestApp, board: Record<string, Figures>) {
  const people: Record<string, SignedIn> = {}
  for (const [name, { gains }] of Object.entries(board)) {
    const trader = await makeTrader(testApp, name)
    people[name] = trader
    await testApp.pool.query(
      `insert into trader_stats (trader_id, closed_count, gain_sum, win_count)
       select $1, count(*), coalesce(sum(gain::numeric), 0), count(*) filter (where gain::numeric > 0)
       from unnest($2::text[]) gain`,
      [trader.userId, gains],
    )
  }
  return people
}

/** The answer to somebody without a position about such traders. */
async function makeBoard(testApp: TestApp, board: Record<string, Figures>) {
  await makePeople(testApp, board)
  const viewer = await signIn(testApp)
  const { status, body } = await call(testApp, viewer, 'GET', '/v1/leaderboard')
  expect(status).toBe(200)
  return body.leaderboard as Entry[]
}

/** The specification's own fields of an entry; the others are optional. */
const specified = ({ username, averageGain }: Entry) => ({ username, averageGain })

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
  expect(board.map(specified)).toEqual([
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

test('beside the average an entry shows how many positions are closed and, from five on, how many of them won', {
  tags: ['LEAD-09'],
}, async () => {
  await using testApp = await buildTestApp()
  const board = await makeBoard(testApp, {
    Five: { gains: ['3', '0', '-1', '2', '1'] },
    Four: { gains: ['1', '1', '1', '-1'] },
  })
  expect(board).toEqual([
    { username: 'Five', averageGain: '1.00', closed: 5, wins: 3 },
    { username: 'Four', averageGain: '0.50', closed: 4, wins: null },
  ])
})

/** The answer to one of the traders. */
async function boardOf(testApp: TestApp, trader: SignedIn) {
  const { status, body } = await call(testApp, trader, 'GET', '/v1/leaderboard')
  expect(status).toBe(200)
  const selves = (body.leaderboard as { username: string; isSelf?: boolean }[]).filter(({ isSelf }) => isSelf)
  return { selves: selves.map(({ username }) => username), own: body.own }
}

test('a trader sees which entry is their own, beyond the best hundred their exact place, and nobody else’s', {
  tags: ['LEAD-11'],
}, async () => {
  await using testApp = await buildTestApp()
  // Places 101 to 105: by more closed positions, then by name.
  const hundred = Array.from({ length: 100 }, (_, at) => [`rank${at}`, { gains: [String(9 + at)] }] as const)
  const people = await makePeople(testApp, {
    ...Object.fromEntries(hundred),
    most: { gains: ['5', '5', '5'] },
    Anna: { gains: ['5'] },
    bob: { gains: ['5'] },
    Carl: { gains: ['5'] },
    last: { gains: ['-1', '2', '0', '0', '1'] },
    opened: { gains: [] },
  })
  const board = (name: string) => boardOf(testApp, people[name] as SignedIn)
  expect(await board('rank99')).toEqual({ selves: ['rank99'], own: undefined })
  expect(await board('rank0')).toEqual({ selves: ['rank0'], own: undefined })
  const five = { averageGain: '5.00', wins: null, isSelf: true, ranked: 105 }
  expect((await board('most')).own).toEqual({ ...five, username: 'most', closed: 3, rank: 101 })
  expect((await board('Anna')).own).toEqual({ ...five, username: 'Anna', closed: 1, rank: 102 })
  expect((await board('bob')).own).toEqual({ ...five, username: 'bob', closed: 1, rank: 103 })
  expect((await board('Carl')).own).toEqual({ ...five, username: 'Carl', closed: 1, rank: 104 })
  expect(await board('last')).toEqual({
    selves: [],
    own: {
      username: 'last',
      averageGain: '0.40',
      closed: 5,
      wins: 2,
      isSelf: true,
      rank: 105,
      ranked: 105,
    },
  })
  expect(await board('opened')).toEqual({ selves: [], own: undefined })
  expect(await boardOf(testApp, await signIn(testApp))).toEqual({ selves: [], own: undefined })
})

test('the database reads the ranks from the index, however many traders there are, and of suspended ones nothing', async () => {
  await using testApp = await buildTestApp()
  const { pool } = testApp
  await pool.query(`insert into users (id, email, created_at, updated_at)
    select gen_random_uuid(), 'p' || n || '@example.com', now(), now() from generate_series(1, 5000) n`)
  await pool.query(`insert into accounts (user_id, username, username_set_at, created_at)
    select id, 'p-' || left(id::text, 8), now(), now() from users on conflict do nothing`)
  await pool.query(`insert into trader_stats (trader_id, closed_count, gain_sum)
    select user_id, 1 + n % 7, n from (select user_id, row_number() over () as n from accounts) numbered`)
  await pool.query(`insert into trader_sparklines (trader_id, levels)
    select user_id, (select array_agg(100 + n) from generate_series(0, 30) n) from accounts`)
  await pool.query(`update users set suspended_at = now()
    where id in (select trader_id from trader_stats order by gain_avg desc limit 2000)`)
  await pool.query('vacuum analyze trader_stats, accounts, trader_sparklines')

  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const listening = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  const [last] = (await pool.query('select trader_id from trader_stats where gain_sum = 1')).rows
  expect((await listRanked(listening, { minClosed: 1, limit: 100 })).length).toBe(100)
  const rankWithin = (limit: number) => findRank(listening, last.trader_id, { minClosed: 1, limit })
  expect(await rankWithin(3000)).toMatchObject({ rank: 3000, ranked: 3000 })
  expect(await rankWithin(2999)).toMatchObject({ rank: null, ranked: null })
  expect(asked.length).toBe(3)
  for (const { sql, parameters } of asked) {
    const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
    const plan = JSON.stringify(rows)
    expect(plan).toContain('trader_stats_board')
    // Ten rows or more.
    expect(plan).not.toMatch(/"Rows Removed by Filter":\d\d/)
    expect(plan).toContain('trader_sparklines_pkey')
    expect(plan).not.toContain('Seq Scan')
  }
})
