import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from '../platform/clock.ts'
import { isAnswer } from '../platform/database/database-errors.ts'
import { endWorkerIfAllowed } from '../platform/database/living-workers.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { openWorkerSession, type WorkChannel, type WorkerSession } from './worker-session.ts'

const CHANNELS = ['event_work', 'outbox', 'pushes', 'work'] as const satisfies WorkChannel[]
export type Channel = (typeof CHANNELS)[number]

const REOPEN_MS = 500
/** After this long without a renewal, the leases of a worker are free: it hangs. */
export const LEASE_LIMIT_MS = 10_000
/** One kind of work that waits for somebody else's row holds up the others no longer than this. */
const LOCK_WAIT_MS = 1000

/**
 * How often items in hand are renewed. Lost notifications, times that have come, leases of dead workers and silent sessions are found this
 * late at most, by one statement for all.
 */
const TEND_EVERY_MS = 2000

/** Under which numbers a worker leases: that of its session, and those of lost ones whose leases may not be adopted yet. */
export type Numbers = { number: number; all: readonly number[] }

/** One kind of work as the session sees it, or of anything else that becomes due by the state of the database. */
type SessionPart = {
  /** The channel whose notifications wake this part. */
  channel?: Channel
  /** Something may be due. @param payload of the notification; null: the session is open, perhaps again */
  onNews(payload: string | null): void
  /** In SQL, whether anything may be due. @param at in SQL, when, by the product's clock */
  isWaiting(at: string): string
  /** Puts the leases of the process under a new number, before anything is leased under it. */
  adopt?(client: pg.Client, number: number, before: readonly number[]): Promise<void>
  /** Renews the leases of the process; absent where it has none, null while it has none. */
  renew?(): ((client: pg.Client, number: number) => Promise<void>) | null
}

/**
 * The one database session of a worker process, under which all kinds of work are leased and recorded (ADR 0022). A session that
 * is lost is opened again, and its work in hand goes on under the new number.
 */
export type WorkSession = {
  /** Resolves once the session is open for the first time, or has ended before. */
  opened: Promise<void>
  /** @returns takes the part away again */
  add(part: SessionPart): () => void
  isOpen(): boolean
  /**
   * Runs statements, one call after another.
   * @throws the database's error, why the session is lost, or that it is not open
   */
  run<T>(work: (client: pg.Client, numbers: Numbers) => Promise<T>): Promise<T>
  /**
   * Runs a statement that has to succeed in the end: again when the session was lost or the database refused it, for example because its disk
   * is full. Resolves without it once the session has ended.
   * @param onRefusal is given the database's error; true gives up
   * @returns false when it was given up
   */
  runUntilDone(
    work: (client: pg.Client, numbers: Numbers) => Promise<void>,
    onRefusal?: (error: unknown) => boolean,
  ): Promise<boolean>
  end(): Promise<void>
}

type Deps = { databaseUrl: string; dropIdle: () => void; clock: Clock; log: Log }

type State = Deps & {
  session: WorkerSession | null
  numbers: number[]
  parts: Set<SessionPart>
  /** The last statement by which all parts looked for waiting work. */
  look: { text: string; name: string }
  ending: AbortController
  /** Resolves when the session is open again, or has ended. */
  reopened: PromiseWithResolvers<void>
}

export function openWorkSession(deps: Deps): WorkSession {
  const state: State = {
    ...deps,
    session: null,
    numbers: [],
    parts: new Set(),
    look: { text: '', name: '' },
    ending: new AbortController(),
    reopened: Promise.withResolvers(),
  }
  const opened = state.reopened.promise
  const keeping = keepOpen(state)
  return {
    opened,
    add(part) {
      state.parts.add(part)
      return () => state.parts.delete(part)
    },
    isOpen: () => state.session !== null,
    run: (work) => run(state, work),
    runUntilDone: (work, onRefusal = () => false) => runUntilDone(state, work, onRefusal),
    async end() {
      state.ending.abort()
      state.reopened.resolve()
      await keeping
    },
  }
}

