import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { testDataDir } from '../../../test/database/data-dir.ts'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { addFollowers, type Crowd, makeCrowdTrader, planAll, publish } from '../../../test/followers.ts'
import { registerRecord } from '../../../test/record.ts'
import type { EventKey } from '../../events/events.queries.ts'
import { DatabaseClient } from '../../platform/database/database-client.ts'
import { planDeliveries } from '../plan/plan-deliveries.ts'
import { type DeliveryStore, openDeliveryStore } from './delivery-store.ts'
import type { Range } from './range.ts'

const anyRange = { idleEventsOnly: false }
const thisHost = join(testDataDir, 'delivery')

async function startScenario(followers: Record<string, number>) {
  const database = await openTestDatabase()
  const clock = makeTestClock(TEST_NOW)
  for (const [name, count] of Object.entries(followers)) {
    const crowd = await makeCrowdTrader(database.pool, name, clock.now())
    await addFollowers(database.pool, crowd, count, clock.now())
    await publish(database.db, crowd, { symbol: 'AAPL' }, clock.now())
    await planAll(database.db, clock.now())
    clock.advance(1)
  }
  const stores: DeliveryStore[] = []
  return {
    database,
    clock,
    /** @param progressDir of the host it runs on */
    async open(progressDir = thisHost) {
      const store = await openDeliveryStore({
        databaseUrl: database.url,
        dropIdle: database.dropIdle,
        clock,
        log: silentLog,
        progressDir,
        onNews: () => undefined,
        onStop: () => undefined,
        onHeld: () => undefined,
        remains: null,
      })
      stores.push(store)
      return store
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.end()))
      await database[Symbol.asyncDispose]()
    },
  }
}

async function lease(store: DeliveryStore): Promise<Range> {
  const range = await store.leaseRange(anyRange)
  if (!range) throw new Error('there was nothing to lease')
  return range
}

test('two workers never hold the same range', async () => {
  await using scenario = await startScenario({ crowd: 2000 })
  const stores = [await scenario.open(), await scenario.open()]
  const leased = await Promise.all(
    Array.from({ length: 12 }, (_, index) => stores[index % 2]?.leaseRange(anyRange)),
  )
  const starts = leased.flatMap((range) => (range ? [range.from] : []))
  expect(starts.sort((a, b) => a - b)).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750])
})

test('of ten senders who ask at once, one more asks the database than finds something, and a later sender asks again', async () => {
  await using scenario = await startScenario({ crowd: 750 })
  const store = await scenario.open()
  const queries = vi.spyOn(DatabaseClient.prototype, 'query')
  const count = (name: string) =>
    queries.mock.calls.filter(([config]) => (config as { name?: string }).name === name).length
  const ten = Array.from({ length: 10 })
  const ranges = await Promise.all(ten.map(() => store.leaseRange(anyRange)))
  expect(ranges.filter((range) => range !== null)).toHaveLength(3)
  expect(count('lease-range')).toBe(4)
  await Promise.all(ten.map(() => store.leaseRetries(20)))
  expect(count('lease-retries')).toBe(1)
  const [first] = ranges
  if (first) await store.releaseRange(first)
  expect(await store.leaseRange(anyRange)).toEqual(first)
  // The reserved loop may find nothing where the others do.
  if (first) await store.releaseRange(first)
  const both = [store.leaseRange({ idleEventsOnly: true }), store.leaseRange(anyRange)]
  expect(await Promise.all(both)).toEqual([null, first])
  queries.mockRestore()
})

test('a dead worker’s range is free at once, and goes on where its progress ends', async () => {
  await using scenario = await startScenario({ crowd: 250 })
  const first = await scenario.open()
  const second = await scenario.open()
  const range = await lease(first)
  await first.advance({ range, reached: 17, sent: 17, done: false, at: scenario.clock.now() })
  expect(await second.leaseRange(anyRange)).toBeNull()
  await first.end()
  expect(await second.leaseRange(anyRange)).toEqual({ ...range, progress: 17, sent: 17, previousOwner: 1 })
})

