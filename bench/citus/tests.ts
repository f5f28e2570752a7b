import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openServers, startCitus } from './cluster.ts'
import { EXCEPTIONS } from './exceptions.ts'

const ROOT = join(import.meta.dirname, '../..')
const REPORT = join(ROOT, '.cache/citus/tests.json')
/** Each connection of a test has one of its own to the shards at most: hundreds of tests share the server. */
const SMALL = ['citus.shard_count=4', 'citus.max_adaptive_executor_pool_size=1']
const WITHIN_MINUTES = 60

type Ended = { fullName: string; status: string; failureMessages?: string[] }
type Report = { testResults: { name: string; message: string; assertionResults: Ended[] }[] }
type Test = { file: string; title: string; status: string; fault: string }

/**
 * Runs tests of the server on a cluster of one node. Prints which failed.
 * @param files as Vitest takes them; all of the server's unless given
 * @returns whether all passed but the known exceptions, and none of those that were run
 */
export async function testOnCitus(bin: string, files: string[]): Promise<boolean> {
  await using servers = openServers(bin)
  const { url } = await startCitus(servers, 'one', SMALL)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]
  const vitest = join(ROOT, 'node_modules/.bin/vitest')
  // Not awaited by the thread: the server's output has to be read, or it waits for that.
  const run = spawn(vitest, ['run', '--project', 'server', ...reporters, ...files], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: WITHIN_MINUTES * 60_000,
    env: { ...process.env, TEST_DATABASE_URL: url },
  })
  await once(run, 'exit')
  return judge(JSON.parse(readFileSync(REPORT, 'utf8')))
}

function judge(report: Report): boolean {
  const tests = report.testResults.flatMap(testsOf)
  const failed = tests.filter(({ status }) => status === 'failed')
  const passed = tests.filter(({ status }) => status === 'passed')
  const isKnown = ({ file, title }: Test) =>
    EXCEPTIONS.some((known) => known.file === file && known.title === title)
  console.log(
    `\nOn Citus: ${report.testResults.length} files, ${passed.length} passed, ${failed.length} failed`,
  )
  for (const test of failed)
    console.log(`${isKnown(test) ? 'known ' : 'FAILED'} ${test.file} > ${test.title}\n       ${test.fault}`)
  const healed = passed.filter(isKnown)
  for (const { file, title } of healed) console.log(`passes, and is listed: ${file} > ${title}`)
  return failed.every(isKnown) && healed.length === 0
}

function testsOf({ name, message, assertionResults }: Report['testResults'][number]): Test[] {
  const file = relative(ROOT, name)
  const tests = assertionResults.map(({ fullName, status, failureMessages }) => ({
    file,
    title: fullName,
    status,
    fault: firstLine(failureMessages?.[0] ?? ''),
  }))
  // A file that fails as it is loaded, or in what it does before its tests, has no failed test.
  const isBroken = message !== '' && !tests.some(({ status }) => status === 'failed')
  return isBroken
    ? [...tests, { file, title: '(the file)', status: 'failed', fault: firstLine(message) }]
    : tests
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 200)
}
