import { setTimeout as pause } from 'node:timers/promises'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import type { Clock } from '../platform/clock.ts'
import { type Queryable, withTransaction } from '../platform/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { inSharedRuns } from '../platform/share-runs.ts'
import { makeWakeUp, type WakeUp } from '../platform/wake-up.ts'
import { openWorkerSession, type WorkerSession } from '../platform/worker-session.ts'
import { endWorker } from '../platform/workers.ts'
import type { EventReader } from './event-reader.ts'
import { type EventKey, writeMissingWork } from './events.queries.ts'
import { registerReader } from './register-reader.ts'
import { deleteWork, leaseWork, recordFailure, type Work } from './work.queries.ts'

/** Events that a reader has in hand at once, each of another trader. */
const AT_ONCE = 8
/** Without a notification a reader looks this often; one that may wait for another more often. */
const SWEEP_MS = 2000
const WAITING_SWEEP_MS = 250
/** A try takes no longer; its lease is good for twice that. */
const TRY_LIMIT_MS = 300_000
const LEASE_LIMIT_MS = 2 * TRY_LIMIT_MS
/** Pauses double from the first to the longest: about an hour until an event is parked. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 300_000
const TRIES = 20
const REOPEN_MS = 500
/** For events in hand when the readers are stopped. */
const STOP_MS = 2500

export type ReadersDeps = {
  db: Queryable
  /** A direct connection, as for `enterWorkers`. */
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  log: Log
  readers: readonly EventReader[]
}

export type RunningReaders = {
  /** Looks for work now: the clock has been moved. */
  wake(): void
  /** Takes no more events and waits 2.5 seconds for those in hand. */
  stop(): Promise<void>
}

type Shared = ReadersDeps & { wakeUps: Map<EventReader, WakeUp>; stopping: AbortController }

/** Gives readers their events until stopped. Several processes may run the same readers: each event is leased to one. */
export function startReaders(deps: ReadersDeps): RunningReaders {
  const wakeUps = new Map(deps.readers.map((reader) => [reader, makeWakeUp()]))
  const shared: Shared = { ...deps, wakeUps, stopping: new AbortController() }
  const running = keepReading(shared)
  return {
    wake: () => wakeAll(shared),
    async stop() {
      shared.stopping.abort()
      wakeAll(shared)
      await running
    },
  }
}

function wakeAll({ wakeUps }: Shared): void {
  for (const wakeUp of wakeUps.values()) wakeUp.notify()
}

