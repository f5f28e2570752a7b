import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { CACHE } from './tree.ts'
import type { SessionAnswer, SessionRequest } from './vitest-session.ts'

const STOP_MS = 20_000

/** A vitest that stays, in a process group of its own. */
export type Session = {
  /** Every test file of the project. */
  tests: string[]
  /** @returns null when it did not come to an end in time or died; the session is over then */
  run(request: SessionRequest, limitMs: number): Promise<SessionAnswer | null>
  /** Ends it and everything that it has started. */
  stop(): Promise<void>
}

/** @param isolate whether every test file loads its modules again */
export async function startSession(tree: string, isolate: boolean): Promise<Session> {
  const child = fork(join(import.meta.dirname, 'vitest-session.ts'), {
    cwd: tree,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      NODE_COMPILE_CACHE: join(CACHE, 'mutations-compiled'),
      MUTATION_TREE: tree,
      MUTATION_ISOLATE: isolate ? 'yes' : 'no',
    },
  })
  const tests = (await answerOf(child)) as string[] | null
  if (!tests) throw new Error('vitest did not start in the copy of the project')
  return {
    tests,
    async run(request, limitMs) {
      const answer = answerOf(child)
      child.send(request)
      const late = Promise.withResolvers<null>()
      const timer = setTimeout(() => late.resolve(null), limitMs)
      const result = (await Promise.race([answer, late.promise])) as SessionAnswer | null
      clearTimeout(timer)
      return result
    },
    stop: () => stop(child),
  }
}

/** @returns its next message, or nothing when it has ended */
function answerOf(child: ChildProcess): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const done = (message: unknown) => {
    child.off('message', done).off('exit', gone)
    resolve(message)
  }
  const gone = () => done(null)
  child.on('message', done).on('exit', gone)
  return promise
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve()
  child.kill('SIGTERM')
  const timer = setTimeout(() => signalGroup(child), STOP_MS)
  await ended
  clearTimeout(timer)
  signalGroup(child)
}

/** Ends the session with its children, a hanging one too, and with processes that tests have started and left. */
function signalGroup(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}
