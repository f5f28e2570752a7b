/**
 * `npm start` on machines that keep it waiting. A part of it, or itself, stands still for a minute in the middle of a first and of a second
 * start: it goes on, and logs meanwhile for whom it waits. Eight start at once beside four busy loops, and a first start warns of nothing.
 * `STILL_MS` changes the minute. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { print } from './delivery-checks.ts'
import { besideBusyLoops, inDataDir, type Part, startProduct } from './product-start.ts'
import {
  MIGRATED,
  MIGRATING,
  type Moment,
  nameOf,
  READY,
  STARTING,
  signal,
  until,
  WORKING,
} from './start-moments.ts'

const STILL_MS = Number(process.env.STILL_MS ?? 60_000)
/** Starts that stand still at the same time. */
const AT_ONCE = 5
const STARTS = 8
const BUSY_LOOPS = 4
/** The last words of a start. */
const GREETING = 'Ctrl-C stops everything'
/** Time for a second round of every sweep. */
const LISTEN_MS = 30_000

export const runs: Record<string, () => Promise<void>> = {
  'starts-stopped': standStill,
  'starts-at-once': startAtOnce,
  'starts-silent': warnOfNothing,
}

type Stop = { part: Part; at: Moment }

/** Each a first start and a second one on the same data directory. */
const STOPS: { first: Stop; second: Stop }[] = [
  {
    first: { part: 'initdb', at: { part: 'initdb' } },
    second: { part: 'PostgreSQL', at: { part: 'PostgreSQL' } },
  },
  {
    first: { part: 'PostgreSQL', at: { words: STARTING } },
    second: { part: 'PostgreSQL', at: { words: READY } },
  },
  {
    first: { part: 'PostgreSQL', at: { words: MIGRATING } },
    second: { part: 'PostgreSQL', at: { words: READY, afterMs: 150 } },
  },
  {
    first: { part: 'PostgreSQL', at: { words: MIGRATED, afterMs: 150 } },
    second: { part: 'PostgreSQL', at: { words: WORKING } },
  },
  {
    first: { part: 'sandbox', at: { part: 'sandbox' } },
    second: { part: 'sandbox', at: { part: 'sandbox' } },
  },
  {
    first: { part: 'sandbox', at: { words: MIGRATED } },
    second: { part: 'sandbox', at: { words: READY, afterMs: 100 } },
  },
  {
    first: { part: 'product', at: { part: 'initdb' } },
    second: { part: 'product', at: { words: STARTING } },
  },
  {
    first: { part: 'product', at: { words: MIGRATING } },
    second: { part: 'product', at: { part: 'sandbox' } },
  },
  {
    first: { part: 'product', at: { words: MIGRATED, afterMs: 150 } },
    second: { part: 'product', at: { words: WORKING } },
  },
]

async function standStill(): Promise<void> {
  const left = STOPS.values()
  const faults: string[] = []
  const lane = async () => {
    for (const stops of left)
      await inDataDir(async (dataDir) => {
        for (const which of ['first', 'second'] as const)
          await stopOnce(dataDir, which, stops[which]).catch((error: Error) => faults.push(error.message))
      })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  print({
    starts: 2 * STOPS.length,
    'that did not go on, or did not say for whom they waited': faults.length,
  })
  assert.deepEqual(faults, [])
}

async function stopOnce(dataDir: string, which: string, { part, at }: Stop): Promise<void> {
  const start = await startProduct(dataDir)
  const name = `${which} start, ${part} at ${nameOf(at)}`
  try {
    await until(start, at)
    const pids = await start.find(part)
    assert.ok(pids.length > 0, `${name}: nothing there to be stopped`)
    const before = start.output().length
    signal(pids, 'SIGSTOP')
    await pause(STILL_MS)
    assert.ok(!(await start.isReady()), `${name}: too late, it was ready`)
    const meanwhile = start.output().slice(before)
    signal(pids, 'SIGCONT')
    const resumed = performance.now()
    await start.until(start.isReady)
    const back = Math.ceil(performance.now() - resumed)
    const waits = new Set(meanwhile.match(/still waiting for [^:\n]*/g))
    console.log(`   ${name}: ready after ${back} ms; ${[...waits].join('; ') || 'it said nothing'}`)
    for (const line of warnings(start.output())) console.log(`      ${line}`)
    // A start that was over at that instant waits for nobody any more: its worker logs what does not answer.
    const isNotified = meanwhile.includes(GREETING) ? warnings(meanwhile).length > 0 : waits.size > 0
    assert.ok(part === 'product' || isNotified, `${name}: it did not say for whom it waits`)
  } catch (error) {
    console.log(`   ${name}: ${(error as Error).message}`)
    throw error
  } finally {
    signal([...(await start.find('product')), ...(await start.find(part))], 'SIGCONT')
    await start.stop()
  }
}

async function startAtOnce(): Promise<void> {
  const took = await besideBusyLoops(BUSY_LOOPS, () =>
    Promise.all(Array.from({ length: STARTS }, startWhole)),
  )
  print({
    'starts at once': STARTS,
    'busy loops': BUSY_LOOPS,
    ready: took.length,
    'first after, s': Math.round(Math.min(...took)),
    'last after, s': Math.round(Math.max(...took)),
  })
}

/** @returns how long a first start took, s */
function startWhole(): Promise<number> {
  return inDataDir(async (dataDir) => {
    const began = performance.now()
    const start = await startProduct(dataDir)
    try {
      await start.until(start.isReady)
      return (performance.now() - began) / 1000
    } finally {
      await start.stop()
    }
  })
}

async function warnOfNothing(): Promise<void> {
  const quiet = await warningsOfFirstStart()
  const busy = await besideBusyLoops(BUSY_LOOPS, warningsOfFirstStart)
  print({ 'warnings of a first start': quiet.length, 'the same beside busy loops': busy.length })
  assert.deepEqual([...quiet, ...busy], [])
}

function warningsOfFirstStart(): Promise<string[]> {
  return inDataDir(async (dataDir) => {
    const start = await startProduct(dataDir)
    try {
      await start.until(start.isReady)
      await pause(LISTEN_MS)
      return warnings(start.output())
    } finally {
      await start.stop()
    }
  })
}

/** Lines of the levels above info. */
function warnings(output: string): string[] {
  return output.match(/^\[[\d:.]+\] (WARN|ERROR|FATAL): .*(\n {4}.*)*/gm) ?? []
}
