import { expect, onTestFinished, test, vi } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase, silentLog, type TestDatabase } from '../../test/database/database.ts'
import { endWorkerSessions } from '../../test/database/end-worker-sessions.ts'
import { LIVING_WORKERS } from '../platform/database/living-workers.ts'
import { runWork, type Work } from './run-work.ts'
import { openWorkSession } from './work-session.ts'

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 120_000 })

type Chore = { id: number }
type Done = { id: number; outcome: string }

/** A table of work as every kind has one, with what was recorded, and how often. */
async function startScene() {
  const database = await openTestDatabase()
  await database.pool.query(`create table chores (id int primary key, outcome text check (outcome <> 'impossible'),
    lease_owner int, leased_at timestamptz)`)
  const clock = makeTestClock(TEST_NOW)
  const records: number[] = []
  const given: number[] = []
  const work = (
    handle: Work<Chore, Done>['handle'],
    more: Partial<Work<Chore, Done>> = {},
  ): Work<Chore, Done> => ({
    name: 'chores',
    table: { name: 'chores', key: { id: 'bigint' } },
    keyOf: ({ id }) => [id],
    channel: 'outbox',
    atOnce: 8,
    waiting: () => 'outcome is null',
    async lease(client, { now, number, staleBefore }, limit) {
      const { rows } = await client.query<Chore>(
        `with living as materialized (${LIVING_WORKERS}), free as (
           select id from chores where outcome is null and (lease_owner is null or lease_owner <> $1
             and (leased_at < $2 or lease_owner not in (select number from living)))
           order by id limit $4 for update skip locked)
         update chores set lease_owner = $1, leased_at = $3 from free where chores.id = free.id returning chores.id`,
        [number, staleBefore, now, limit],
      )
      given.push(...rows.map(({ id }) => id))
      return rows
    },
    async record(client, endings, { numbers }) {
      await client.query(
        `update chores set outcome = done.outcome, lease_owner = null
         from unnest($1::int[], $2::text[]) done (id, outcome) where chores.id = done.id and lease_owner = any($3::int[])`,
        [endings.map(({ id }) => id), endings.map(({ outcome }) => outcome), numbers.all],
      )
      records.push(endings.length)
    },
    handle,
    ...more,
  })
  onTestFinished(() => database[Symbol.asyncDispose]())
  return {
    database,
    clock,
    records,
    given,
    work,
    /** A worker process that does these kinds of work. */
    start(...works: Work<Chore, Done>[]) {
      const deps = { ...database, databaseUrl: database.url, clock, log: silentLog }
      const session = openWorkSession(deps)
      const running = works.map((one) => runWork({ ...deps, session }, one))
      const stop = async () => {
        await Promise.all(running.map((one) => one.stop()))
        await session.end()
      }
      onTestFinished(stop)
      return { stop }
    },
    async add(...ids: number[]) {
      await database.pool.query('insert into chores (id) select unnest($1::int[])', [ids])
      await database.pool.query("select pg_notify('outbox', '')")
    },
    async outcomes() {
      const { rows } = await database.pool.query<Done>('select id, outcome from chores order by id')
      return Object.fromEntries(rows.map(({ id, outcome }) => [id, outcome]))
    },
  }
}

const endAll: Work<Chore, Done>['handle'] = async (chores, end) => {
  await Promise.all(chores.map((chore) => end(chore, { ...chore, outcome: 'done' })))
}

test('results that end together are recorded with one statement', async () => {
  const { add, outcomes, records, start, work } = await startScene()
  await add(1, 2, 3, 4, 5)
  start(work(endAll))
  await until(async () => expect(Object.values(await outcomes())).toEqual(Array(5).fill('done')))
  expect(records).toEqual([5])
})

test('a result that the database refuses holds up none of the others', async () => {
  const { add, outcomes, start, work } = await startScene()
  await add(1, 2, 3)
  start(
    work(async (chores, end) => {
      await Promise.all(
        chores.map((chore) => end(chore, { ...chore, outcome: chore.id === 2 ? 'impossible' : 'done' })),
      )
    }),
  )
  await until(async () => expect(await outcomes()).toEqual({ 1: 'done', 2: null, 3: 'done' }))
  await add(4)
  await until(async () => expect(await outcomes()).toEqual({ 1: 'done', 2: null, 3: 'done', 4: 'done' }))
})

