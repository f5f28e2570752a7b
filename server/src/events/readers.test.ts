import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase } from '../../test/database/database.ts'
import { endWorkerSessions } from '../../test/database/end-worker-sessions.ts'
import { listenTo } from '../../test/database/listen-to.ts'
import { type Crowd, makeCrowdTrader, publish } from '../../test/followers.ts'
import { startTcpProxy } from '../../test/processes/tcp-proxy.ts'
import { runReaders } from '../../test/run-readers.ts'
import type { RunningWork } from '../work/run-work.ts'
import type { EventReader } from './event-reader.ts'
import type { PositionEvent } from './events.queries.ts'
import { readParkedEvents, retryParkedEvents } from './read-parked-events.ts'
import { registerReader } from './run-readers.ts'

const HOUR_MS = 3_600_000

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 120_000 })

/** Readers on a fresh database under a clock that stands still, without that of mails. */
async function startScenario() {
  const database = await openTestDatabase()
  await database.pool.query("delete from event_readers where name = 'mail'")
  const clock = makeTestClock(TEST_NOW)
  const running: RunningWork[] = []
  const traders = new Map<string, Crowd>()
  return {
    database,
    clock,
    run(...readers: EventReader[]) {
      running.push(runReaders(database, clock, readers))
    },
    /** The same by a worker whose session goes through a proxy. */
    runThrough(databaseUrl: string, ...readers: EventReader[]) {
      running.push(runReaders(database, clock, readers, { databaseUrl }))
    },
    /** Registers readers without running them. */
    async register(...readers: EventReader[]) {
      for (const reader of readers) await registerReader(database.db, reader, clock.now())
    },
    async publish(trader: string, symbol: string) {
      const crowd = traders.get(trader) ?? (await makeCrowdTrader(database.pool, trader, clock.now()))
      traders.set(trader, crowd)
      await publish(database.db, crowd, { symbol }, clock.now())
    },
    name: ({ traderId, eventNo }: PositionEvent) =>
      `${[...traders.values()].find((crowd) => crowd.traderId === traderId)?.username} ${eventNo}`,
    advance(milliseconds: number) {
      clock.advance(milliseconds)
      for (const readers of running) readers.wake()
    },
    async left(reader: string): Promise<number> {
      const { rows } = await database.pool.query<{ count: number }>(
        'select count(*)::int as count from event_work where reader = $1',
        [reader],
      )
      return rows[0]?.count ?? 0
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((readers) => readers.stop()))
      await database[Symbol.asyncDispose]()
    },
  }
}

type Scenario = Awaited<ReturnType<typeof startScenario>>

/** A reader that notes what it was given. */
function noting(scenario: Scenario, name: string, more: Partial<EventReader> = {}) {
  const seen: string[] = []
  const reader: EventReader = {
    name,
    from: 'now',
    handle: async (event) => void seen.push(scenario.name(event)),
    ...more,
  }
  return { reader, seen }
}

test('every reader gets every event in the order of its trader, and one that stands still delays no other', async () => {
  await using scenario = await startScenario()
  const quick = noting(scenario, 'quick')
  const still = noting(scenario, 'still', { handle: () => new Promise(() => undefined) })
  scenario.run(quick.reader, still.reader)
  await until(async () => {
    const { rows } = await scenario.database.pool.query('select name from event_readers')
    expect(rows).toHaveLength(2)
  })
  for (const symbol of ['AAPL', 'MSFT', 'NVDA']) {
    await scenario.publish('maria', symbol)
    await scenario.publish('jose', symbol)
    scenario.advance(HOUR_MS / 3)
  }
  await until(() => expect(quick.seen).toHaveLength(6))
  expect(quick.seen.filter((seen) => seen.startsWith('maria'))).toEqual(['maria 1', 'maria 2', 'maria 3'])
  expect(quick.seen.filter((seen) => seen.startsWith('jose'))).toEqual(['jose 1', 'jose 2', 'jose 3'])
  await until(async () => expect(await scenario.left('quick')).toBe(0))
  expect(await scenario.left('still')).toBe(6)
})

test('an event is given again, by another worker, when the one that has it loses the database in the middle', async () => {
  await using scenario = await startScenario()
  await using proxy = await startTcpProxy(scenario.database.url)
  const given: string[] = []
  const held = Promise.withResolvers<void>()
  const reader: EventReader = {
    name: 'careful',
    from: 'now',
    handle: async (event) => {
      given.push(scenario.name(event))
      if (given.length === 1) await held.promise
    },
  }
  await scenario.register(reader)
  await scenario.publish('maria', 'AAPL')
  await scenario.publish('maria', 'MSFT')
  scenario.runThrough(proxy.url, reader)
  await until(() => expect(given).toEqual(['maria 1']))
  proxy.freeze()
  await endWorkerSessions(scenario.database.pool)
  scenario.run(reader)
  await until(() => expect(given).toEqual(['maria 1', 'maria 1', 'maria 2']))
  held.resolve()
  await until(async () => expect(await scenario.left('careful')).toBe(0))
  proxy.cut()
  expect(given).toHaveLength(3)
})

