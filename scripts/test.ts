/**
 * `npm test`: everything that must hold, in one go: build, checks, unit and feature tests on a real PostgreSQL, browser
 * journeys. Ends with what failed and one line that counts, and with exit code 1 when anything failed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { VitestReport } from './vitest-report.ts'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const cache = join(root, '.cache')
/** The product and its commands are started a hundred times: compiled once, a start takes half the processor time. */
const compiled = join(cache, 'compiled')

/** How many passed and failed, and what failed, in words; the words are repeated at the end. */
type Outcome = { passed: number; failed: number; failures: string[] }

function run(title: string, command: string, args: string[]): boolean {
  console.log(`\n── ${title}`)
  const started = Date.now()
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, NODE_COMPILE_CACHE: compiled },
  })
  console.log(
    `── ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s`,
  )
  return status === 0
}

/** A step that counts as one test. */
function step(title: string, script: string): Outcome {
  return run(title, process.execPath, [join(root, 'scripts', script)])
    ? { passed: 1, failed: 0, failures: [] }
    : { passed: 0, failed: 1, failures: [title] }
}

/** A runner that reports its own numbers; one that dies without a report, or fails without a failure, has failed. */
function suite(title: string, command: string, args: string[], report: () => Outcome): Outcome {
  const passed = run(title, command, args)
  const died = { passed: 0, failed: 1, failures: [`${title}: ended without a report`] }
  try {
    const outcome = report()
    if (passed || outcome.failed > 0) return outcome
    return { ...outcome, failed: 1, failures: [`${title}: failed, and the report names nothing`] }
  } catch {
    return died
  }
}

function vitestOutcome(): Outcome {
  return JSON.parse(readFileSync(join(cache, 'vitest.json'), 'utf8')) as VitestReport
}

type PlaywrightSuite = {
  title: string
  suites?: PlaywrightSuite[]
  specs: { title: string; ok: boolean; file: string; line: number }[]
}

function playwrightOutcome(): Outcome {
  const { stats, suites, errors } = JSON.parse(readFileSync(join(cache, 'playwright.json'), 'utf8')) as {
    stats: { expected: number; unexpected: number; flaky: number }
    suites: PlaywrightSuite[]
    errors: { message?: string }[]
  }
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    failures: [
      ...suites.flatMap(failedSpecs),
      ...errors.map((error) => error.message ?? 'an error without a message'),
    ],
  }
}

function failedSpecs(suite: PlaywrightSuite): string[] {
  return [
    ...suite.specs.filter((spec) => !spec.ok).map((spec) => `e2e/${spec.file}:${spec.line} › ${spec.title}`),
    ...(suite.suites ?? []).flatMap(failedSpecs),
  ]
}

mkdirSync(cache, { recursive: true })
// What bench/mutations has found out took hours.
for (const entry of readdirSync(cache).filter((name) => !name.startsWith('mutations-')))
  rmSync(join(cache, entry), { recursive: true, force: true })
const outcomes = [step('build', 'build.ts')]
if (outcomes[0]?.failed === 0) {
  outcomes.push(step('check', 'check.ts'))
  outcomes.push(
    suite(
      'unit and feature tests',
      join(bin, 'vitest'),
      ['run', '--reporter=default', '--reporter=./scripts/vitest-report.ts'],
      vitestOutcome,
    ),
  )
  outcomes.push(suite('browser journeys', join(bin, 'playwright'), ['test'], playwrightOutcome))
}
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
const failures = outcomes.flatMap((outcome) => outcome.failures)
if (failures.length > 0) console.log(`\n── failed\n${failures.join('\n\n')}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
