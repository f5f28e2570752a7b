import type { DueWork } from '../src/work/due-rows.ts'
import type { Task } from '../src/work/jobs.ts'
import type { TestApp } from './build-test-app.ts'
import { runJobs } from './run-jobs.ts'

/** The number under which these tests lease; no worker has it. */
const NUMBER = 0

/**
 * Does what is due of these kinds by the test's clock, as the worker would, until nothing is. A row that its handler leaves due waits for
 * its next time.
 * @returns how much it was
 */
export async function runDue(
  { clock, pool }: Pick<TestApp, 'clock' | 'pool'>,
  kinds: DueWork[],
): Promise<number> {
  const client = await pool.connect()
  const numbers = { number: NUMBER, all: [NUMBER] }
  let done = 0
  try {
    for (const { handle, lease, record } of kinds) {
      for (;;) {
        const terms = { number: NUMBER, now: clock.now(), staleBefore: new Date(0) }
        const items = await lease(client, terms, 1)
        if (items.length === 0) break
        await handle(items, async (_item, ending) => {
          if (ending) await record(client, [ending], { numbers, now: clock.now() })
        })
        done += items.length
      }
    }
    return done
  } finally {
    client.release()
  }
}

/** Runs jobs and what is due, and what comes of both, until nothing is left. */
export async function runPaymentWork(
  testApp: Pick<TestApp, 'clock' | 'pool'>,
  { kinds, tasks }: { kinds: DueWork[]; tasks: Task[] },
): Promise<void> {
  for (;;) {
    await runJobs(testApp, tasks)
    if ((await runDue(testApp, kinds)) === 0) return
  }
}
