import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { type ReplicatedPostgres, runOn, startReplicatedPostgres } from '../../../test/database/standby.ts'
import { call, close, makeTrader, NOTES, open, subscribe, type Trader } from '../../../test/factories.ts'
import { scoreAt } from '../../../test/prices/proven-scenario.ts'
import { type QuoteServer, startQuoteServer } from '../../../test/prices/quote-server.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/processes/tcp-proxy.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'
import { connectDatabase, type Database } from '../database/database.ts'
import { judgeReplica } from './replica.queries.ts'
import { type ReadsOfOthers, readOthersFromReplica } from './replica.ts'

let servers: ReplicatedPostgres
let database: Database
let proxy: TcpProxy
let others: ReadsOfOthers
let quotes: QuoteServer
let common: Parameters<typeof buildTestApp>[0]
/** Reads what others did from the replica. */
let apart: TestApp
/** On the same database, and reads everything from the primary. */
let plain: TestApp
/** Follows the trader. */
let viewer: Trader
let trader: Trader

beforeAll(async () => {
  servers = await startReplicatedPostgres()
  database = connectDatabase({ url: servers.primary.url, size: 8, log: silentLog })
  proxy = await startTcpProxy(servers.standby.url)
  quotes = await startQuoteServer()
  common = { quotes, settings: { limitsOn: false }, database: { ...database, url: servers.primary.url } }
  apart = await buildTestApp({
    ...common,
    others: (primary) => {
      others = readOthersFromReplica({ url: proxy.url, primary, size: 4, log: silentLog })
      return others
    },
  })
  plain = await buildTestApp({ ...common, clock: apart.clock })
  viewer = await makeTrader(apart)
  trader = await makeTrader(apart)
  await subscribe(apart, viewer, trader)
  await open(apart, quotes, trader, 'AAPL', 100)
  await open(apart, quotes, trader, 'GONE', 100)
  await open(apart, quotes, viewer, 'MINE', 100)
  at('2026-03-05')
  await close(apart, quotes, trader, 'GONE', 110)
  await scoreAt(apart, '2026-03-06T06:00:00Z')
})

afterAll(async () => {
  await apart.close()
  await plain.close()
  await others.close()
  await proxy[Symbol.asyncDispose]()
  await database.close()
  await servers[Symbol.asyncDispose]()
  await quotes.close()
})

/** Connections are refused there. */
const NOBODY = 'tcp://127.0.0.1:1'

afterEach(async () => {
  proxy.resume()
  await runOn(servers.standby.url, 'select pg_wal_replay_resume()')
})

const at = (day: string) => apart.clock.set(new Date(`${day}T15:00:00Z`))
const onPrimary = (...statements: string[]) => runOn(servers.primary.url, ...statements)
const onStandby = (...statements: string[]) => runOn(servers.standby.url, ...statements)

async function caughtUp(): Promise<void> {
  const [at] = await onPrimary('select pg_current_wal_lsn() as lsn')
  const applied = () => onStandby(`select pg_last_wal_replay_lsn() >= '${at?.lsn}' as applied`)
  await expect.poll(applied).toEqual([{ applied: true }])
}

/** The notes of a close are shown with closed positions; here they change without an event. */
const noteOnClose = (text: string) =>
  onPrimary(`update positions set close_notes = '${text}' where symbol = 'GONE'`)

/** Pages are kept: each time another one is asked for, which begins before everything, so that it is read. */
let pages = 0
function newPage(): string {
  pages += 1
  const before = `2999-01-01T00:00:00.${String(pages).padStart(6, '0')}Z`
  return Buffer.from(`closed desc ${before} 00000000-0000-0000-0000-000000000000`).toString('base64url')
}

async function notesOnClose(): Promise<string | undefined> {
  const url = `/v1/traders/${trader.username}/positions/closed?after=${newPage()}`
  const { body } = await call(apart, viewer, 'GET', url)
  const closed = body.positions as { symbol: string; notes: { close: string } }[]
  return closed.find(({ symbol }) => symbol === 'GONE')?.notes.close
}

type Listed = { stock: string; openNotes: string }

/** A position in the list of an app; undefined when it is not listed. */
async function listed(who: SignedIn, stock: string, app = apart): Promise<Listed | undefined> {
  const { body, status } = await call(app, who, 'GET', '/v1/positions')
  expect(status).toBe(200)
  return (body.positions as Listed[]).find((position) => position.stock === stock)
}