test('a worker that loses its session keeps the event that it has in hand, and nobody is given it again', async () => {
  await using scenario = await startScenario()
  const given: string[] = []
  const held = Promise.withResolvers<void>()
  const reader: EventReader = {
    name: 'careful',
    from: 'now',
    handle: async (event) => {
      given.push(scenario.name(event))
      await held.promise
    },
  }
  await scenario.register(reader)
  await scenario.publish('maria', 'AAPL')
  await scenario.publish('maria', 'MSFT')
  scenario.run(reader)
  await until(() => expect(given).toEqual(['maria 1']))
  const [before] = await ownersOf(scenario)
  await endWorkerSessions(scenario.database.pool)
  await until(async () => expect((await ownersOf(scenario))[0]).toBeGreaterThan(before ?? 0))
  scenario.run(reader)
  held.resolve()
  await until(async () => expect(await scenario.left('careful')).toBe(0))
  expect(given).toEqual(['maria 1', 'maria 2'])
})

/** The workers that have events in hand. */
async function ownersOf({ database }: Scenario): Promise<number[]> {
  const { rows } = await database.pool.query<{ owner: number }>(
    'select distinct lease_owner as owner from event_work where lease_owner is not null order by 1',
  )
  return rows.map(({ owner }) => owner)
}

test('a worker that waits for the database logs it once, however often it tries', async () => {
  await using scenario = await startScenario()
  let tries = 0
  const refusing = createServer((socket) => {
    tries += 1
    socket.destroy()
  })
  await once(refusing.listen(0, '127.0.0.1'), 'listening')
  const { port } = refusing.address() as AddressInfo
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const { clock, database } = scenario
  const { reader } = noting(scenario, 'mail')
  const databaseUrl = `postgres://nobody@127.0.0.1:${port}/nothing`
  const readers = runReaders(database, clock, [reader], { databaseUrl, log })
  await until(() => expect(tries).toBeGreaterThan(2))
  await readers.stop()
  refusing.close()
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['a worker waits for the database'])
})

test('an event that one worker has in hand is not given to another one', async () => {
  await using scenario = await startScenario()
  const held = Promise.withResolvers<void>()
  const first = noting(scenario, 'shared')
  const second = noting(scenario, 'shared')
  const holding: EventReader = {
    ...first.reader,
    handle: async (event, now) => {
      await first.reader.handle(event, now)
      await held.promise
    },
  }
  await scenario.register(holding)
  await scenario.publish('maria', 'AAPL')
  scenario.run(holding)
  await until(() => expect(first.seen).toEqual(['maria 1']))
  await scenario.publish('jose', 'MSFT')
  await until(() => expect(first.seen).toEqual(['maria 1', 'jose 1']))
  scenario.run(second.reader)
  await scenario.publish('lina', 'NVDA')
  await until(() => expect([...first.seen, ...second.seen]).toContain('lina 1'))
  expect([...first.seen, ...second.seen].toSorted()).toEqual(['jose 1', 'lina 1', 'maria 1'])
  held.resolve()
  await until(async () => expect(await scenario.left('shared')).toBe(0))
})

test('a reader that is registered later begins where it is registered to: with the next event, or with the first of every trader', async () => {
  await using scenario = await startScenario()
  await scenario.publish('maria', 'AAPL')
  await scenario.publish('jose', 'AAPL')
  await scenario.publish('maria', 'MSFT')
  const next = noting(scenario, 'next')
  const all = noting(scenario, 'all', { from: 'the first event' })
  await scenario.register(next.reader, all.reader, next.reader, all.reader)
  await scenario.publish('maria', 'NVDA')
  scenario.run(next.reader, all.reader)
  await until(() => expect(all.seen).toHaveLength(4))
  expect(all.seen.filter((seen) => seen.startsWith('maria'))).toEqual(['maria 1', 'maria 2', 'maria 3'])
  await until(() => expect(next.seen).toEqual(['maria 3']))
  // Registering is repeated at every start: what was done does not come back.
  await until(async () => expect(await scenario.left('all')).toBe(0))
  await scenario.register(all.reader)
  expect(await scenario.left('all')).toBe(0)
})

