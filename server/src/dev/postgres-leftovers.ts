import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import type { PostgresPlace } from './postgres-place.ts'

const END_TIMEOUT_MS = 4000
const POLL_MS = 20

/** Reads the file that a server keeps in its folder while it runs. */
export function readPidFile(place: PostgresPlace): { pid: number; port: number } | null {
  const file = pidFile(place)
  if (!existsSync(file)) return null
  const lines = readFileSync(file, 'utf8').split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]) }
}

/**
 * Ends the server that is left on this cluster, whatever it is doing. A pid file that names a living process which is not
 * one is removed, since PostgreSQL would not start: the id may belong to somebody else by now, or nobody has reaped the
 * server yet. Otherwise PostgreSQL copes with it, and with or without the file it refuses to start beside children of the
 * last server. Only for the owner of the data directory.
 */
export async function clearLeftovers(place: PostgresPlace, log: Log): Promise<void> {
  const pid = readPidFile(place)?.pid
  if (!pid) return
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isServer(place, pid)) break
    log.warn({ pid }, 'a PostgreSQL that was left behind is ended')
    send(pid, signal)
    for (const deadline = Date.now() + END_TIMEOUT_MS; isServer(place, pid) && Date.now() < deadline; )
      await pause(POLL_MS)
  }
  if (isServer(place, pid) || readPidFile(place)?.pid !== pid || !send(pid, 0)) return
  log.warn({ pid }, 'postmaster.pid names a process that runs no PostgreSQL on this folder: it is removed')
  rmSync(pidFile(place), { force: true })
}

function pidFile(place: PostgresPlace): string {
  return join(place.cluster, 'postmaster.pid')
}

/** Whether the process is a PostgreSQL on this cluster. The shell that guards one has the same words in its command line. */
function isServer(place: PostgresPlace, pid: number): boolean {
  const line = commandLine(pid)
  return line.includes(`/postgres -D ${place.cluster} `) && !line.startsWith('sh ')
}

/** @returns '' for a process that has ended, even when nobody has reaped it yet */
function commandLine(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline'))
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