test('a worker that hangs loses its range after ten seconds, and cannot write into it when it wakes', async () => {
  await using scenario = await startScenario({ crowd: 250 })
  const hanging = await scenario.open()
  const other = await scenario.open()
  const range = await lease(hanging)
  scenario.clock.advance(10_000)
  expect(await other.leaseRange(anyRange)).toBeNull()
  scenario.clock.advance(1)
  const taken = await lease(other)
  expect(taken).toEqual({ ...range, previousOwner: 1 })
  const at = scenario.clock.now()
  const exception = { state: 'refused', tries: 1, refusals: 1, retryAt: null, replyCode: 550 } as const
  expect(await hanging.advance({ range, reached: 5, sent: 5, done: false, at })).toBe(false)
  expect(await hanging.except({ range, reached: 5, sent: 0, done: false, at }, 5, exception)).toBe(false)
  await hanging.releaseRange(range)
  expect(await other.advance({ range: taken, reached: 3, sent: 3, done: false, at })).toBe(true)
  await other.releaseRange(taken)
  const { rows } = await scenario.database.pool.query(
    'select progress_mail_no, sent_count, (select count(*)::int from delivery_exceptions) as exceptions from delivery_ranges',
  )
  expect(rows).toEqual([{ progress_mail_no: 3, sent_count: 3, exceptions: 0 }])
})

test('a worker that is at it keeps its range, however slow its mail server', async () => {
  await using scenario = await startScenario({ crowd: 250 })
  const slow = await scenario.open()
  const other = await scenario.open()
  await lease(slow)
  for (let seconds = 0; seconds < 60; seconds += 5) {
    scenario.clock.advance(5000)
    await slow.renewLeases()
  }
  expect(await other.leaseRange(anyRange)).toBeNull()
})

test('a worker that is at it keeps the mails it tries again, however slow its mail server', async () => {
  await using scenario = await startScenario({ crowd: 250 })
  const slow = await scenario.open()
  const other = await scenario.open()
  const range = await lease(slow)
  const at = scenario.clock.now()
  const exception = { state: 'retry', tries: 1, refusals: 0, retryAt: at, replyCode: 451 } as const
  await slow.except({ range, reached: 1, sent: 0, done: false, at }, 1, exception)
  const [retry] = await slow.leaseRetries(5)
  for (let seconds = 0; seconds < 60; seconds += 5) {
    scenario.clock.advance(5000)
    await slow.renewLeases()
  }
  expect(await other.leaseRetries(5)).toEqual([])
  scenario.clock.advance(10_001)
  expect(await other.leaseRetries(5)).toEqual([retry])
})

test('ranges are handed out round-robin over events; the reserved connection leaves served events alone', async () => {
  await using scenario = await startScenario({ large: 1500, small: 500 })
  const store = await scenario.open()
  const served: string[] = []
  for (let turn = 0; turn < 4; turn += 1) served.push((await lease(store)).traderId)
  const [large, small] = served
  expect(large).not.toBe(small)
  expect(served).toEqual([large, small, large, small])
  expect(await store.leaseRange({ idleEventsOnly: true })).toBeNull()
  expect(await store.leaseRange(anyRange)).toMatchObject({ traderId: large })
})

/** A database in which the record is to log every event before its mails go, and logs none by itself. */
async function startUnlogged() {
  const scenario = await startScenario({})
  const { clock, database } = scenario
  await registerRecord({ ...database, clock })
  const traders = new Map<string, Crowd>()
  return {
    ...scenario,
    /** Publishes, and plans the mail of the one follower. */
    async publish(name: string, symbol = 'AAPL') {
      const trader = traders.get(name) ?? (await makeCrowdTrader(database.pool, name, clock.now()))
      if (!traders.has(name)) await addFollowers(database.pool, trader, 1, clock.now())
      traders.set(name, trader)
      await publish(database.db, trader, { symbol }, clock.now())
      const { rows } = await database.pool.query<EventKey>(
        `select trader_id as "traderId", max(event_no) as "eventNo" from position_events where trader_id = $1 group by 1`,
        [trader.traderId],
      )
      for (const event of rows) await planDeliveries(database.db, event, clock.now())
    },
    logAll: () => database.pool.query("delete from event_work where reader = 'record'"),
    /** The trader whose mail is leased; null when there is none to lease. */
    async leaseFrom(store: DeliveryStore) {
      const range = await store.leaseRange(anyRange)
      const name = [...traders].find(([, { traderId }]) => traderId === range?.traderId)?.[0] ?? null
      return { name, awaitsReceipts: store.awaitsReceipts() }
    },
  }
}

const NOTHING = { name: null, awaitsReceipts: false }
const WAITING = { name: null, awaitsReceipts: true }
const leased = (name: string) => ({ name, awaitsReceipts: false })

