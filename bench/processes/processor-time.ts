import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** The processor time of a process so far, as Linux counts it in hundredths of a second. */
export function processorMs(pid: number): number {
  const { own } = timesOf(pid)
  return own
}

/** The same of a PostgreSQL: of its first process, of its children, and of those that have ended. */
export function serverProcessorMs(postmaster: number): number {
  const { own, ended } = timesOf(postmaster)
  return childrenOf(postmaster).reduce((sum, pid) => sum + ownMs(pid), own + ended)
}

/** Of the whole machine since it was started: the time of its cores, and the part in which they computed. */
export function machineMs(): { whole: number; busy: number } {
  const times = cpus().map((core) => core.times)
  const busy = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0)
  return { whole: times.reduce((sum, { idle }) => sum + idle, busy), busy }
}

export const CORES = cpus().length

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => parentOf(one) === pid)
}

/** @returns null when the process has ended meanwhile */
export function parentOf(pid: number): number | null {
  try {
    return timesOf(pid).parent
  } catch {
    return null
  }
}

function ownMs(pid: number): number {
  try {
    return timesOf(pid).own
  } catch {
    return 0
  }
}

/** proc(5): the fields behind the name, which stands in brackets and may hold blanks; a tick is 10 ms. */
function timesOf(pid: number): { parent: number; own: number; ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number)
  const at = (place: number) => fields[place] ?? 0
  return { parent: at(1), own: 10 * (at(11) + at(12)), ended: 10 * (at(13) + at(14)) }
}