/** A lost database session costs the leases: the next one has another number, and ends the lost one at the server. */
async function keepReading(shared: Shared): Promise<void> {
  const { clock, databaseUrl, db, dropIdle, log, readers, stopping } = shared
  let lost: number | null = null
  let said = false
  while (!stopping.signal.aborted) {
    try {
      for (const reader of readers) await registerReader(db, reader, clock.now())
      const onNews = () => wakeAll(shared)
      const session = await openWorkerSession({ databaseUrl, dropIdle, channel: 'event_work', onNews })
      said = false
      const before = lost
      lost = session.number
      if (before !== null) await session.say((client) => endWorker(client, before))
      await readUnder(shared, session)
    } catch (error) {
      if (!said)
        log.warn(
          { readers: readers.map(({ name }) => name), reason: reasonOf(error) },
          'events wait for the database',
        )
      said = true
    }
    await pause(REOPEN_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
}

/** Until the session is lost or the readers are stopped. */
async function readUnder(shared: Shared, session: WorkerSession): Promise<void> {
  const over = new AbortController()
  const end = () => {
    over.abort()
    wakeAll(shared)
  }
  session.lost.catch(end)
  shared.stopping.signal.addEventListener('abort', end)
  if (shared.stopping.signal.aborted) end()
  const filling = fillGaps(shared, over.signal)
  await Promise.all(shared.readers.map((reader) => readAll(shared, { reader, session, over: over.signal })))
  await filling
  shared.stopping.signal.removeEventListener('abort', end)
  await session.end()
}

/** Until `over`. An event of the version before is read two seconds after it was written, at most. */
async function fillGaps(shared: Shared, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    try {
      if (await writeMissingWork(shared.db)) wakeAll(shared)
    } catch (error) {
      shared.log.warn(
        { sweep: 'missing work of events', reason: reasonOf(error) },
        'work of events could not be written',
      )
    }
    await pause(SWEEP_MS, undefined, { signal: over }).catch(() => undefined)
  }
}

type Reading = {
  reader: EventReader
  session: WorkerSession
  over: AbortSignal
  /** Records that the reader is done with an event; those that end during one statement share the next. */
  finish: (event: EventKey) => Promise<void>
}

async function readAll(shared: Shared, given: Omit<Reading, 'finish'>): Promise<void> {
  const reading = { ...given, finish: finishTogether(shared, given) }
  const { over, reader } = reading
  const wakeUp = shared.wakeUps.get(reader) as WakeUp
  const inHand = new Set<Promise<void>>()
  while (!over.aborted) {
    const seen = wakeUp.version()
    const room = AT_ONCE - inHand.size
    const taken = room > 0 ? await take(shared, reading, room) : []
    for (const work of taken) {
      const done = give(shared, reading, work).finally(() => {
        inHand.delete(done)
        wakeUp.notify()
      })
      inHand.add(done)
    }
    if (room === 0 || taken.length < room) {
      await wakeUp.waitBeyond(seen, reader.after ? WAITING_SWEEP_MS : SWEEP_MS)
    }
  }
  await Promise.race([Promise.all(inHand), pause(STOP_MS, undefined, { ref: false })])
}

function finishTogether({ readers }: Shared, { reader, session }: Omit<Reading, 'finish'>) {
  const notify = readers.some(({ after }) => after?.reader === reader.name)
  return inSharedRuns((events: EventKey[]) =>
    session.say((client) =>
      deleteWork(client, { reader: reader.name, number: session.number, events, notify }),
    ),
  )
}

async function take({ clock, log }: Shared, { over, reader, session }: Reading, limit: number) {
  const now = clock.now()
  const { after } = reader
  const terms = {
    reader: reader.name,
    number: session.number,
    now,
    staleBefore: new Date(now.getTime() - LEASE_LIMIT_MS),
    after: after ? { reader: after.reader, lateBefore: new Date(now.getTime() - after.atMostMs) } : null,
  }
  return session
    .say((client) => leaseWork(client, terms, limit))
    .catch((error: unknown) => {
      if (!over.aborted)
        log.warn({ reader: reader.name, reason: reasonOf(error) }, 'events could not be leased')
      return []
    })
}

/** Never throws: what goes wrong is a try in vain, or a lease that runs out. */
async function give(shared: Shared, { finish, over, reader, session }: Reading, work: Work): Promise<void> {
  const { clock, log } = shared
  const key = { traderId: work.traderId, eventNo: work.eventNo }
  const named = { ...key, reader: reader.name, requestId: work.requestId }
  const { number } = session
  try {
    await inTime(reader.handle(work, clock.now()))
    await finish(key)
    log.info(named, 'an event was read')
  } catch (error) {
    const reason = reasonOf(error)
    if (!over.aborted) log.warn({ ...named, reason }, 'an event was read in vain')
    await fail(shared, { ...key, reader: reader.name, number, tries: work.tries + 1, fault: reason }).catch(
      (fault: unknown) => log.warn({ ...named, reason: reasonOf(fault) }, 'a failed event keeps its lease'),
    )
  }
}

async function inTime(handling: Promise<void>): Promise<void> {
  const done = new AbortController()
  const late = pause(TRY_LIMIT_MS, undefined, { ref: false, signal: done.signal }).then(() => {
    throw new Error('a reader of events did not end in time')
  })
  late.catch(() => undefined)
  await Promise.race([handling, late]).finally(() => done.abort())
}

type Failed = {
  traderId: string
  eventNo: number
  reader: string
  number: number
  tries: number
  fault: string
}

async function fail({ clock, db }: Shared, failed: Failed): Promise<void> {
  const now = clock.now()
  const wait = Math.min(FIRST_PAUSE_MS * 2 ** (failed.tries - 1), LONGEST_PAUSE_MS)
  const retryAt = failed.tries < TRIES ? new Date(now.getTime() + wait) : null
  await withTransaction(db, async (tx) => {
    if (!(await recordFailure(tx, { ...failed, retryAt }, now)) || retryAt) return
    const text = `The reader "${failed.reader}" failed ${failed.tries} times on event ${failed.eventNo} of trader ${failed.traderId}: ${failed.fault}

It goes on with later events. Once the cause is mended:
npm run operator -- events
npm run operator -- events retry ${failed.reader}`
    const facts = { subject: 'an event was given up', text }
    await queueMail(tx, { kind: 'operator_notice', userId: null, facts }, now)
  })
}