test('an item that could not be begun is given back, and comes again', async () => {
  const { add, given, outcomes, start, work } = await startScene()
  await add(1, 2)
  let tries = 0
  start(
    work(async (chores, end) => {
      tries += 1
      if (tries === 1) throw new Error('nothing can be read')
      await endAll(chores, end)
    }),
  )
  await until(async () => expect(await outcomes()).toEqual({ 1: 'done', 2: 'done' }))
  expect(given.toSorted()).toEqual([1, 1, 2, 2])
})

test('a worker that loses its session goes on with what it has in hand under a new number, and nobody is given it meanwhile', async () => {
  const { add, database, given, outcomes, start, work } = await startScene()
  const over = Promise.withResolvers<void>()
  await add(1)
  start(
    work(
      async (chores, end) => {
        await over.promise
        await endAll(chores, end)
      },
      { atOnce: 1 },
    ),
  )
  await until(() => expect(given).toEqual([1]))
  const [before] = await ownersOf(database)
  await endWorkerSessions(database.pool, before)
  await until(async () => expect((await ownersOf(database))[0]).toBeGreaterThan(before ?? 0))
  start(work(endAll))
  await add(2)
  await until(async () => expect((await outcomes())[2]).toBe('done'))
  over.resolve()
  await until(async () => expect((await outcomes())[1]).toBe('done'))
  expect(given).toEqual([1, 2])
})

async function ownersOf({ pool }: TestDatabase): Promise<number[]> {
  const { rows } = await pool.query<{ owner: number }>(
    'select lease_owner as owner from chores where lease_owner is not null',
  )
  return rows.map(({ owner }) => owner)
}

test('the leases of a worker do not expire while it lives, however long that takes', async () => {
  const { add, clock, database, given, start, work } = await startScene()
  const over = Promise.withResolvers<void>()
  await add(1)
  start(work(() => over.promise))
  await until(() => expect(given).toEqual([1]))
  clock.advance(9000)
  await until(async () => {
    const { rows } = await database.pool.query<{ at: Date }>('select leased_at as at from chores')
    expect(rows[0]?.at).toEqual(clock.now())
  })
  over.resolve()
})

test('one kind of work that waits for a row of somebody else holds up the others for a second at most', async () => {
  const { add, database, outcomes, records, start, work } = await startScene()
  await add(1, 2)
  const client = await database.pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('create table others (id int)')
  await client.query('begin')
  await client.query('lock table others')
  const refusals: unknown[] = []
  const waiting = work(async () => undefined, {
    name: 'others',
    async lease(session) {
      await session.query('select from others').catch((error: { code: string }) => {
        refusals.push(error.code)
        throw error
      })
      return []
    },
  })
  start(waiting, work(endAll))
  await until(async () => expect(await outcomes()).toEqual({ 1: 'done', 2: 'done' }))
  expect(records.reduce((sum, count) => sum + count, 0)).toBe(2)
  // Ended by the limit of a lock (lock_not_available), and not by that of a statement.
  await until(() => expect(refusals[0]).toBe('55P03'))
})

test('a worker that is stopped takes nothing more, and waits for what it has in hand', async () => {
  const { add, given, outcomes, start, work } = await startScene()
  const over = Promise.withResolvers<void>()
  await add(1)
  const worker = start(
    work(async (chores, end) => {
      await over.promise
      await endAll(chores, end)
    }),
  )
  await until(() => expect(given).toEqual([1]))
  const stopping = worker.stop()
  await add(2)
  over.resolve()
  await stopping
  expect(await outcomes()).toEqual({ 1: 'done', 2: null })
})

test('a worker that looks for work reads no table whole, also by statistics from before that was worked off', async () => {
  const { clock, database } = await startScene()
  const { pool, url } = database
  await pool.query('create index chores_open on chores (id) where outcome is null')
  await pool.query('insert into chores (id) select generate_series(1, 20000)')
  await pool.query('analyze chores')
  await pool.query("update chores set outcome = 'done'")
  const looks = 'explain select exists (select from chores where outcome is null)'
  const planOf = (rows: Record<string, string>[]) => rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(planOf((await pool.query(looks)).rows)).toContain('Seq Scan on chores')
  const session = openWorkSession({ ...database, databaseUrl: url, clock, log: silentLog })
  onTestFinished(() => session.end())
  await session.opened
  const { rows } = await session.run((client) => client.query<Record<string, string>>(looks))
  expect(planOf(rows)).toContain('using chores_open')
})
