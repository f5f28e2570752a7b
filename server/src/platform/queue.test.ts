import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { buildTestApp } from '../../test/build-test-app.ts'
import { runJobs } from '../../test/run-jobs.ts'
import { defineJob, defineTask, enqueue, releaseDeadJobs } from './queue.ts'

const testApp = await buildTestApp()
afterAll(() => testApp.close())

const greet = defineJob('greet', z.object({ name: z.string() }))

test('a job whose worker died with it is done by another one, a job in living hands is left there', async () => {
  const greeted: string[] = []
  const task = defineTask(greet, async ({ name }) => void greeted.push(name))
  await enqueue(testApp.db, greet, { name: 'dead' }, { key: 'dead' })
  await enqueue(testApp.db, greet, { name: 'living' }, { key: 'living' })
  const take = (key: string, seconds: number) =>
    testApp.pool.query(
      `update graphile_worker._private_jobs
       set locked_by = $1, locked_at = now() - make_interval(secs => $2), attempts = 1 where key = $1`,
      [key, seconds],
    )
  await take('dead', 301)
  await take('living', 60)
  await runJobs(testApp, [task])
  expect(greeted).toEqual([])

  await releaseDeadJobs(testApp.db)
  await runJobs(testApp, [task])
  expect(greeted).toEqual(['dead'])
  await releaseDeadJobs(testApp.db)
})
