import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { CARD_LIMITS, LEAST_COUNTED } from '../server/src/billing/warnings/card-month.ts'
import { LIMITS } from '../server/src/monitoring/judge-figures.ts'
import { serveMetrics } from '../server/src/monitoring/serve-metrics.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import { makeDatabasePool } from '../server/src/platform/database/database-client.ts'
import { makeLog } from '../server/src/platform/log.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Alarm = { alert: string; expr: string; annotations: { summary: string; runbook: string } }
const { groups } = parse(read('deploy/alarms.yml')) as { groups: { rules: Alarm[] }[] }
const alarms = groups.flatMap(({ rules }) => rules)

/** All series that a process exports, by the names under which they are queried. */
async function listSeries(): Promise<Set<string>> {
  const pool = makeDatabasePool({ connectionString: 'postgres://127.0.0.1:9/none' })
  const log = makeLog('silent', false)
  const deps = { pool, databaseUrl: 'postgres://127.0.0.1:9/none', clock: systemClock, log }
  const metrics = await serveMetrics(deps, { host: '127.0.0.1', port: 0 })
  const text = await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text()
  await metrics.close()
  await pool.end()
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_count', '_sum'].map((part) => name + part) : [name],
    ),
  )
}

test('every figure that an alarm or the dashboard queries is exported', async () => {
  const dashboard = JSON.parse(read('deploy/dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
  const asked = [
    ...alarms.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ].flatMap((expr) => expr.match(/\btradepost_\w+/g) ?? [])
  expect(asked.length).toBeGreaterThan(50)
  const exported = await listSeries()
  expect([...new Set(asked)].filter((name) => !exported.has(name))).toEqual([])
})

test('the status of the operator and the alarms have the same limits', () => {
  for (const { alarm, above } of LIMITS) {
    const rule = alarms.find(({ alert }) => alert === alarm)
    expect([alarm, rule?.expr.match(/ > (\S+)$/)?.[1]]).toEqual([alarm, String(above)])
  }
  for (const { alarm, share } of CARD_LIMITS) {
    const asked = alarms.find(({ alert }) => alert === alarm)?.expr.matchAll(/ >= (\S+)/g) ?? []
    expect([alarm, ...[...asked].map(([, limit]) => Number(limit))]).toEqual([
      alarm,
      LEAST_COUNTED,
      share / 10_000,
    ])
  }
})

test('every alarm names its section of the runbook, and every section its alarm', () => {
  const names = alarms.map(({ alert }) => alert)
  expect(alarms.map(({ annotations }) => annotations.runbook)).toEqual(
    names.map((name) => `docs/operations.md#${name.toLowerCase()}`),
  )
  const sections = [...read('docs/operations.md').matchAll(/^### (Tradepost\w+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(names)
})

test('every alarm fires once in its rehearsal, and is quiet before, after, and where all is well', (context) => {
  type Rehearsal = {
    name: string
    alert_rule_test: { eval_time: string; alertname: string; exp_alerts: object[] }[]
  }
  const { tests } = parse(read('deploy/alarms.test.yml')) as { tests: Rehearsal[] }
  const counts = (rehearsal: Rehearsal | undefined, name: string) =>
    rehearsal?.alert_rule_test
      .filter(({ alertname }) => alertname === name)
      .map(({ exp_alerts }) => exp_alerts.length)
  const well = tests.find(({ name }) => name === 'all is well')
  for (const { alert } of alarms) {
    const own = tests.find(({ name }) => name === alert)
    expect([alert, counts(own, alert), counts(well, alert)]).toEqual([alert, [0, 1, 0], [0]])
  }
  const run = spawnSync('promtool', ['test', 'rules', 'deploy/alarms.test.yml'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (run.error && 'code' in run.error && run.error.code === 'ENOENT')
    context.skip('promtool is not installed here: the alarms were not rehearsed.')
  expect(`${run.stdout}${run.stderr}`).toContain('SUCCESS')
  expect(run.status).toBe(0)
})
