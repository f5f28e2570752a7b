import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Product, startProduct, startSeededProduct } from '../e2e/product.ts'

const MEASURED_S = Number(process.env.IDLE_SECONDS ?? 300)
/** The product's own start and its garbage, the first sweeps and the listing of events are over by then. */
const SETTLES_S = 180
/** No market is open anywhere, and the closes of the day before are known. */
const NIGHT = new Date('2026-11-19T09:00:00.000Z')
const TICKS_A_SECOND = 100

/**
 * An idle product: everything that `npm start` runs, PostgreSQL and the sandbox with it, empty and with the demo world, at night.
 */
export async function benchIdle(): Promise<void> {
  for (const [name, start] of [
    ['empty', startProduct],
    ['the demo world', startSeededProduct],
  ] as const) {
    const product = await start({ MARKET_OVERRIDE: 'none' })
    try {
      product.setTime(NIGHT)
      await pause(SETTLES_S * 1000)
      console.log(name, await measure(product))
    } finally {
      await product.stop()
    }
  }
}

async function measure({ database }: Product) {
  const counted = async () => {
    const { rows } = await database.pool.query<{ transactions: number; connections: number }>(
      `select (xact_commit + xact_rollback)::int as transactions, numbackends - 1 as connections
       from pg_stat_database where datname = current_database()`,
    )
    return rows[0] ?? { transactions: 0, connections: 0 }
  }
  const [before, used] = [await counted(), usedByAll()]
  await pause(MEASURED_S * 1000)
  const [after, usedAfter] = [await counted(), usedByAll()]
  return {
    // Without the one that counts.
    'transactions a second': round((after.transactions - before.transactions - 1) / MEASURED_S),
    connections: after.connections,
    'wake-ups of threads a second': round(wakeUpsBetween(used.wakeUps, usedAfter.wakeUps) / MEASURED_S),
    'percent of a core': round(((usedAfter.ms - used.ms) / 1000 / MEASURED_S) * 100),
  }
}

type Used = { ms: number; wakeUps: Map<string, number> }

/** Processor time and each thread's wake-ups, of all processes that this one has begun and that those have. */
function usedByAll(): Used {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const fields = statOf(pid)
      return fields === null ? [] : [{ pid: Number(pid), parent: Number(fields[1]), fields }]
    })
  const ours = new Set([process.pid])
  for (let size = 0; size < ours.size; ) {
    size = ours.size
    for (const { parent, pid } of all) if (ours.has(parent)) ours.add(pid)
  }
  const measured = all.filter(({ pid }) => ours.has(pid) && pid !== process.pid)
  const ended = measured.flatMap(({ fields }) => [13, 14].map((nth) => Number(fields[nth])))
  const threads = (pattern: RegExp) => measured.flatMap(({ pid }) => eachThread(pid, pattern))
  // The scheduler's own count. The kernel's ticks, which are all that is left of an ended process, are taken when timers end, and are too high.
  const living = threads(/^se\.sum_exec_runtime\s*:\s*([\d.]+)/m).map(([, ms]) => ms)
  if (living.length === 0)
    throw new Error('This kernel does not count the time of threads in /proc/*/task/*/sched.')
  return {
    ms: sum(living) + (sum(ended) / TICKS_A_SECOND) * 1000,
    // How often a thread has waited for something and gone on.
    wakeUps: new Map(threads(/^nr_voluntary_switches\s*:\s*(\d+)/m)),
  }
}

/** Threads that have ended meanwhile are left out. */
function wakeUpsBetween(before: Used['wakeUps'], after: Used['wakeUps']): number {
  return sum([...after].map(([thread, count]) => count - (before.get(thread) ?? 0)))
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** A figure that the scheduler keeps of each thread of a process. */
function eachThread(pid: number, pattern: RegExp): [thread: string, figure: number][] {
  try {
    const folder = `/proc/${pid}/task`
    return readdirSync(folder).map((task) => {
      const found = pattern.exec(readFileSync(`${folder}/${task}/sched`, 'utf8'))?.[1]
      return [`${pid}/${task}`, Number(found ?? 0)]
    })
  } catch {
    return []
  }
}

/** Of a process, from its state on; null when it has ended meanwhile. */
function statOf(pid: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
