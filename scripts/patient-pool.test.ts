import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { nodeEnvironment } from '../server/test/processes/node-environment.ts'
import type { VitestReport } from './vitest-report.ts'

const root = join(import.meta.dirname, '..')
const script = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)))

/** As if more time had passed on a machine than vitest gives a process to start, which is one minute, and a half more for all of it. */
const HASTY = `const { setTimeout: plain } = globalThis
globalThis.setTimeout = (work, ms, ...args) => plain(work, ms === 60_000 || ms === 90_000 ? 0 : ms, ...args)`

const REPORTER = `import { writeFileSync } from 'node:fs'
import { reportRun } from ${script('vitest-report.ts')}
export default class {
  onTestRunStart(files) { this.files = files }
  onTestRunEnd(...results) { writeFileSync('report.json', JSON.stringify(reportRun(this.files, ...results))) }
}`

const ENVIRONMENT_THAT_FAILS = `export default { name: 'broken', viteEnvironment: 'ssr', setup() { throw new Error('no room') } }`

/**
 * A run of vitest, in a process of its own, of two files with a test each.
 * @param settings of vitest, as source
 * @returns its report, with names of files and the first lines of words
 */
function runVitest(settings: string): VitestReport {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-pool-'))
  const files = {
    'hasty.mjs': HASTY,
    'reporter.mjs': REPORTER,
    'broken.mjs': ENVIRONMENT_THAT_FAILS,
    'one.test.mjs': "test('one', () => {})",
    'two.test.mjs': "test('two', () => {})",
    'vitest.config.mjs': `import { patientForks } from ${script('patient-pool.ts')}
export default { test: { globals: true, isolate: false, maxWorkers: 1, teardownTimeout: 1, reporters: ['./reporter.mjs'], ${settings} } }`,
  }
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const hasty = pathToFileURL(join(folder, 'hasty.mjs')).href
    spawnSync(process.execPath, ['--import', hasty, vitest, 'run'], {
      cwd: folder,
      env: nodeEnvironment,
    })
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as VitestReport
    const inShort = (words: string) => words.replace(/^.*\/(?=\w+\.test)/, '').split('\n    at ')[0] ?? ''
    return { ...report, failures: report.failures.map(inShort).toSorted() }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a process of vitest may take longer to start than vitest waits for one', () => {
  expect(runVitest('pool: patientForks')).toEqual({ passed: 2, failed: 0, failures: [] })
})

test('a file whose process did not come to it is a failure that names it', () => {
  const report = runVitest("pool: 'forks'")
  expect(report.passed).toBe(0)
  expect(report.failures).toEqual(
    expect.arrayContaining(['one.test.mjs\nended without a result', 'two.test.mjs\nended without a result']),
  )
  expect(report.failed).toBe(report.failures.length)
})

test('a process of vitest that cannot start reports why', () => {
  const { passed, failures } = runVitest("pool: patientForks, environment: './broken.mjs'")
  expect(passed).toBe(0)
  expect(failures).toEqual(
    expect.arrayContaining([
      'an error outside every test\nError: no room',
      'one.test.mjs\nended without a result',
      'two.test.mjs\nended without a result',
    ]),
  )
})
