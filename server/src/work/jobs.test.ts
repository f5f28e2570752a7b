import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { test } from 'vitest'
import * as z from 'zod'
import { openTestDatabase } from '../../test/database/database.ts'
import { startTcpProxy } from '../../test/processes/tcp-proxy.ts'
import { systemClock } from '../platform/clock.ts'
import { DatabaseClient } from '../platform/database/database-client.ts'
import { insertJob } from './jobs.queries.ts'
import { defineJob, defineTask, type Every, enqueue, untilNext } from './jobs.ts'
import { startJobs } from './run-jobs.ts'
import { openWorkSession } from './work-session.ts'

const greet = defineJob('greet', z.object({ name: z.string() }))
/** Longer than a worker waits for an answer. */
const STALL_MS = 6000

/** Workers that reach their database through a proxy; their jobs run the test's function. */
async function startScenario() {
  const database = await openTestDatabase()
  const proxy = await startTcpProxy(database.url)
  const greeted: string[] = []
  const lines: string[] = []
  const workers: { stop(): Promise<void> }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const scenario = {
    database,
    proxy,
    greeted,
    work: async (_name: string) => {},
    add: (name: string) => enqueue(database.db, greet, { name }, { key: name }),
    start({
      atOnce = 2,
      databaseUrl = proxy.url,
      every,
    }: {
      atOnce?: number
      databaseUrl?: string
      every?: Every
    } = {}) {
      const task = defineTask(
        greet,
        async ({ name }) => {
          greeted.push(name)
          await scenario.work(name)
        },
        every,
      )
      const session = openWorkSession({ ...database, databaseUrl, clock: systemClock, log })
      const jobs = startJobs({ session, clock: systemClock, log, name: 'quick', tasks: [task], atOnce })
      const worker = {
        async stop() {
          await jobs.stop()
          await session.end()
        },
      }
      workers.push(worker)
      return worker
    },
    logCount: (words: string) => lines.filter((line) => line.includes(words)).length,
    logged: () => lines.map((line) => JSON.parse(line) as object),
    async left() {
      const { rows } = await database.pool.query('select key from work order by key')
      return rows.map(({ key }) => key)
    },
    async one<Row extends Record<string, unknown>>(columns: string): Promise<Row | undefined> {
      const { rows } = await database.pool.query<Row>(`select ${columns} from work`)
      return rows[0]
    },
    async [Symbol.asyncDispose]() {
      proxy.resume()
      await Promise.all(workers.map((worker) => worker.stop()))
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
  return scenario
}

/** Sessions by which workers show that they live. */
async function countSessions({ database }: Awaited<ReturnType<typeof startScenario>>): Promise<number> {
  const { rowCount } = await database.pool.query(
    `select from pg_locks where locktype = 'advisory' and classid = 7238 and granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  return rowCount ?? 0
}

/** As where the disk is full. @returns how to make room on it */
async function refuse(
  { database }: Awaited<ReturnType<typeof startScenario>>,
  what: string,
): Promise<() => Promise<unknown>> {
  // A sequence keeps its count although the statement fails.
  await database.pool.query('create sequence refused')
  await database.pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin perform nextval('refused'); raise exception 'no space' using errcode = '53100'; end $$`)
  await database.pool.query(`create trigger full_disk before ${what} for each row execute function refuse()`)
  return () => database.pool.query('drop function refuse cascade')
}

test.concurrent('a job whose worker died with it is done by another one at once, a job in living hands is left there', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const { database, greeted } = scenario
  const living = await database.pool.connect()
  await living.query('select pg_advisory_lock(7238, 999)')
  for (const name of ['dead', 'living']) await scenario.add(name)
  await database.pool.query(
    "update work set lease_owner = case key when 'living' then 999 else 998 end, leased_at = now()",
  )
  scenario.start()
  await expect.poll(scenario.left).toEqual(['living'])
  expect(greeted).toEqual(['dead'])
  living.release(true)
  await expect.poll(scenario.left).toEqual([])
})

test.concurrent('a job that is asked for again while it is in hand is done again, with what was asked for last', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const over = Promise.withResolvers<void>()
  scenario.work = () => over.promise
  const ask = (name: string) => enqueue(scenario.database.db, greet, { name }, { key: 'one' })
  await ask('first')
  scenario.start()
  await expect.poll(() => scenario.greeted).toEqual(['first'])
  await ask('second')
  await ask('third')
  over.resolve()
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted).toEqual(['first', 'third'])
})

test.concurrent('a job that ends while the database stalls is done once, and the worker goes on', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  scenario.work = async (name) => {
    if (name === 'first') scenario.proxy.stall()
  }
  scenario.start()
  await scenario.add('first')
  await expect.poll(() => scenario.greeted).toEqual(['first'])
  await pause(STALL_MS)
  await scenario.add('second')
  scenario.proxy.resume()
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted.sort()).toEqual(['first', 'second'])
})

test.concurrent('a job that was taken, and whose taking was lost on the way, is taken again at once', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  await scenario.add('unheard')
  const taken = scenario.proxy.loseAnswerTo('update work job set lease_owner')
  scenario.start({ atOnce: 1 })
  await taken
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted).toEqual(['unheard'])
})

