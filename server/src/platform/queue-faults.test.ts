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
async function openRoom() {
  const database = await openTestDatabase()
  const proxy = await startTcpProxy(database.url)
  const greeted: string[] = []
  const lines: string[] = []
  const queues: { stop(): Promise<void> }[] = []
  const room = {
    database,
    proxy,
    greeted,
    work: async (_name: string) => {},
    add: (name: string) => enqueue(database.db, greet, { name }, { key: name }),
    async start(concurrency = 2) {
      const task = defineTask(greet, async ({ name }) => {
        greeted.push(name)
        await room.work(name)
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
  return room
}

/** As where the disk is full. @returns how to make room on it */
async function refuse(
  { database }: Awaited<ReturnType<typeof openRoom>>,
  what: string,
): Promise<() => Promise<unknown>> {
  await database.pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no space' using errcode = '53100'; end $$`)
  await database.pool.query(`create trigger full_disk before ${what} for each row execute function refuse()`)
  return () => database.pool.query('drop function refuse cascade')
}

test.concurrent('R3: a job that ends while the database stalls is done once, and the queue goes on', async ({
  expect,
}) => {
  await using room = await openRoom()
  room.work = async (name) => {
    if (name === 'first') room.proxy.stall()
  }
  await room.start()
  await room.add('first')
  await expect.poll(() => room.greeted).toEqual(['first'])
  await pause(STALL_MS)
  await room.add('second')
  room.proxy.resume()
  await expect.poll(room.left).toEqual([])
  expect(room.greeted.sort()).toEqual(['first', 'second'])
})

test.concurrent('R3: a job that was taken and never told of is taken again at once', async ({ expect }) => {
  await using room = await openRoom()
  await room.add('unheard')
  const taken = room.proxy.loseAnswerTo('get_job/')
  await room.start(1)
  await taken
  await expect.poll(room.left).toEqual([])
  expect(room.greeted).toEqual(['unheard'])
})

test.concurrent('R3: with all its connections gone silent a queue goes on, and a job in hand keeps to itself', async ({
  expect,
}) => {
  await using room = await openRoom()
  const over = Promise.withResolvers<void>()
  room.work = async (name) => {
    if (name === 'slow') await over.promise
  }
  await room.start()
  await room.add('slow')
  await expect.poll(() => room.greeted).toEqual(['slow'])
  room.proxy.freeze()
  await room.add('next')
  await expect.poll(room.left).toEqual(['slow'])
  over.resolve()
  await expect.poll(room.left).toEqual([])
  expect(room.greeted).toEqual(['slow', 'next'])
})

test.concurrent('R3: a queue that starts while the database stalls waits for it', async ({ expect }) => {
  await using room = await openRoom()
  await room.add('waiting')
  room.proxy.stall()
  const starting = room.start()
  await expect.poll(() => room.said('waits for the database')).toBe(1)
  room.proxy.resume()
  await starting
  await expect.poll(room.left).toEqual([])
})

for (const state of ['idle', 'at work', 'starting anew'])
  test.concurrent(`R3: a queue that is ${state} stops although the database stalls`, async ({ expect }) => {
    await using room = await openRoom()
    room.work = () => new Promise(() => undefined)
    const queue = await room.start()
    if (state === 'at work') {
      await room.add('endless')
      await expect.poll(() => room.greeted).toEqual(['endless'])
    }
    room.proxy.stall()
    if (state === 'starting anew') await expect.poll(() => room.said('starts anew')).toBe(1)
    // Nothing wakes the database: a stop that waited for it would not end.
    await queue.stop()
  })

test.concurrent('R3: a job that fails since the database is away is run again once it is back, within the same try', async ({
  expect,
}) => {
  await using room = await openRoom()
  const tries: number[] = []
  room.work = async () => {
    const { rows } = await room.database.pool.query('select attempts from graphile_worker._private_jobs')
    tries.push(rows[0]?.attempts)
    if (tries.length < 3) await new pg.Client('postgres://nobody@127.0.0.1:1/nothing').connect()
  }
  await room.start()
  await room.add('patient')
  await expect.poll(room.left).toEqual([])
  expect(tries).toEqual([1, 1, 1])
})

test.concurrent('R7: the end of a job that cannot be written down is written down later, and ends nothing', async ({
  expect,
}) => {
  await using room = await openRoom()
  await room.start()
  const makeRoom = await refuse(room, 'delete on graphile_worker._private_jobs')
  await room.add('done')
  await expect.poll(() => room.said('not recorded yet')).toBe(1)
  expect(await room.left()).toEqual(['done'])
  await makeRoom()
  await expect.poll(room.left).toEqual([])
  expect(room.greeted).toEqual(['done'])
})

test.concurrent('R7: a queue whose first look at its tasks fails looks again', async ({ expect }) => {
  await using room = await openRoom()
  const makeRoom = await refuse(room, 'insert on graphile_worker._private_tasks')
  await room.start()
  await expect.poll(() => room.said('starts anew')).toBeGreaterThan(0)
  await makeRoom()
  await room.add('late')
  await expect.poll(room.left).toEqual([])
})
