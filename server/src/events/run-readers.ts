import { setTimeout as pause } from 'node:timers/promises'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import type { Clock } from '../platform/clock.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { backOff } from '../work/back-off.ts'
import { type RunningWork, runWork, type Work as WorkOf } from '../work/run-work.ts'
import type { WorkSession } from '../work/work-session.ts'
import type { EventReader } from './event-reader.ts'
import type { EventKey } from './events.queries.ts'
import {
  backfillOne,
  insertBackfills,
  insertReader,
  isRegistered,
  lockEvents,
  setFollowersOnly,
} from './readers.queries.ts'
import { deleteWork, type Ending, EVENT_WORK, leaseWork, recordFailures, type Work } from './work.queries.ts'

/** Events that a reader has in hand at once, each of another trader. */
const AT_ONCE = 8

const TRY_LIMIT_MS = 300_000

/** About an hour until an event is parked. */
const PAUSES = { firstMs: 1000, longestMs: 300_000 }

const TRIES = 20

const REGISTER_AGAIN_MS = 500

export type ReadersDeps = {
  session: WorkSession
  db: Queryable
  clock: Clock
  log: Log
  readers: readonly EventReader[]
}

/** Gives readers their events until stopped. Several processes may run the same readers: each event is leased to one. */
export function startReaders(deps: ReadersDeps): RunningWork {
  const stopping = new AbortController()
  const running: RunningWork[] = []
  const begin = async () => {
    await registerAll(deps, stopping.signal)
    if (stopping.signal.aborted) return
    running.push(...deps.readers.map((reader) => runWork(deps, readerWork(deps, reader))))
  }
  const begun = begin()
  return {
    wake() {
      for (const reader of running) reader.wake()
    },
    async stop() {
      stopping.abort()
      await begun
      await Promise.all(running.map((reader) => reader.stop()))
    },
  }
}

/** Registers the readers as soon as the database can be reached. */
async function registerAll({ clock, db, log, readers }: ReadersDeps, stopping: AbortSignal): Promise<void> {
  let warned = false
  while (!stopping.aborted) {
    try {
      for (const reader of readers) await registerReader(db, reader, clock.now())
      return
    } catch (error) {
      const names = readers.map(({ name }) => name)
      if (!warned)
        log.warn({ readers: names, reason: reasonOf(error) }, 'readers of events cannot be registered yet')
      warned = true
    }
    await pause(REGISTER_AGAIN_MS, undefined, { signal: stopping }).catch(() => undefined)
  }
}

function readerWork(deps: ReadersDeps, reader: EventReader): WorkOf<Work, Ending> {
  const { beforeMails = false, name } = reader
  return {
    name: `reader ${name}`,
    table: EVENT_WORK,
    keyOf: ({ eventNo, traderId }) => [traderId, name, eventNo],
    channel: 'event_work',
    atOnce: AT_ONCE,
    waiting: (at) => `reader = '${name}' and parked_at is null and coalesce(retry_at, ${at}) <= ${at}`,
    ...(reader.handleUnleased && { handleUnleased: reader.handleUnleased }),
    lease: (client, terms, limit) => leaseWork(client, { ...terms, reader: name }, limit),
    async record(client, endings, { now, numbers }) {
      const by = { reader: name, numbers: numbers.all }
      const done = endings.filter((ending) => ending.failure === null)
      const failed = endings.flatMap((ending) => (ending.failure ? [{ ...ending, ...ending.failure }] : []))
      if (done.length > 0) await deleteWork(client, { ...by, events: done, beforeMails })
      if (failed.length > 0) await recordFailures(client, { ...by, failed }, now)
    },
    async handle(events, end) {
      await Promise.all(events.map(async (event) => end(event, await give(deps, reader, event))))
    },
  }
}

/** Never rejects. */
async function give(deps: ReadersDeps, reader: EventReader, work: Work): Promise<Ending> {
  const { clock, log, session } = deps
  const key = { traderId: work.traderId, eventNo: work.eventNo }
  const named = { ...key, reader: reader.name, requestId: work.requestId }
  try {
    await inTime(reader.handle(work, clock.now()))
    log.info(named, 'an event was read')
    return { ...key, failure: null }
  } catch (error) {
    const fault = reasonOf(error)
    if (session.isOpen()) log.warn({ ...named, reason: fault }, 'an event was read without success')
    const tries = work.tries + 1
    const isParked = tries >= TRIES && (await notifyOperator(deps, { ...named, tries, fault }))
    const retryAt = isParked ? null : new Date(clock.now().getTime() + backOff(PAUSES, tries))
    return { ...key, failure: { tries, retryAt, fault } }
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

type Failed = EventKey & { reader: string; tries: number; fault: string }

/** @returns false when the mail could not be queued: no event is given up without a notice to the operator */
async function notifyOperator({ clock, db, log }: ReadersDeps, failed: Failed): Promise<boolean> {
  const { eventNo, fault, reader, traderId, tries } = failed
  const text = `The reader "${reader}" failed ${tries} times on event ${eventNo} of trader ${traderId}: ${fault}

It goes on with later events. Once the cause is mended:
npm run operator -- events
npm run operator -- events retry ${reader}`
  const facts = { subject: 'an event was given up', text }
  const cause = `event ${traderId} ${eventNo} ${reader}`
  try {
    await queueMail(db, { kind: 'operator_notice', userId: null, facts, cause }, clock.now())
    return true
  } catch (error) {
    log.warn(
      { reader, traderId, eventNo, reason: reasonOf(error) },
      'the operator is not told of an event yet',
    )
    return false
  }
}

/**
 * Has work written for a reader from now on; for a reader that begins with the first event, also the work of all earlier events, trader
 * by trader. Safe to repeat and to run by many at once; a registration that was cut off goes on.
 */
export async function registerReader(
  db: Queryable,
  reader: Pick<EventReader, 'name' | 'from' | 'followersOnly'>,
  now: Date,
): Promise<void> {
  if (!(await isRegistered(db, reader.name))) {
    await withTransaction(db, async (tx) => {
      await lockEvents(tx)
      const isNew = await insertReader(tx, reader.name, now)
      if (isNew && reader.from === 'the first event') await insertBackfills(tx, reader.name)
    })
  }
  await setFollowersOnly(db, reader.name, reader.followersOnly === true)
  while (await backfillOne(db, reader.name));
}