test.concurrent('with its connection gone silent a worker goes on, and a job in hand keeps to itself', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const over = Promise.withResolvers<void>()
  scenario.work = async (name) => {
    if (name === 'slow') await over.promise
  }
  scenario.start()
  await scenario.add('slow')
  await expect.poll(() => scenario.greeted).toEqual(['slow'])
  scenario.proxy.freeze()
  await scenario.add('next')
  await expect.poll(scenario.left).toEqual(['slow'])
  over.resolve()
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted).toEqual(['slow', 'next'])
})

test.concurrent('a worker that starts while the database stalls waits for it', async ({ expect }) => {
  await using scenario = await startScenario()
  await scenario.add('waiting')
  scenario.proxy.stall()
  scenario.start()
  await expect.poll(() => scenario.logCount('waits for the database')).toBe(1)
  scenario.proxy.resume()
  await expect.poll(scenario.left).toEqual([])
})

for (const state of ['idle', 'at work', 'without its session'])
  test.concurrent(`a worker that is ${state} stops although the database stalls`, async ({ expect }) => {
    await using scenario = await startScenario()
    scenario.work = () => new Promise(() => undefined)
    const worker = scenario.start()
    await scenario.add('endless')
    await expect.poll(() => scenario.greeted).toEqual(['endless'])
    scenario.proxy.stall()
    if (state === 'without its session')
      await expect.poll(() => scenario.logCount('waits for the database')).toBe(1)
    // Nothing wakes the database: a stop that waited for it would not end.
    await worker.stop()
  })

test.concurrent('a job that fails since the database is away is run again once it is back, within the same try', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const tries: unknown[] = []
  scenario.work = async () => {
    tries.push((await scenario.one('tries'))?.tries)
    if (tries.length < 3)
      await new DatabaseClient({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' }).connect()
  }
  scenario.start()
  await scenario.add('patient')
  await expect.poll(scenario.left).toEqual([])
  expect(tries).toEqual([0, 0, 0])
})

test.concurrent('the end of a job that cannot be written down is written down later, and ends nothing', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  scenario.start()
  const makeRoom = await refuse(scenario, 'delete on work')
  await scenario.add('done')
  const refusals = () => scenario.database.pool.query('select last_value from refused')
  await expect.poll(async () => Number((await refusals()).rows[0]?.last_value)).toBeGreaterThan(2)
  expect(await scenario.left()).toEqual(['done'])
  await makeRoom()
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted).toEqual(['done'])
})

test.concurrent('a job that fails is logged as an error that names it and its cause, without what it was to do or quotes of people, and is parked after its last try', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  scenario.work = async () => {
    throw new Error('the oven is cold for maria@people.example')
  }
  scenario.start()
  const job = { name: greet.name, key: 'k', facts: '{"name":"hidden"}', mostTries: 2 }
  const again = () => insertJob(scenario.database.db, job)
  await again()
  await expect.poll(() => scenario.logCount('the oven is cold')).toBe(1)
  expect(scenario.logged()).toMatchObject([
    {
      level: 50,
      job: 'greet',
      tries: '1 of 2',
      reason: expect.stringContaining('Error: the oven is cold for …: at '),
      msg: 'a job failed',
    },
  ])
  await scenario.database.pool.query('update work set due_at = now()')
  const parked = () =>
    scenario.one<{ parked: boolean }>('parked_at is not null and lease_owner is null as parked')
  await expect.poll(parked).toEqual({ parked: true })
  expect(scenario.logCount('hidden') + scenario.logCount('maria')).toBe(0)
  scenario.work = async () => {}
  await again()
  await expect.poll(scenario.left).toEqual([])
})

test.concurrent('a job that comes by itself is done when its time has come, once of several workers, and then waits for the next time', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const every = { minute: 17 }
  scenario.start({ every })
  scenario.start({ every })
  await expect.poll(scenario.left).toEqual(['every'])
  await expect.poll(() => countSessions(scenario)).toBe(2)
  const { pool } = scenario.database
  await pool.query(`update work set due_at = now(), facts = '{"name":"hourly"}'`)
  const next = () =>
    scenario.one<{ later: boolean }>(
      "due_at > now() and due_at <= now() + interval '1 hour' and lease_owner is null as later",
    )
  await expect.poll(next).toEqual({ later: true })
  expect(scenario.greeted).toEqual(['hourly'])
})

test.concurrent('the next time of a job is in this hour or the next one, on this day or the next one', ({
  expect,
}) => {
  const minutes = (every: Every, now: string) => untilNext(every, new Date(now)) / 60_000
  expect(minutes({ minute: 17 }, '2026-11-28T10:16:00Z')).toBe(1)
  expect(minutes({ minute: 17 }, '2026-11-28T10:17:00Z')).toBe(60)
  expect(minutes({ hour: 4, minute: 41 }, '2026-11-28T04:40:00Z')).toBe(1)
  expect(minutes({ hour: 4, minute: 41 }, '2026-11-28T04:42:00Z')).toBe(1439)
})
