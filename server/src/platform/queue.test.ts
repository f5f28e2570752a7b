import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { buildTestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database.ts'
import { runJobs } from '../../test/run-jobs.ts'
import { defineJob, defineTask, enqueue, releaseDeadJobs } from './queue.ts'
import { startQueue } from './start-queue.ts'
import { QUEUE_LOCK_CLASS, showQueueAlive } from './workers.ts'

const testApp = await buildTestApp()
afterAll(() => testApp.close())

const greet = defineJob('greet', z.object({ name: z.string() }))

function hold(key: string, seconds: number) {
  return testApp.pool.query(
    `update graphile_worker._private_jobs
     set locked_by = $1, locked_at = now() - make_interval(secs => $2), attempts = 1 where key = $1`,
    [key, seconds],
  )
}

test('a job whose worker died with it is done by another one, a job in living hands is left there', async () => {
  const greeted: string[] = []
  const task = defineTask(greet, async ({ name }) => void greeted.push(name))
  for (const key of ['dead', 'new', 'living', 'hanging'])
    await enqueue(testApp.db, greet, { name: key }, { key })
  await hold('dead', 11)
  await hold('new', 5)
  await hold('living', 60)
  await hold('hanging', 3601)
  const signs = ['living', 'hanging'].map((name) => showQueueAlive(testApp.url, name, silentLog))
  await Promise.all(signs.map(({ shown }) => shown))
  await runJobs(testApp, [task])
  expect(greeted).toEqual([])

  await releaseDeadJobs(testApp.db)
  await runJobs(testApp, [task])
  expect(greeted.sort()).toEqual(['dead', 'hanging'])
  await hold('new', 11)
  await Promise.all(signs.map((sign) => sign.end()))
  await releaseDeadJobs(testApp.db)
  await runJobs(testApp, [task])
  expect(greeted.sort()).toEqual(['dead', 'hanging', 'living', 'new'])
  await releaseDeadJobs(testApp.db)
})

test('a queue that runs keeps its job for as long as it lives, even when its session was lost', async () => {
  const { db, pool, url } = testApp
  const taken = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const task = defineTask(greet, () => {
    taken.resolve()
    return over.promise
  })
  const queue = await startQueue({
    databaseUrl: url,
    tasks: [task],
    crontab: '',
    concurrency: 1,
    log: silentLog,
  })
  await enqueue(db, greet, { name: 'slow' }, { key: 'slow' })
  await taken.promise
  const isHeld = async () => {
    await pool.query(
      "update graphile_worker._private_jobs set locked_at = now() - interval '1 minute' where key = 'slow'",
    )
    await releaseDeadJobs(db)
    const { rows } = await pool.query(
      "select locked_by is not null as held from graphile_worker._private_jobs where key = 'slow'",
    )
    return rows[0]?.held
  }
  expect(await isHeld()).toBe(true)
  const holders = () =>
    pool.query<{ pid: number }>(
      `select pid from pg_locks where classid = $1
         and database = (select oid from pg_database where datname = current_database())`,
      [QUEUE_LOCK_CLASS],
    )
  const [first] = (await holders()).rows
  await pool.query('select pg_terminate_backend($1::int)', [first?.pid])
  await expect.poll(async () => (await holders()).rows.filter(({ pid }) => pid !== first?.pid).length).toBe(1)
  expect(await isHeld()).toBe(true)
  over.resolve()
  await queue.stop()
})
