import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { isAnswer } from '../../platform/database.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import { windowOf } from '../../platform/rate-limit.ts'
import { openWorkerSession, type WorkerSession } from '../../platform/worker-session.ts'
import { endWorkerIfAllowed } from '../../platform/workers.ts'
import { type Lane, LIMITED_MAILS } from './categories.ts'
import {
  adoptMails,
  type Ending,
  type LeasedMail,
  leaseMails,
  recordEndings,
  renewMails,
  takePlaces,
} from './leases.queries.ts'

/** A lease that nobody renewed for so long belongs to a worker that hangs; a dead one's is free at once. */
const LEASE_LIMIT_MS = 10_000
const RENEW_MS = 1000
const REOPEN_MS = 500

/** The outbox as one worker uses it: what the worker has in hand, and the record of what became of it. */
export type OutboxStore = {
  /** @returns none while the database is away */
  lease(lane: Lane, limit: number): Promise<LeasedMail[]>
  /** For mails without a place among the limited ones. @throws when the database does not take it */
  takePlaces(ids: string[]): Promise<void>
  /** Resolves when it is written, whenever the database is there. Many travel as one statement. */
  record(ending: Ending): Promise<void>
  /** Lets go of what is in hand. */
  end(): Promise<void>
}

type StoreDeps = {
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  log: Log
  /** Mails of a lane have been queued, by whichever process; null: the database is there. */
  onNews: (lane: string | null) => void
}

type Waiting = { ending: Ending; resolve: () => void }

type State = StoreDeps & {
  session: WorkerSession | null
  /** Of mails in hand. */
  held: Set<string>
  /** Under which they are leased: that of the session, and those of lost ones before it. */
  numbers: number[]
  waiting: Waiting[]
  flushing: boolean
  ending: AbortController
}

/** Resolves once it listens, whenever the database is there; a session that is lost is opened again. */
export async function openOutboxStore(deps: StoreDeps, given: { up: AbortSignal }): Promise<OutboxStore> {
  const state: State = {
    ...deps,
    session: null,
    held: new Set(),
    numbers: [],
    waiting: [],
    flushing: false,
    ending: new AbortController(),
  }
  const opened = Promise.withResolvers<void>()
  given.up.addEventListener('abort', () => opened.resolve())
  const keeping = keepSession(state, opened.resolve)
  await opened.promise
  return {
    lease: (lane, limit) => lease(state, lane, limit),
    async takePlaces(ids) {
      if (!state.session) throw new Error('the database is away')
      const window = { key: LIMITED_MAILS.key, ...windowOf(LIMITED_MAILS.windowSeconds, deps.clock.now()) }
      await state.session.say((client) => takePlaces(client, ids, window))
    },
    record: (ending) =>
      new Promise((resolve) => {
        state.waiting.push({ ending, resolve })
        void flush(state)
      }),
    async end() {
      state.ending.abort()
      await keeping
    },
  }
}

async function lease(state: State, lane: Lane, limit: number): Promise<LeasedMail[]> {
  const { session } = state
  if (!session) return []
  const now = state.clock.now()
  const terms = {
    number: session.number,
    now,
    staleBefore: new Date(now.getTime() - LEASE_LIMIT_MS),
  }
  const mails = await session.say((client) => leaseMails(client, terms, { lane, limit }))
  for (const { id } of mails) state.held.add(id)
  return mails
}

async function keepSession(state: State, onOpen: () => void): Promise<void> {
  const { signal } = state.ending
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  let waiting = false
  while (!signal.aborted) {
    try {
      const session = await openSession(state)
      waiting = false
      onOpen()
      state.onNews(null)
      void flush(state)
      await Promise.race([session.lost.catch(() => undefined), renewing(state, session), stopped])
      state.session = null
      await session.end()
    } catch (error) {
      if (!waiting) state.log.warn({ reason: reasonOf(error) }, 'single mails wait for the database')
      waiting = true
    }
    await pause(REOPEN_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Takes what is in hand from a lost session to the next one. */
async function openSession(state: State): Promise<WorkerSession> {
  const session = await openWorkerSession({ ...state, channel: 'outbox' })
  const { number } = session
  try {
    // The database may still believe in the lost session, and then nobody else could take up what was left of it.
    for (const before of state.numbers) await session.say((client) => endWorkerIfAllowed(client, before))
    const of = { before: state.numbers, ids: [...state.held] }
    state.numbers = [...state.numbers, number]
    if (of.ids.length > 0) await session.say((client) => adoptMails(client, number, of))
  } catch (error) {
    await session.end()
    throw error
  }
  state.numbers = [number]
  state.session = session
  return session
}

/** Renews what is in hand until the session is lost. */
async function renewing(state: State, session: WorkerSession): Promise<void> {
  const { signal } = state.ending
  while (state.session === session) {
    await pause(RENEW_MS, undefined, { signal }).catch(() => undefined)
    const ids = [...state.held]
    if (signal.aborted) return
    if (ids.length === 0) continue
    const now = state.clock.now()
    await session.say((client) => renewMails(client, session.number, ids, now)).catch(() => undefined)
  }
}

/** Writes what waits to be recorded, together, until nothing waits or the database is away. */
async function flush(state: State): Promise<void> {
  if (state.flushing) return
  state.flushing = true
  // Answers of the mail server that arrived together are recorded together.
  await new Promise((resolve) => setImmediate(resolve))
  while (state.waiting.length > 0 && state.session) {
    const { session } = state
    const group = state.waiting.splice(0)
    const endings = group.map(({ ending }) => ending)
    const at = { now: state.clock.now(), key: LIMITED_MAILS.key }
    try {
      await session.say((client) => recordEndings(client, state.numbers, endings, at))
      for (const { ending, resolve } of group) {
        state.held.delete(ending.id)
        resolve()
      }
    } catch (error) {
      state.waiting.unshift(...group)
      // The database is there and takes nothing, since its disk is full, say.
      if (isAnswer(error)) await pause(REOPEN_MS)
      else break
    }
  }
  state.flushing = false
}
