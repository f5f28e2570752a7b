import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { testDataDir } from '../../../test/database/data-dir.ts'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { addFollowers, makeCrowdTrader, planAll, publish } from '../../../test/followers.ts'
import { DatabaseClient } from '../../platform/database/database-client.ts'
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
