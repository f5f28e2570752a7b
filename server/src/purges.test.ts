import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../test/build-test-app.ts'
import { openMetricsPort } from '../test/processes/metrics-port.ts'
import { runJobs } from '../test/run-jobs.ts'
import { quickTasks } from './worker.ts'

test('each purge is tried although the ones before it failed; the log names purge and cause, and each fault is counted', async () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  await using testApp = await buildTestApp()
  await using metrics = await openMetricsPort(testApp)
  const { clock, pool } = testApp
  const longAgo = new Date(clock.now().getTime() - 30 * 86_400_000)
  await pool.query(
    "insert into rate_limits (key, window_start, count, expires_at) values ('long over', $1, 1, $1)",
    [longAgo],
  )
  await pool.query('alter table otp_challenges rename to away')
  await pool.query('alter table stripe_events rename to gone')
  await pool.query("insert into work (name, key, facts, most_tries) values ('purge', 'by hand', '{}', 1)")

  const faults = (sweep: string) => `tradepost_sweep_faults_total{sweep="${sweep}"}`
  const grown = await metrics.growth(
    () => runJobs(testApp, quickTasks({ ...testApp, databaseUrl: testApp.url, log })),
    faults('purge of sign-in challenges'),
    faults('purge of Stripe events'),
  )
  expect(grown).toEqual([1, 1])
  expect(lines.filter(({ msg }) => msg === 'a sweep failed')).toMatchObject([
    {
      sweep: 'purge of sign-in challenges',
      reason: expect.stringMatching(/42P01: .*otp_challenges/),
    },
    {
      sweep: 'purge of Stripe events',
      reason: expect.stringMatching(/42P01: .*stripe_events/),
    },
  ])
  expect((await pool.query('select from rate_limits')).rowCount).toBe(0)
  expect((await pool.query('select from work')).rowCount).toBe(0)
})
