import { Logger, runOnce, type TaskList } from 'graphile-worker'
import type { Task } from '../src/platform/queue.ts'
import type { TestApp } from './build-test-app.ts'

const quiet = new Logger(() => () => {})

/** Runs the waiting jobs of these tasks as the worker would, each once; a job that fails waits for its next try. */
export async function runJobs(testApp: Pick<TestApp, 'pool'>, tasks: Task[]): Promise<void> {
  const taskList: TaskList = {}
  for (const task of tasks) taskList[task.name] = (payload, { job }) => task.run(payload, job.id)
  await runOnce({ pgPool: testApp.pool, noHandleSignals: true, logger: quiet, taskList })
}