test('mails wait for the record two seconds at most, not at all once events of three traders were missed, and again when it is back', async () => {
  await using scenario = await startUnlogged()
  const { clock } = scenario
  const store = await scenario.open()
  await scenario.publish('maria')
  expect(await scenario.leaseFrom(store)).toEqual(WAITING)
  await scenario.logAll()
  expect(await scenario.leaseFrom(store)).toEqual(leased('maria'))
  expect(await scenario.leaseFrom(store)).toEqual(NOTHING)

  for (const trader of ['jose', 'anna', 'kofi']) {
    await scenario.publish(trader)
    clock.advance(1999)
    expect(await scenario.leaseFrom(store)).toEqual(WAITING)
    clock.advance(1)
    expect(await scenario.leaseFrom(store)).toEqual(leased(trader))
  }
  await scenario.publish('lena')
  expect(await scenario.leaseFrom(store)).toEqual(leased('lena'))

  await scenario.logAll()
  await scenario.publish('omar')
  expect(await scenario.leaseFrom(store)).toEqual(WAITING)
})

test('events of one trader that the record cannot log let nobody else’s mails go without it, and one that was given up holds up none', async () => {
  await using scenario = await startUnlogged()
  const { clock, database } = scenario
  const store = await scenario.open()
  const symbols = ['AAPL', 'MSFT', 'NVDA', 'ORCL']
  for (const symbol of symbols) await scenario.publish('maria', symbol)
  clock.advance(2000)
  for (const _ of symbols) expect(await scenario.leaseFrom(store)).toEqual(leased('maria'))
  await scenario.publish('jose')
  expect(await scenario.leaseFrom(store)).toEqual(WAITING)
  await database.pool.query('update event_work set parked_at = created_at')
  expect(await scenario.leaseFrom(store)).toEqual(leased('jose'))
})

test('mails that wait for the record hold up none of an event that is logged', async () => {
  await using scenario = await startUnlogged()
  const store = await scenario.open()
  await scenario.publish('maria')
  await scenario.logAll()
  for (const trader of ['jose', 'anna', 'kofi', 'lena', 'omar']) await scenario.publish(trader)
  expect(await scenario.leaseFrom(store)).toEqual({ name: 'maria', awaitsReceipts: true })
  expect(await scenario.leaseFrom(store)).toEqual(WAITING)
})

test('progress of many connections is written together, each answered for itself', async () => {
  await using scenario = await startScenario({ crowd: 1000 })
  const store = await scenario.open()
  const other = await scenario.open()
  const mine = [await lease(store), await lease(store), await lease(store)]
  const theirs = await lease(other)
  const at = scenario.clock.now()
  const step = (range: Range, done: boolean) => ({ range, reached: range.to, sent: 250, done, at })
  const written = await Promise.all([
    store.advance(step(mine[0] as Range, true)),
    store.advance(step(theirs, true)),
    store.advance(step(mine[1] as Range, false)),
  ])
  expect(written).toEqual([true, false, true])
  const { rows } = await scenario.database.pool.query(
    'select done_at is not null as done, lease_owner is not null as leased, sent_count from delivery_ranges order by from_mail_no',
  )
  expect(rows).toEqual([
    { done: true, leased: false, sent_count: 250 },
    { done: false, leased: true, sent_count: 250 },
    { done: false, leased: true, sent_count: 0 },
    { done: false, leased: true, sent_count: 0 },
  ])
})

test('progress is written by the index of its ranges, in one statement with one row of answers', async () => {
  using queries = vi.spyOn(DatabaseClient.prototype, 'query')
  await using scenario = await startScenario({ maria: 1000 })
  const store = await scenario.open()
  const ranges = [await lease(store), await lease(store), await lease(store)]
  await scenario.database.pool.query('analyze delivery_ranges')
  queries.mockClear()
  const at = scenario.clock.now()
  await Promise.all(
    ranges.map((range) => store.advance({ range, reached: range.to, sent: 250, done: true, at })),
  )
  expect(queries).toHaveBeenCalledTimes(1)
  const client = queries.mock.contexts[0] as DatabaseClient | undefined
  const answer = (await queries.mock.results[0]?.value) as { rows: unknown[] } | undefined
  expect(answer?.rows).toEqual([{ places: expect.stringMatching(/^[123] [123] [123]$/) }])
  const plan = await client?.query(
    "explain execute \"write-progress\"(1, '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
  )
  expect(JSON.stringify(plan?.rows)).toContain('Index Scan')
})
