import { CORES, machineMs, processorMs, serverProcessorMs } from './processor-time.ts'
import type { Seen, Watcher } from './waits.ts'

/** The cost of one round of work: processor time in ms, by process, and what the database's sessions were seen at. */
export type Measured = {
  done: number
  seconds: number
  product: number
  database: number
  bench: number
  /** Of the machine, other work included. */
  machine: number
  seen: Seen
}

/**
 * @param pids of the processes that are measured
 * @param work the whole of a round. @returns how often it did what is counted
 */
export async function measure(
  watcher: Watcher,
  pids: number[],
  work: () => Promise<number>,
): Promise<Measured> {
  const now = () => ({
    at: performance.now(),
    product: pids.reduce((sum, pid) => sum + processorMs(pid), 0),
    database: serverProcessorMs(watcher.postmaster),
    bench: processorMs(process.pid),
    machine: machineMs().busy,
  })
  const before = now()
  const { result: done, seen } = await watcher.during(work)
  const after = now()
  const spent = (who: 'product' | 'database' | 'bench' | 'machine') => after[who] - before[who]
  return {
    done,
    seconds: (after.at - before.at) / 1000,
    product: spent('product'),
    database: spent('database'),
    bench: spent('bench'),
    machine: spent('machine'),
    seen,
  }
}

/** Of the cores' time, in percent. */
export function shareOfCores({ seconds }: Measured, milliseconds: number): number {
  return milliseconds / (10 * seconds * CORES)
}
