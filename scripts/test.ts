/**
 * `npm test`: everything that must hold, in one go: build, checks, unit and feature tests on a real PostgreSQL, browser
 * journeys. Ends with the tests that failed or could not be run and one line that counts, and with exit code 1 when there is any of it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureChromium } from './chromium.ts'
import { ensureEngines } from './engines.ts'
import { type Outcome, sumUp } from './outcome.ts'
import type { VitestReport } from './vitest-report.ts'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const cache = join(root, '.cache')
/** The product and its commands are started a hundred times: compiled once, a start takes half the processor time. */
const compiled = join(cache, 'compiled')
const NO_BROWSER =
  'Browser journeys need Chromium, and none is here: install the package "chromium", or set CHROMIUM_PATH to one.'

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
  specs: PlaywrightSpec[]
}
type PlaywrightSpec = { title: string; ok: boolean; file: string; line: number }

function journeys(): Outcome {
  const playwright = join(bin, 'playwright')
  if (hasBrowser) {
    const lacking = ensureEngines()
    return { ...suite('browser journeys', playwright, ['test'], playwrightOutcome), lacking }
  }
  const listed = spawnSync(playwright, ['test', '--list', '--reporter=json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  const { suites } = JSON.parse(listed.stdout) as { suites: PlaywrightSuite[] }
  const specs = suites.flatMap(specsOf)
  const files = new Set(specs.map(({ file }) => `e2e/${file}`))
  return {
    passed: 0,
    failed: 0,
    failures: [],
    missing: {
      count: specs.length,
      words: `${specs.length} browser journeys, in ${files.size} files: ${[...files].join(' ')}\n${NO_BROWSER}`,
    },
  }
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
  return specsOf(suite)
    .filter((spec) => !spec.ok)
    .map((spec) => `e2e/${spec.file}:${spec.line} › ${spec.title}`)
}

function specsOf(suite: PlaywrightSuite): PlaywrightSpec[] {
  return [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)]
}

mkdirSync(cache, { recursive: true })
// The results of bench/mutations took hours.
for (const entry of readdirSync(cache).filter((name) => !name.startsWith('mutations-')))
  rmSync(join(cache, entry), { recursive: true, force: true })
const hasBrowser = ensureChromium() !== null
if (!hasBrowser) console.log(NO_BROWSER)
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
  outcomes.push(journeys())
}
const { words, succeeded } = sumUp(outcomes)
console.log(words)
process.exit(succeeded ? 0 : 1)
