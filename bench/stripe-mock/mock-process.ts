import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../server/src/dev/free-port.ts'

const MODULE = 'github.com/stripe/stripe-mock'
/** Its embedded specification is of the API version that the module's authors took; a later release is tried by hand. */
const VERSION = 'v0.203.0'

const run = promisify(execFile)

export type StripeMock = {
  url: string
  /** The specification that it judges by. */
  specification: string
  stop(): Promise<void>
}

export function hasGo(): boolean {
  return spawnSync('go', ['version']).status === 0
}

/**
 * Builds stripe-mock and starts it on a free port. The module lies in Go's module cache, the program in `folder`.
 * @throws when the module cannot be downloaded or built, or the program does not start in thirty seconds
 */
export async function startStripeMock(folder: string): Promise<StripeMock> {
  const module = `${MODULE}@${VERSION}`
  const known = await run('go', ['mod', 'download', '-json', module], { cwd: folder })
  await run('go', ['install', module], { cwd: folder, env: { ...process.env, GOBIN: folder } })
  const port = await freePort()
  const child = spawn(join(folder, 'stripe-mock'), ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await untilItAnswers(url, () => child.exitCode !== null)
  } catch (error) {
    await stop()
    throw error
  }
  const { Dir } = JSON.parse(known.stdout) as { Dir: string }
  return { url, specification: join(Dir, 'embedded/openapi/spec3.json'), stop }
}

async function untilItAnswers(url: string, hasEnded: () => boolean): Promise<void> {
  const until = Date.now() + 30_000
  while (Date.now() < until && !hasEnded()) {
    const answer = await fetch(`${url}/v1/balance`).catch(() => null)
    if (answer !== null) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('stripe-mock did not start')
}
