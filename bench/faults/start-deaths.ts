/**
 * A part of `npm start` that is killed in the middle of a first start is reported at once, with its last words, and ends it; PostgreSQL,
 * once it has answered and is migrated, is started again. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { print } from './delivery-checks.ts'
import { inDataDir, type Part, startProduct } from './product-start.ts'
import {
  MIGRATED,
  MIGRATING,
  type Moment,
  nameOf,
  STARTING,
  signal,
  until,
  WORKING,
} from './start-moments.ts'

const REPORTED_WITHIN_MS = 5000

export const runs: Record<string, () => Promise<void>> = { 'starts-killed': lookAtDeaths }

/** A part that is killed, and the product's log line of it. It ends with that, unless it can start the part again. */
type Death = { part: Part; at: Moment; words: RegExp; goesOn?: true; besides?: Part }

const DEATHS: Death[] = [
  { part: 'initdb', at: { part: 'initdb' }, words: /PostgreSQL could not be set up: .+/ },
  { part: 'PostgreSQL', at: { words: STARTING }, words: /PostgreSQL did not start: .+/ },
  {
    part: 'PostgreSQL',
    at: { words: MIGRATING },
    words: /PostgreSQL has ended unexpectedly[\s\S]*unexpected postmaster exit/,
  },
  { part: 'PostgreSQL', at: { words: WORKING }, words: /PostgreSQL is running again/, goesOn: true },
  { part: 'sandbox', at: { part: 'sandbox' }, words: /The sandbox did not start: it ended with SIGKILL: .+/ },
  { part: 'sandbox', at: { words: MIGRATED }, words: /The sandbox ended with SIGKILL: .+/ },
  // Which stands still: the start waits for something else when the sandbox is killed.
  {
    part: 'sandbox',
    at: { part: 'initdb', afterMs: 5000 },
    besides: 'initdb',
    words: /The sandbox ended with SIGKILL: .+/,
  },
]

async function lookAtDeaths(): Promise<void> {
  const faults: string[] = []
  for (const death of DEATHS)
    await inDataDir((dataDir) => killOnce(dataDir, death)).catch((error: Error) => faults.push(error.message))
  print({ deaths: DEATHS.length, 'not reported at once, with its words': faults.length })
  assert.deepEqual(faults, [])
}

async function killOnce(dataDir: string, death: Death): Promise<void> {
  const { part, at, words, goesOn = false, besides } = death
  const start = await startProduct(dataDir)
  const name = `${part} killed at ${nameOf(at)}`
  let standing: number[] = []
  try {
    if (besides) {
      await until(start, { part: besides })
      standing = await start.find(besides)
      signal(standing, 'SIGSTOP')
    }
    await until(start, at)
    const [pid] = await start.find(part)
    assert.ok(pid, `${name}: nothing there to be killed`)
    const before = start.output().length
    process.kill(pid, 'SIGKILL')
    const killed = performance.now()
    if (goesOn) await start.until(async () => words.test(start.output()) && (await start.isReady()))
    else await start.whenEnded()
    const after = Math.ceil((start.endedAt() ?? performance.now()) - killed)
    const last = start.output().slice(before)
    const how = goesOn ? 'ready again' : `exit code ${start.exitCode()}`
    console.log(
      `   ${name}: ${how} after ${after} ms; ${words.exec(last)?.[0] ?? `not what it should say: ${last}`}`,
    )
    assert.match(last, words)
    assert.doesNotMatch(last, /Unhandled|^\s+at /m)
    assert.ok(goesOn || start.exitCode() === 1, `${name}: it ended with ${start.exitCode()}`)
    assert.ok(goesOn || after < REPORTED_WITHIN_MS, `${name}: it ended after ${after} ms`)
  } finally {
    signal(standing, 'SIGCONT')
    await start.stop()
  }
}
