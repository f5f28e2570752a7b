import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EXCEPTIONS, judgeCalls, type Verdict } from './stripe-mock/judge-calls.ts'
import { hasGo, startStripeMock } from './stripe-mock/mock-process.ts'
import { NEEDED_COUNT } from './stripe-mock/needed-requests.ts'
import type { RecordedCall } from './stripe-mock/record-calls.ts'
import { readSpecification } from './stripe-mock/specification.ts'

const ROOT = join(import.meta.dirname, '..')

/** Vitest runs that call the sandbox over HTTP: its contract cases, and the server's tests of payments. */
const SUITES = [
  ['--project', 'sandbox', 'src/stripe/contract'],
  ['--project', 'server', 'src/billing'],
]

/**
 * A second judge for the payments sandbox beside the SDK's types: Stripe's own mock server, and the OpenAPI specification
 * in it. It records the requests that the tests send to the sandbox, sends them to stripe-mock too, and checks that the
 * sandbox's answers have every field that the specification requires. Where Go is not installed it only prints so.
 * @throws when one of them disagrees or a test failed; the faults are printed
 */
export async function benchStripeMock(): Promise<void> {
  console.log('\nthe payments sandbox beside stripe-mock')
  if (!hasGo())
    return console.log('  left out: it takes Go (https://go.dev/dl), which is not on this machine')
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-stripe-mock-'))
  try {
    const mock = await startStripeMock(folder)
    try {
      const { calls, failed } = await recordCalls(folder)
      const specification = readSpecification(mock.specification)
      const verdict = await judgeCalls(specification, mock.url, calls)
      for (const suite of failed)
        verdict.complaints.set(`tests failed, so calls may be lacking: vitest run ${suite}`, 1)
      report(verdict, specification.info.version)
    } finally {
      await mock.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns the recorded calls, and the suites with a failed test, since calls after the failure are missing */
async function recordCalls(folder: string): Promise<{ calls: RecordedCall[]; failed: string[] }> {
  const file = join(folder, 'calls.jsonl')
  const recorder = pathToFileURL(join(import.meta.dirname, 'stripe-mock/record-calls.ts')).href
  const failed: string[] = []
  for (const suite of SUITES) {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const child = spawn(process.execPath, [vitest, 'run', '--reporter', 'dot', ...suite], {
      cwd: ROOT,
      stdio: 'ignore',
      // An empty key keeps the contract cases from calling real Stripe.
      env: {
        ...process.env,
        STRIPE_TEST_SECRET_KEY: '',
        CALLS_FILE: file,
        NODE_OPTIONS: `--import=${recorder}`,
      },
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) failed.push(suite.join(' '))
  }
  if (!existsSync(file)) throw new Error('No call of the sandbox was recorded.')
  const lines = readFileSync(file, 'utf8').split('\n')
  const calls = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedCall)
  return { calls, failed }
}

function report(verdict: Verdict, version: string): void {
  const { replayed, byProduct, productOperations, answers, notDescribed, complaints } = verdict
  console.log(`  specification of ${version}`)
  console.log(
    `  ${replayed} requests replayed, ${byProduct} of them by the product's client (${productOperations} operations)`,
  )
  console.log(`  ${NEEDED_COUNT} requests about prices, trials and codes are looked for among them`)
  console.log(`  ${answers} answers of the sandbox held against it`)
  console.log(`  ${notDescribed} calls of /v2 left out: the specification does not describe them`)
  for (const { operation, parameter, reason } of EXCEPTIONS)
    console.log(`  exception: ${parameter} of ${operation}: ${reason}`)
  for (const [text, count] of complaints) console.error(`  ${text} (${count} times)`)
  if (complaints.size > 0) throw new Error(`stripe-mock and the sandbox: ${complaints.size} points to mend`)
  console.log('  accepted by both, and no required field is missing')
}