let notes = 0

/** Whether closed positions are read from the replica: then they lack notes that the primary alone has. */
async function usesReplica(): Promise<boolean> {
  notes += 1
  await caughtUp()
  await onStandby('select pg_wal_replay_pause()')
  await noteOnClose(`Sold for reason ${notes}`)
  const used = (await notesOnClose()) !== `Sold for reason ${notes}`
  await onStandby('select pg_wal_replay_resume()')
  return used
}

const replicaIsUsed = () => expect.poll(usesReplica).toBe(true)

test('every answer with a replica is the answer without one', async () => {
  await replicaIsUsed()
  await caughtUp()
  const name = trader.username
  for (const path of [
    '/v1/positions',
    `/v1/accounts/profile?username=${name}`,
    `/v1/accounts/search?username=${name}`,
    `/v1/accounts/suggestions?username=${name.slice(0, 3)}`,
    `/v1/traders/${name}/positions/closed`,
    `/v1/traders/${name}/track-record`,
    '/v1/leaderboard',
    '/v1/leaderboard/proven',
  ]) {
    for (const who of [viewer, trader]) {
      const [withReplica, without] = [
        await call(apart, who, 'GET', path),
        await call(plain, who, 'GET', path),
      ]
      expect({ path, ...withReplica }).toEqual({ path, ...without })
      expect(without.status).toBe(200)
    }
  }
})

test('positions of others are read from the replica, and own ones from the primary', async () => {
  await replicaIsUsed()
  await caughtUp()
  await onStandby('select pg_wal_replay_pause()')
  const write = (text: string) =>
    onPrimary(`update positions set open_notes = '${text}' where symbol = 'AAPL'`)
  await write('The primary alone has this.')
  // Each has just been started: nothing is kept.
  for (const [who, seen] of [
    [viewer, NOTES],
    [trader, 'The primary alone has this.'],
  ] as const) {
    const app = await buildTestApp({ ...common, clock: apart.clock, others: () => others })
    expect(await listed(who, 'AAPL', app)).toMatchObject({ openNotes: seen })
    await app.close()
  }
  await write(NOTES)
})

test('a person’s own opened and closed positions show in their next list, however far the replica is behind', async () => {
  await replicaIsUsed()
  await onStandby('select pg_wal_replay_pause()')
  at('2026-03-09')
  expect(await open(apart, quotes, viewer, 'SOON', 100)).toMatchObject({ status: 201 })
  expect(await listed(viewer, 'SOON')).toBeDefined()
  at('2026-03-10')
  expect(await close(apart, quotes, viewer, 'SOON', 110)).toMatchObject({ status: 200 })
  expect(await listed(viewer, 'SOON')).toBeUndefined()
  const { body } = await call(apart, viewer, 'GET', `/v1/accounts/profile?username=${viewer.username}`)
  expect(body).toMatchObject({ closedPositions: 1, latestPositions: [{ symbol: 'SOON' }] })
})

test('a follower never misses what a trader has published, however far the replica is behind', async () => {
  await replicaIsUsed()
  await onStandby('select pg_wal_replay_pause()')
  at('2026-03-11')
  expect(await open(apart, quotes, trader, 'NEWS', 100)).toMatchObject({ status: 201 })
  expect(await listed(viewer, 'NEWS')).toBeDefined()
  at('2026-03-12')
  expect(await close(apart, quotes, trader, 'NEWS', 120)).toMatchObject({ status: 200 })
  expect(await listed(viewer, 'NEWS')).toBeUndefined()
  for (const [path, list] of [
    [`/v1/accounts/profile?username=${trader.username}`, 'latestPositions'],
    [`/v1/traders/${trader.username}/positions/closed`, 'positions'],
  ] as const) {
    const { body } = await call(apart, viewer, 'GET', path)
    expect((body[list] as { symbol: string }[])[0]?.symbol).toBe('NEWS')
  }
})

