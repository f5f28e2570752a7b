import { leaseJobs, recordJobs } from '../src/work/jobs.queries.ts'
import type { Task } from '../src/work/jobs.ts'
import { runJob } from '../src/work/run-jobs.ts'
import type { TestApp } from './build-test-app.ts'
import { silentLog } from './database/database.ts'

/** The number under which these tests lease; no worker has it. */
const NUMBER = 0

/** Runs the waiting jobs of these tasks as the worker would, each once; a job that fails waits for its next try. */
export async function runJobs({ pool }: Pick<TestApp, 'pool'>, tasks: Task[]): Promise<void> {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const now = new Date()
  const terms = { number: NUMBER, now, staleBefore: new Date(0) }
  const client = await pool.connect()
  try {
    for (;;) {
      const [job] = await leaseJobs(client, terms, { names: [...byName.keys()], limit: 1 })
      if (!job) return
      await recordJobs(client, [NUMBER], [await runJob(byName.get(job.name), job, silentLog)])
    }
  } finally {
    client.release()
  }
}
