import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { test } from 'vitest'
import * as z from 'zod'
import { openTestDatabase } from '../../test/database.ts'
import { startTcpProxy } from '../../test/tcp-proxy.ts'
import { defineJob, defineTask, enqueue } from './queue.ts'
import { startQueue } from './start-queue.ts'

const greet = defineJob('greet', z.object({ name: z.string() }))
/** Longer than a queue waits for an answer. */
const STALL_MS = 6000

/** A queue that reaches its database through a proxy; its jobs do what the test says. */
async function startScenario() {
  const database = await openTestDatabase()
  const proxy = await startTcpProxy(database.url)
  const greeted: string[] = []
  const lines: string[] = []
  const queues: { stop(): Promise<void> }[] = []
  const scenario = {
    database,
    proxy,
    greeted,
    work: async (_name: string) => {},
    add: (name: string) => enqueue(database.db, greet, { name }, { key: name }),
    async start(concurrency = 2) {
      const task = defineTask(greet, async ({ name }) => {
        greeted.push(name)
        await scenario.work(name)
      })
      const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
      const queue = await startQueue({
        databaseUrl: proxy.url,
        tasks: [task],
        crontab: '',
        concurrency,
        log,
      })
      queues.push(queue)
      return queue
    },
    said: (words: string) => lines.filter((line) => line.includes(words)).length,
    logged: () => lines.map((line) => JSON.parse(line) as object),
    async left() {
      const { rows } = await database.pool.query('select key from graphile_worker._private_jobs order by key')
      return rows.map(({ key }) => key)
    },
    async [Symbol.asyncDispose]() {
      proxy.resume()
      await Promise.all(queues.map((queue) => queue.stop().catch(() => undefined)))
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
  return scenario
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

test.concurrent('a job that ends while the database stalls is done once, and the queue goes on', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  scenario.work = async (name) => {
    if (name === 'first') scenario.proxy.stall()
  }
  await scenario.start()
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
  const taken = scenario.proxy.loseAnswerTo('get_job/')
  await scenario.start(1)
  await taken
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted).toEqual(['unheard'])
})

test.concurrent('with all its connections gone silent a queue goes on, and a job in hand keeps to itself', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const over = Promise.withResolvers<void>()
  scenario.work = async (name) => {
    if (name === 'slow') await over.promise
  }
  await scenario.start()
  await scenario.add('slow')
  await expect.poll(() => scenario.greeted).toEqual(['slow'])
  scenario.proxy.freeze()
  await scenario.add('next')
  await expect.poll(scenario.left).toEqual(['slow'])
  over.resolve()
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted).toEqual(['slow', 'next'])
})

test.concurrent('a queue that starts while the database stalls waits for it', async ({ expect }) => {
  await using scenario = await startScenario()
  await scenario.add('waiting')
  scenario.proxy.stall()
  const starting = scenario.start()
  await expect.poll(() => scenario.said('waits for the database')).toBe(1)
  scenario.proxy.resume()
  await starting
  await expect.poll(scenario.left).toEqual([])
})

for (const state of ['idle', 'at work', 'starting anew'])
  test.concurrent(`a queue that is ${state} stops although the database stalls`, async ({ expect }) => {
    await using scenario = await startScenario()
    scenario.work = () => new Promise(() => undefined)
    const queue = await scenario.start()
    if (state === 'at work') {
      await scenario.add('endless')
      await expect.poll(() => scenario.greeted).toEqual(['endless'])
    }
    scenario.proxy.stall()
    if (state === 'starting anew') await expect.poll(() => scenario.said('is started again')).toBe(1)
    // Nothing wakes the database: a stop that waited for it would not end.
    await queue.stop()
  })

test.concurrent('a job that fails since the database is away is run again once it is back, within the same try', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const tries: number[] = []
  scenario.work = async () => {
    const { rows } = await scenario.database.pool.query('select attempts from graphile_worker._private_jobs')
    tries.push(rows[0]?.attempts)
    if (tries.length < 3) await new pg.Client('postgres://nobody@127.0.0.1:1/nothing').connect()
  }
  await scenario.start()
  await scenario.add('patient')
  await expect.poll(scenario.left).toEqual([])
  expect(tries).toEqual([1, 1, 1])
})

test.concurrent('the end of a job that cannot be written down is written down later, and ends nothing', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  await scenario.start()
  const makeRoom = await refuse(scenario, 'delete on graphile_worker._private_jobs')
  await scenario.add('done')
  const refusals = () => scenario.database.pool.query('select last_value from refused')
  await expect.poll(async () => Number((await refusals()).rows[0]?.last_value)).toBeGreaterThan(2)
  // However often it is tried, it is logged once.
  expect(scenario.said('not recorded yet')).toBe(1)
  expect(await scenario.left()).toEqual(['done'])
  await makeRoom()
  await expect.poll(scenario.left).toEqual([])
  expect(scenario.greeted).toEqual(['done'])
})

test.concurrent('a job that fails is logged as an error that names it and its cause, without what it was to do or quotes of people', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  scenario.work = async () => {
    throw new Error('the oven is cold for maria@people.example')
  }
  await scenario.start()
  await scenario.add('hidden')
  await expect.poll(() => scenario.said('the oven is cold')).toBe(1)
  expect(scenario.logged()).toMatchObject([
    {
      level: 50,
      job: 'greet',
      tries: '1 of 25',
      reason: expect.stringContaining('Error: the oven is cold for …: at '),
      msg: 'a job failed',
    },
  ])
  expect(scenario.said('hidden') + scenario.said('maria')).toBe(0)
})

test.concurrent('a queue whose first look at its tasks fails looks again', async ({ expect }) => {
  await using scenario = await startScenario()
  const makeRoom = await refuse(scenario, 'insert on graphile_worker._private_tasks')
  await scenario.start()
  await expect.poll(() => scenario.said('is started again')).toBeGreaterThan(0)
  await makeRoom()
  await scenario.add('late')
  await expect.poll(scenario.left).toEqual([])
})