test('a suspended trader is on no list at once, and back at once, however far the replica is behind', async () => {
  await onPrimary(
    `insert into score_runs (as_of, formula, ran_at, traders) values ('2026-03-05', 2, '2026-03-06', 1)`,
    `insert into trader_scores (as_of, trader_id, low, middle, high, reliability)
     values ('2026-03-05', '${trader.userId}', 1, 2, 3, 0.5)`,
  )
  await replicaIsUsed()
  await caughtUp()
  const lists = async () => {
    const [proven, offered] = await Promise.all([
      call(apart, viewer, 'GET', '/v1/leaderboard/proven'),
      call(apart, viewer, 'GET', `/v1/accounts/suggestions?username=${trader.username}`),
    ])
    const both = [proven.body.entries, offered.body.traders] as { username: string }[][]
    return both.map((list) => list.some(({ username }) => username === trader.username))
  }
  await onStandby('select pg_wal_replay_pause()')
  expect(await lists()).toEqual([true, true])
  await onPrimary(`update users set suspended_at = '2026-03-12' where id = '${trader.userId}'`)
  expect(await lists()).toEqual([false, false])
  await onStandby('select pg_wal_replay_resume()')
  await replicaIsUsed()
  expect(await lists()).toEqual([false, false])
  await onStandby('select pg_wal_replay_pause()')
  await onPrimary(`update users set suspended_at = null where id = '${trader.userId}'`)
  expect(await lists()).toEqual([true, true])
})

test('a change by a night or a late close shows at once in curves and scores, however far the replica is behind', async () => {
  await replicaIsUsed()
  await caughtUp()
  await onStandby('select pg_wal_replay_pause()')
  const curve = `/v1/traders/${trader.username}/track-record`
  for (const path of [curve, '/v1/leaderboard/proven']) {
    const before = await call(apart, viewer, 'GET', path)
    // A trigger raises the version of scores; closes and days of another node are raised by what writes them.
    await onPrimary(
      `insert into symbol_days (symbol, day, close, late, known_at)
       select 'SPY', day, 500, false, '2026-03-06' from unnest('{2026-03-04,2026-03-05}'::date[]) day on conflict do nothing`,
      `insert into trader_days (trader_id, day, positions, day_return) values ('${trader.userId}', '2026-03-05', 1, 2)
       on conflict do nothing`,
      `select raise_version('days')`,
      'update trader_scores set middle = middle + 1, high = high + 1',
    )
    const after = await call(apart, viewer, 'GET', path)
    expect(after).toEqual(await call(plain, viewer, 'GET', path))
    expect(after, path).not.toEqual(before)
  }
})

test('a replica that is silent is left alone, and used again once it answers', async () => {
  await replicaIsUsed()
  proxy.stall()
  await noteOnClose('Sold while it is silent')
  expect(await notesOnClose()).toBe('Sold while it is silent')
  proxy.resume()
  await replicaIsUsed()
})

test('a replica that is killed is left alone, and used again once it is back', async () => {
  await replicaIsUsed()
  const [postmaster] = await onStandby(
    `select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid`,
  )
  const sessions = await onStandby(`select pid from pg_stat_activity where backend_type = 'client backend'`)
  // It is started again at once, and has to be away for as long as is asked here.
  proxy.redirect(NOBODY)
  process.kill(Number(postmaster?.pid), 'SIGKILL')
  // Until they have noticed, its sessions answer.
  await expect.poll(() => sessions.filter(({ pid }) => isRunning(Number(pid)))).toEqual([])
  await noteOnClose('Sold while it is away')
  expect(await notesOnClose()).toBe('Sold while it is away')
  proxy.redirect(servers.standby.url)
  await replicaIsUsed()
})

test('a replica is too old ten seconds after the commit that it lacks, and never while it lacks none', async () => {
  await onPrimary(
    'create schema if not exists late',
    `create or replace function late.clock_timestamp() returns timestamptz language sql
     return pg_catalog.clock_timestamp() + interval '10 seconds'`,
  )
  await caughtUp()
  const later = `${servers.standby.url}?options=-c%20search_path%3Dlate,pg_catalog,public`
  const { db, close: end } = connectDatabase({ url: later, pooled: true, size: 1, log: silentLog })
  expect(await judgeReplica(db, new Map(), new Map())).toEqual({ fresh: true, complete: true })
  await onStandby('select pg_wal_replay_pause()')
  await noteOnClose('Sold ten seconds ago')
  const received = () => onStandby('select pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() as more')
  await expect.poll(received).toEqual([{ more: true }])
  expect(await judgeReplica(db, new Map(), new Map())).toEqual({ fresh: false, complete: true })
  await onStandby('select pg_wal_replay_resume()')
  await caughtUp()
  expect(await judgeReplica(db, new Map(), new Map())).toEqual({ fresh: true, complete: true })
  await end()
})

/** One that has ended and that nobody has asked how does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
