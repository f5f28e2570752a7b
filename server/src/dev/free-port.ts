import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections, one of which could take it before the server does. */
const LOWEST = 15_000
const HIGHEST = 32_000
const TRIES = 50

/**
 * A loopback port that nobody listens on, for servers that cannot choose one themselves.
 * @param reserved ports that somebody is about to take
 * @throws when none of many drawn ones is free
 */
export async function freePort(reserved: readonly number[] = []): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (!reserved.includes(port) && (await isFree(port))) return port
  }
  throw new Error('No free port was found.')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.on('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
