import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase, type TestDatabase } from '../../test/database/database.ts'
import { type Crowd, makeCrowdTrader, publish } from '../../test/followers.ts'
import { runReaders } from '../../test/run-readers.ts'
import { makeRandom, type Random } from '../dev/seed/random.ts'
import type { EventReader } from './event-reader.ts'
import type { PositionEvent } from './events.queries.ts'

/** So many here, a thousand with `npm run faults -- event-histories`. */
const HISTORIES = Number(process.env.EVENT_HISTORIES ?? 5)
const TRADERS = 3
const EVENTS = 12
const PAUSE_MS = 10
/** How likely a try fails, and a worker dies between two events. */
const FAILS = 0.15
const DIES = 0.3

/**
 * Traders publish at the same time while workers die and tries fail. Every event is done; none is given before the one
 * before it of the same trader was done.
 */
async function playHistory(database: TestDatabase, seed: number): Promise<void> {
  const random = makeRandom(seed)
  const clock = makeTestClock(TEST_NOW)
  const done = new Set<string>()
  const wrong: string[] = []
  const reader: EventReader = {
    name: 'history',
    from: 'now',
    async handle({ eventNo, traderId }: PositionEvent) {
      if (eventNo > 1 && !done.has(`${traderId} ${eventNo - 1}`)) wrong.push(`${traderId} ${eventNo}`)
      await pause(random.next() * PAUSE_MS)
      if (random.next() < FAILS) throw new Error('a failed try')
      done.add(`${traderId} ${eventNo}`)
    },
  }
  const workers = [runReaders(database, clock, [reader]), runReaders(database, clock, [reader])]
  const crowds: Crowd[] = []
  for (let index = 0; index < TRADERS; index += 1) {
    crowds.push(await makeCrowdTrader(database.pool, `h${seed}t${index}`, TEST_NOW))
  }
  await expect.poll(() => count(database, 'event_readers where name = $1', 'history')).toBe(1)
  await Promise.all(crowds.map((crowd) => publishAll(database, crowd, random)))
  const left = () => {
    // Failed tries wait for their pause, and a dead worker is noticed by looking.
    clock.advance(1000)
    for (const worker of workers) worker.wake()
    return count(database, 'event_work where reader = $1', 'history')
  }
  await expect.poll(left).toBe(0)
  await Promise.all(workers.map((worker) => worker.stop()))
  expect({ seed, wrong, done: done.size }).toEqual({ seed, wrong: [], done: TRADERS * EVENTS })
}

async function publishAll(database: TestDatabase, crowd: Crowd, random: Random): Promise<void> {
  for (let event = 0; event < EVENTS; event += 1) {
    await publish(database.db, crowd, { symbol: `S${event}` }, TEST_NOW)
    await pause(random.next() * PAUSE_MS)
    if (random.next() < DIES / TRADERS) await killOneWorker(database)
  }
}

/** Ends the session by which a worker shows that it lives: what it holds is free, as when its process dies. */
async function killOneWorker({ pool }: TestDatabase): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = 7238 and granted
       and database = (select oid from pg_database where datname = current_database())
     order by objid limit 1`,
  )
}

async function count({ pool }: TestDatabase, of: string, name: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from ${of}`, [name])
  return rows[0]?.count ?? 0
}

test(
  'in random histories with deaths and failures every event is done, in the order of its trader',
  async () => {
    await using database = await openTestDatabase()
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      await playHistory(database, seed)
      if (seed % 100 === 0) console.log(`histories 1 to ${seed} held`)
    }
  },
  120_000 + HISTORIES * 10_000,
)
