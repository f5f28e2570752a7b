import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../server/src/dev/free-port.ts'

/** A server as it runs in production: a separate process on its own port. */
export type ServerProcess = {
  port: number
  pid: number
  /** SIGTERM. */
  stop(): Promise<void>
  /** SIGKILL: it can do nothing about it. */
  kill(): Promise<void>
}

export const MAIN = join(import.meta.dirname, '../server/src/main.ts')

/**
 * Starts a script that listens on PORT. Resolves when it prints `greeting`.
 * @param env all it is given, beside PATH and, unless it holds one, a free PORT
 * @throws when it ends before
 */
export async function startServer(
  script: string[],
  greeting: string,
  env: Record<string, string>,
): Promise<ServerProcess> {
  const port = env.PORT ? Number(env.PORT) : await freePort()
  const child = spawn(process.execPath, script, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
  })
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes(greeting)) resolve()
    })
    ended.then(() => reject(new Error(`${script.join(' ')} did not start`)))
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return { port, pid: child.pid ?? 0, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}