test('a trader’s new events wait until a new reader has been given the earlier ones', async () => {
  await using scenario = await startScenario()
  await scenario.publish('maria', 'AAPL')
  const all = noting(scenario, 'all', { from: 'the first event' })
  // The state that a registration leaves when it is cut off before the first trader.
  await scenario.database.pool.query("insert into event_readers values ('all', $1)", [TEST_NOW])
  await scenario.database.pool.query(
    "insert into event_backfills select trader_id, 'all', last_event_no from traders",
  )
  await scenario.publish('maria', 'MSFT')
  scenario.run(all.reader)
  await until(() => expect(all.seen).toEqual(['maria 1', 'maria 2']))
})

test('an event that fails is tried again after growing pauses, then parked with a mail to the operator, and holds up none behind it', async () => {
  await using scenario = await startScenario()
  let tries = 0
  let mended = false
  const seen: string[] = []
  const reader: EventReader = {
    name: 'receipts',
    from: 'now',
    handle: async (event) => {
      if (event.eventNo === 1 && !mended) {
        tries += 1
        throw new TypeError('nobody answers at ada@example.com')
      }
      seen.push(scenario.name(event))
    },
  }
  await scenario.register(reader)
  await scenario.publish('maria', 'AAPL')
  await scenario.publish('maria', 'MSFT')
  scenario.run(reader)
  await until(() => expect(tries).toBe(1))
  scenario.advance(900)
  for (const [pause, expected] of [1000, 2000, 4000, 8000, 16_000].map((pause, index) => [
    pause,
    index + 2,
  ])) {
    await until(async () => expect((await workOf(scenario))[0]?.tries).toBe((expected ?? 0) - 1))
    scenario.advance(pause ?? 0)
    await until(() => expect(tries).toBe(expected))
  }
  expect(seen).toEqual([])
  for (let expected = 7; expected <= 20; expected += 1) {
    await until(async () => expect((await workOf(scenario))[0]?.tries).toBe(expected - 1))
    scenario.advance(300_000)
    await until(() => expect(tries).toBe(expected))
  }
  await until(() => expect(seen).toEqual(['maria 2']))
  const { db, pool } = scenario.database
  expect(await readParkedEvents(db)).toEqual([
    expect.stringMatching(
      /^2026-03-04T15:00:00\.000Z receipts: opened, event 1 of maria, 20 tries: TypeError: nobody answers at …: at .*readers\.test\.ts/,
    ),
  ])
  const mails = await pool.query<{ facts: { subject: string; text: string } }>('select facts from outbox')
  expect(mails.rows.map(({ facts }) => facts.subject)).toEqual(['an event was given up'])
  expect(mails.rows[0]?.facts.text).toContain('npm run operator -- events retry receipts')
  mended = true
  expect(await retryParkedEvents(db, 'receipts')).toBe(1)
  await until(() => expect(seen).toEqual(['maria 2', 'maria 1']))
  await until(async () => expect(await readParkedEvents(db)).toEqual([]))
})

async function workOf({ database }: Scenario) {
  const { rows } = await database.pool.query<{ tries: number }>(
    'select tries from event_work where lease_owner is null order by event_no',
  )
  return rows
}

test('a reader that handles unleased events does what waits as soon as there is news, and what it leaves comes to the reader event by event', async () => {
  await using scenario = await startScenario()
  const handled: number[] = []
  const gate = { open: true }
  const { reader, seen } = noting(scenario, 'together', {
    async handleUnleased() {
      if (!gate.open) return
      const { rowCount } = await scenario.database.pool.query('delete from event_work')
      if (rowCount) handled.push(rowCount)
    },
  })
  await scenario.register(reader)
  for (const trader of ['maria', 'jose']) await scenario.publish(trader, 'AAPL')
  scenario.run(reader)
  await until(() => expect(handled).toEqual([2]))
  await scenario.publish('maria', 'MSFT')
  await until(() => expect(handled).toEqual([2, 1]))
  expect(seen).toEqual([])
  gate.open = false
  await scenario.publish('jose', 'MSFT')
  await until(() => expect(seen).toEqual(['jose 2']))
})

test('senders are notified of events that a reader is done with where mails wait for it, and of no others', async () => {
  await using scenario = await startScenario()
  await using deliveries = await listenTo(scenario.database.url, 'deliveries')
  const waited = noting(scenario, 'waited', { beforeMails: true })
  const other = noting(scenario, 'other')
  await scenario.register(waited.reader, other.reader)
  scenario.run(other.reader)
  await scenario.publish('maria', 'AAPL')
  await until(async () => expect(await scenario.left('other')).toBe(0))
  expect(await deliveries.heard()).toEqual([])
  scenario.run(waited.reader)
  await until(async () => expect(await deliveries.heard()).toEqual(['']))
  expect(await scenario.left('waited')).toBe(0)
})
