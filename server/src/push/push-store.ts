import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'
import { isAnswer } from '../platform/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { openWorkerSession, type WorkerSession } from '../platform/worker-session.ts'
import { endWorkerIfAllowed } from '../platform/workers.ts'
import {
  deleteDevices,
  type Ending,
  type LeasedDelivery,
  leaseDeliveries,
  recordEndings,
} from './leases.queries.ts'

/** A try ends long before; what has been leased for longer belongs to a worker that hangs. A dead one's is free at once. */
const LEASE_LIMIT_MS = 60_000
const REOPEN_MS = 500
/** Results of a lost session can be recorded under its number until another worker has taken them up. */
const NUMBERS_KEPT = 8

/** What became of a try; `gone` names the address that its push service does not know any more. */
export type Result = Ending | { gone: { deviceId: string; endpoint: string } }

/** Messages as one worker has them in hand, under its database session (decision 0022). */
export type PushStore = {
  /** @returns none while the database is away */
  lease(limit: number): Promise<LeasedDelivery[]>
  /** Resolves when it is written, whenever the database is there. Many travel as one statement. */
  record(result: Result): Promise<void>
  end(): Promise<void>
}

export type PushStoreDeps = {
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  log: Log
  /** Something may be due, by whichever process; or the database is there again. */
  onNews: () => void
}

type State = PushStoreDeps & {
  session: WorkerSession | null
  numbers: number[]
  waiting: { result: Result; resolve: () => void }[]
  flushing: boolean
  ending: AbortController
}

/** A session that is lost is opened again, until the end. */
export function openPushStore(deps: PushStoreDeps): PushStore {
  const state: State = {
    ...deps,
    session: null,
    numbers: [],
    waiting: [],
    flushing: false,
    ending: new AbortController(),
  }
  const keeping = keepSession(state)
  return {
    lease: (limit) => lease(state, limit),
    record: (result) =>
      new Promise((resolve) => {
        state.waiting.push({ result, resolve })
        void flush(state)
      }),
    async end() {
      state.ending.abort()
      await keeping
    },
  }
}

async function lease({ clock, session }: State, limit: number): Promise<LeasedDelivery[]> {
  if (!session) return []
  const now = clock.now()
  const { number } = session
  const terms = { number, now, staleBefore: new Date(now.getTime() - LEASE_LIMIT_MS) }
  return session.say((client) => leaseDeliveries(client, terms, limit))
}

async function keepSession(state: State): Promise<void> {
  const { signal } = state.ending
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  let said = false
  while (!signal.aborted) {
    try {
      const session = await openWorkerSession({ ...state, channel: 'pushes' })
      await endLost(session, state.numbers[0])
      said = false
      state.numbers = [session.number, ...state.numbers].slice(0, NUMBERS_KEPT)
      state.session = session
      state.onNews()
      void flush(state)
      await Promise.race([session.lost.catch(() => undefined), stopped])
      state.session = null
      await session.end()
    } catch (error) {
      if (!said) state.log.warn({ reason: reasonOf(error) }, 'notifications wait for the database')
      said = true
    }
    await pause(REOPEN_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** The database may still believe in a lost session, and then nobody could take up what was left of it. */
async function endLost(session: WorkerSession, before: number | undefined): Promise<void> {
  if (before === undefined) return
  await session.say((client) => endWorkerIfAllowed(client, before))
}

/** Writes what waits to be recorded, together, until nothing waits or the database is away. */
async function flush(state: State): Promise<void> {
  if (state.flushing) return
  state.flushing = true
  // Answers that arrived together are recorded together.
  await new Promise((resolve) => setImmediate(resolve))
  while (state.waiting.length > 0 && state.session) {
    const { session } = state
    const group = state.waiting.splice(0)
    try {
      await write(
        state,
        session,
        group.map(({ result }) => result),
      )
      for (const { resolve } of group) resolve()
    } catch (error) {
      state.waiting.unshift(...group)
      // The database is there and takes nothing, since its disk is full, say.
      if (isAnswer(error)) await pause(REOPEN_MS)
      else break
    }
  }
  state.flushing = false
}

async function write({ clock, numbers }: State, session: WorkerSession, results: Result[]): Promise<void> {
  const endings = results.filter((result): result is Ending => !('gone' in result))
  const gone = results.flatMap((result) => ('gone' in result ? [result.gone] : []))
  if (endings.length > 0) await session.say((client) => recordEndings(client, numbers, endings, clock.now()))
  if (gone.length > 0) await session.say((client) => deleteDevices(client, gone))
}
