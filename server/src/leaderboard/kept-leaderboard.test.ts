import { leaderboardAnswer } from '@tradepost/contract/leaderboard'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { call, close, makeTrader, open } from '../../test/factories.ts'
import { startTwoProcesses } from '../../test/processes/two-processes.ts'
import { RACE_TIMEOUT_MS } from '../../test/rounds.ts'
import { bearer, type SignedIn, signIn, tokenOf } from '../../test/sign-in/sign-in.ts'

vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
const NEXT_DAY = new Date('2026-03-05T15:00:00Z')

// Two API processes on one database: the other process keeps a list that the first one changes.
const processes = await startTwoProcesses()
const { database, here, quotes, there } = processes
afterAll(() => processes.close())
beforeEach(async () => {
  await database.pool.query('truncate trader_stats')
  for (const app of [here, there]) app.clock.set(TEST_NOW)
})

type Entry = { username: string; averageGain: string; isSelf?: boolean }

async function board(app: TestApp, who: SignedIn): Promise<Entry[]> {
  const { status, body } = await call(app, who, 'GET', '/v1/leaderboard')
  expect(status).toBe(200)
  return body.leaderboard as Entry[]
}

async function text(app: TestApp, who: SignedIn, known?: string) {
  const headers = { ...bearer(await tokenOf(app, who)), ...(known && { 'if-none-match': known }) }
  const answer = await app.app.inject({ url: '/v1/leaderboard', headers })
  return { status: answer.statusCode, tag: String(answer.headers.etag), text: answer.body }
}

const tomorrow = () => {
  for (const app of [here, there]) app.clock.set(NEXT_DAY)
}

test('after a close was answered the next reading shows it, in every process, also while many close at once', async () => {
  const viewer = await signIn(here)
  const traders = await Promise.all(Array.from({ length: 8 }, () => makeTrader(here)))
  for (const trader of traders) {
    for (const symbol of ['ONE', 'TWO', 'THREE']) await open(here, quotes, trader, symbol, 100)
  }
  tomorrow()
  for (const [nth, symbol] of ['ONE', 'TWO', 'THREE'].entries()) {
    await Promise.all(
      traders.map(async (trader, at) => {
        const [closing, reading] = at % 2 === 0 ? [here, there] : [there, here]
        expect((await close(closing, quotes, trader, symbol, 110)).status).toBe(200)
        const seen = (await board(reading, viewer)).find(({ username }) => username === trader.username)
        expect(seen).toMatchObject({ averageGain: '10.00', closed: nth + 1 })
      }),
    )
  }
})

test('what is not committed is not shown, and keeps nobody from closing or reading', async () => {
  const viewer = await signIn(here)
  const [first, second] = [await makeTrader(here), await makeTrader(here)]
  await open(here, quotes, first, 'ONE', 100)
  await open(here, quotes, second, 'ONE', 100)
  tomorrow()
  await close(here, quotes, first, 'ONE', 110)
  const names = async () => (await board(there, viewer)).map(({ username }) => username)
  expect(await names()).toEqual([first.username])
  const writer = await database.pool.connect()
  try {
    await writer.query('begin')
    await writer.query('update trader_stats set gain_sum = 50 where trader_id = $1', [first.userId])
    expect((await close(here, quotes, second, 'ONE', 120)).status).toBe(200)
    expect(await names()).toEqual([second.username, first.username])
    await writer.query('commit')
    expect(await names()).toEqual([first.username, second.username])
  } finally {
    await writer.query('rollback')
    writer.release()
  }
})

test('every part of the answer raises its version: gains, wins, curves, and who is gone', async () => {
  const viewer = await signIn(here)
  const trader = await makeTrader(here)
  const change = (sql: string) => database.pool.query(sql, [trader.userId])
  for (const sql of [
    'insert into trader_stats (trader_id, closed_count, gain_sum, win_count) values ($1, 5, 50, 3)',
    'update trader_stats set gain_sum = 60 where trader_id = $1',
    'update trader_stats set win_count = 4 where trader_id = $1',
    'update trader_stats set closed_count = 6 where trader_id = $1',
    "insert into trader_sparklines values ($1, '{100,101,102}')",
    "update trader_sparklines set levels = '{100,101,103}' where trader_id = $1",
    'delete from trader_sparklines where trader_id = $1',
    'delete from trader_stats where trader_id = $1',
  ]) {
    const before = (await text(here, viewer)).tag
    await change(sql)
    expect((await text(here, viewer)).tag, sql).not.toBe(before)
  }
})

test('an open changes nothing of it: the answer is kept, and is still the same to who has it', async () => {
  const [viewer, trader] = [await signIn(here), await makeTrader(here)]
  await database.pool.query(
    'insert into trader_stats (trader_id, closed_count, gain_sum) values ($1, 1, 5)',
    [trader.userId],
  )
  const { tag } = await text(here, viewer)
  const versions = async () => (await database.pool.query('select * from read_versions order by part')).rows
  const before = await versions()
  await open(here, quotes, trader, 'ONE', 100)
  await open(here, quotes, await makeTrader(here), 'ONE', 100)
  expect(await versions()).toEqual(before)
  expect(await text(here, viewer, tag)).toMatchObject({ status: 304, text: '' })
})

test('of an answer that is kept nobody gets the part of another: who is marked is who asks', async () => {
  const people = await Promise.all(Array.from({ length: 102 }, () => makeTrader(here)))
  await database.pool.query(
    `insert into trader_stats (trader_id, closed_count, gain_sum)
     select id, 1, 1000 - nth from unnest($1::uuid[]) with ordinality as asked(id, nth)`,
    [people.map(({ userId }) => userId)],
  )
  const stranger = await signIn(here)
  const [best, hundredAndFirst, last] = [people[0], people[100], people[101]] as SignedIn[]
  for (let round = 0; round < 2; round += 1) {
    for (const [who, marked, rank] of [
      [stranger, 0, null],
      [best, 1, null],
      [hundredAndFirst, 0, 101],
      [stranger, 0, null],
      [last, 0, 102],
      [hundredAndFirst, 0, 101],
    ] as const) {
      const answer = await text(here, who as SignedIn)
      const parsed = leaderboardAnswer.parse(JSON.parse(answer.text))
      expect(JSON.stringify(parsed), 'no field that the contract does not name').toBe(answer.text)
      expect(parsed.leaderboard.filter(({ isSelf }) => isSelf).length).toBe(marked)
      expect(parsed.own?.rank ?? null).toBe(rank)
      if (rank !== null) expect(parsed.own?.username).toBe(people[rank - 1]?.username)
    }
  }
})

test('a version that could not be read is no version: the next reading has what is there', async () => {
  const [viewer, trader] = [await signIn(here), await makeTrader(here)]
  await board(here, viewer)
  await database.pool.query(
    'insert into trader_stats (trader_id, closed_count, gain_sum) values ($1, 1, 5)',
    [trader.userId],
  )
  await database.pool.query('alter table trader_sparklines rename to away')
  try {
    expect((await call(here, viewer, 'GET', '/v1/leaderboard')).status).toBe(500)
  } finally {
    await database.pool.query('alter table away rename to trader_sparklines')
  }
  expect((await board(here, viewer)).map(({ username }) => username)).toEqual([trader.username])
})