async function run<T>(
  { numbers, session }: State,
  work: (client: pg.Client, numbers: Numbers) => Promise<T>,
): Promise<T> {
  if (!session) throw new Error('the database is away')
  return session.run((client) => work(client, { number: session.number, all: numbers }))
}

async function keepOpen(state: State): Promise<void> {
  const { signal } = state.ending
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  let warned = false
  while (!signal.aborted) {
    try {
      const session = await open(state)
      warned = false
      state.session = session
      state.log.debug({ worker: session.number }, 'a worker takes work')
      state.reopened.resolve()
      for (const part of state.parts) part.onNews(null)
      await Promise.race([session.lost.catch(() => undefined), tend(state, session), stopped])
      state.session = null
      if (!signal.aborted) state.reopened = Promise.withResolvers()
      await session.end()
    } catch (error) {
      if (!warned) state.log.warn({ reason: reasonOf(error) }, 'a worker waits for the database')
      warned = true
    }
    await pause(REOPEN_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Takes the work in hand from a lost session to the next one. */
async function open(state: State): Promise<WorkerSession> {
  const onNews = (channel: Channel, payload: string) => {
    for (const part of state.parts) if (part.channel === channel) part.onNews(payload)
  }
  const session = await openWorkerSession({ ...state, channels: CHANNELS, onNews })
  const { number } = session
  try {
    const before = state.numbers
    state.numbers = [...before, number]
    await session.run(async (client) => {
      await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`)
      // The database may still believe in the lost session, and then nobody else could lease its remaining work.
      for (const earlier of before) await endWorkerIfAllowed(client, earlier)
      if (before.length > 0) for (const part of state.parts) await part.adopt?.(client, number, before)
    })
  } catch (error) {
    await session.end()
    throw error
  }
  state.numbers = [number]
  return session
}

/** Renews the leases in hand, and looks for waiting work, until the session is lost. */
async function tend(state: State, session: WorkerSession): Promise<void> {
  const { signal } = state.ending
  while (state.session === session) {
    await pause(TEND_EVERY_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    for (const part of state.parts) {
      const renew = part.renew?.()
      if (renew) await session.run((client) => renew(client, session.number)).catch(() => undefined)
    }
    await look(state, session).catch((error: unknown) => {
      if (!isAnswer(error)) return
      state.log.warn({ sweep: 'work that waits', reason: reasonOf(error) }, 'a sweep failed')
      // Each looks by itself: a fault of one holds up none of the others.
      for (const part of state.parts) part.onNews(null)
    })
  }
}

async function look(state: State, session: WorkerSession): Promise<void> {
  const asked = [...state.parts]
  if (asked.length === 0) return
  const at = '$1::timestamptz'
  // The condition gives the time its type where nothing asks for it.
  const text = `select array[${asked.map((part) => part.isWaiting(at)).join(', ')}] as waiting where ${at} is not null`
  // Prepared, since planning costs more than running it. The text changes at the start, at the end, and with the hours of markets.
  if (state.look.text !== text)
    state.look = { text, name: `look-${createHash('sha1').update(text).digest('hex')}` }
  const { rows } = await session.run((client) =>
    client.query<{ waiting: boolean[] }>({ ...state.look, values: [state.clock.now()] }),
  )
  for (const [nth, isWaiting] of (rows[0]?.waiting ?? []).entries()) if (isWaiting) asked[nth]?.onNews(null)
}

async function runUntilDone(
  state: State,
  work: (client: pg.Client, numbers: Numbers) => Promise<void>,
  onRefusal: (error: unknown) => boolean,
): Promise<boolean> {
  const { signal } = state.ending
  while (!signal.aborted) {
    try {
      if (state.session) {
        await run(state, work)
        return true
      }
      await state.reopened.promise
    } catch (error) {
      if (isAnswer(error) && onRefusal(error)) return false
      await pause(REOPEN_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  return true
}
