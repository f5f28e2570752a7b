/**
 * `npm test`: everything that must hold, in one go: build, checks, unit and feature tests on a real PostgreSQL, browser
 * journeys. Ends with one line that counts, and with exit code 1 when anything failed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const cache = join(root, '.cache')

type Count = { passed: number; failed: number }

function run(title: string, command: string, args: string[]): boolean {
  console.log(`\n── ${title}`)
  const started = Date.now()
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  })
  console.log(
    `── ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s`,
  )
  return status === 0
}

/** A step that counts as one test. */
function step(title: string, script: string): Count {
  const passed = run(title, process.execPath, [join(root, 'scripts', script)])
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1 }
}

/** A runner that reports its own numbers; one that dies without a report has failed. */
function suite(title: string, command: string, args: string[], count: () => Count): Count {
  const passed = run(title, command, args)
  try {
    const counted = count()
    return passed || counted.failed > 0 ? counted : { ...counted, failed: 1 }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function vitestCount(): Count {
  const report = JSON.parse(readFileSync(join(cache, 'vitest.json'), 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
  }
  return { passed: report.numPassedTests, failed: report.numFailedTests }
}

function playwrightCount(): Count {
  const { stats } = JSON.parse(readFileSync(join(cache, 'playwright.json'), 'utf8')) as {
    stats: { expected: number; unexpected: number; flaky: number }
  }
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky }
}

rmSync(cache, { recursive: true, force: true })
mkdirSync(cache, { recursive: true })
const counts = [step('build', 'build.ts')]
if (counts[0]?.failed === 0) {
  counts.push(step('check', 'check.ts'))
  counts.push(
    suite(
      'unit and feature tests',
      join(bin, 'vitest'),
      ['run', '--reporter=default', '--reporter=json', '--outputFile.json=.cache/vitest.json'],
      vitestCount,
    ),
  )
  counts.push(suite('browser journeys', join(bin, 'playwright'), ['test'], playwrightCount))
}
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
