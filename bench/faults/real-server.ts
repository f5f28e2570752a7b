import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const START_MS = 30_000
const STOP_MS = 15_000
/** The output of a server that keeps no log, in its folder. */
export const OUTPUT_LOG = 'var/log/said.log'

export type RealServer = {
  readonly pid: number
  /** SIGTERM, as their own commands do. */
  stop(): Promise<void>
  /** SIGHUP. */
  reload(): void
}

/**
 * Runs a server in a folder, in front, until it is stopped. Resolves when the port is open.
 * @param servers process groups that run, this one from now on included
 * @throws with its output when it ends before
 */
export async function startServer(
  folder: string,
  command: string[],
  { port, servers }: { port: number; servers: Set<number> },
): Promise<RealServer> {
  const log = openSync(join(folder, OUTPUT_LOG), 'a')
  // Of a process group of its own, so that it ends with all that it starts.
  const child = spawn('chroot', [folder, ...command], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  const pid = child.pid ?? 0
  servers.add(pid)
  closeSync(log)
  let over = false
  const ended = once(child, 'exit').then(() => {
    over = true
  })
  const patience = performance.now() + START_MS
  while (!(await isOpen(port))) {
    if (over || performance.now() > patience)
      throw new Error(`${command[0]} did not start: ${readFileSync(join(folder, OUTPUT_LOG), 'utf8')}`)
    await pause(50)
  }
  return {
    pid,
    async stop() {
      child.kill('SIGTERM')
      const late = AbortSignal.timeout(STOP_MS)
      await Promise.race([ended, once(late, 'abort')])
      endGroup(pid, over ? 'SIGTERM' : 'SIGKILL')
      await ended
      servers.delete(pid)
      while (await isOpen(port)) await pause(50)
    },
    reload: () => child.kill('SIGHUP'),
  }
}

/** Ends the processes that a server started and left behind. */
export function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // All of it has ended.
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
