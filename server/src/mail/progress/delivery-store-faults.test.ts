import { join } from 'node:path'
import { test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { testDataDir } from '../../../test/database/data-dir.ts'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { endWorkerSessions } from '../../../test/database/end-worker-sessions.ts'
import { addFollowers, makeCrowdTrader, planAll, publish } from '../../../test/followers.ts'
import { startTcpProxy } from '../../../test/processes/tcp-proxy.ts'
import { type DeliveryStore, openDeliveryStore } from './delivery-store.ts'
import type { Range } from './range.ts'
import type { Remains } from './results.ts'

const anyRange = { idleEventsOnly: false }
const thisHost = join(testDataDir, 'delivery')

/** An event of two ranges, and a proxy through which stores are opened. */
async function startScenario() {
  const database = await openTestDatabase()
  const proxy = await startTcpProxy(database.url)
  const clock = makeTestClock(TEST_NOW)
  const crowd = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, crowd, 500, clock.now())
  await publish(database.db, crowd, { symbol: 'AAPL' }, clock.now())
  await planAll(database.db, clock.now())
  const stores: DeliveryStore[] = []
  return {
    database,
    proxy,
    clock,
    /** @param progressDir of the host it runs on */
    async open(remains: Remains | null = null, progressDir = thisHost, onHeld = () => {}) {
      const deps = {
        databaseUrl: proxy.url,
        dropIdle: database.dropIdle,
        clock,
        log: silentLog,
        progressDir,
        onNews: () => undefined,
        onStop: () => undefined,
        onHeld,
        remains,
      }
      const store = await openDeliveryStore(deps)
      stores.push(store)
      return store
    },
    async ranges() {
      const { rows } = await database.pool.query(
        `select lease_owner as owner, leased_at as leased, progress_mail_no as progress, sent_count as sent
         from delivery_ranges order by from_mail_no`,
      )
      return rows
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.end()))
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function lease(store: DeliveryStore): Promise<Range> {
  const range = await store.leaseRange(anyRange)
  if (!range) throw new Error('there was nothing to lease')
  return range
}

const sent = (range: Range, mails: number, at: Date) => ({
  range,
  reached: range.from + mails,
  sent: mails,
  done: false,
  at,
})

test.concurrent('a lease whose answer was lost ends the session; the next one has the range at once', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const first = await scenario.open()
  const leased = scenario.proxy.loseAnswerTo('lease-range')
  const attempt = first.leaseRange(anyRange)
  const behind = first.leaseRetries(1)
  behind.catch(() => undefined)
  await leased
  await expect(attempt).rejects.toThrow('timeout')
  await expect(first.lost).rejects.toThrow('timeout')
  const began = performance.now()
  await expect(behind).rejects.toThrow('timeout')
  expect(performance.now() - began).toBeLessThan(3500)
  expect((await scenario.ranges()).map(({ owner }) => owner)).toEqual([1, null])

  const second = await scenario.open(first.remains())
  expect([(await lease(second)).from, (await lease(second)).from]).toEqual([0, 250])
  expect((await scenario.ranges()).map(({ owner }) => owner)).toEqual([2, 2])
})

test.concurrent('a sent mail is recorded by the next session, whether or not the server was informed before', async ({
  expect,
}) => {
  for (const reached of [true, false]) {
    await using scenario = await startScenario()
    const first = await scenario.open()
    const range = await lease(first)
    if (reached) scenario.proxy.loseAnswerTo('write-progress')
    else scenario.proxy.freeze()
    expect(await first.advance(sent(range, 1, scenario.clock.now()))).toBe(true)
    await expect(first.lost).rejects.toThrow('timeout')
    expect((await scenario.ranges())[0]).toMatchObject({
      owner: 1,
      progress: reached ? 1 : 0,
      sent: reached ? 1 : 0,
    })
    const second = await scenario.open(first.remains())
    expect((await scenario.ranges())[0]).toMatchObject({ owner: 1, progress: 1, sent: 1 })
    expect(await lease(second)).toEqual({ ...range, progress: 1, sent: 1, previousOwner: 1 })
  }
})

test.concurrent('a result that the database refused is recorded before the range is given back', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const store = await scenario.open()
  const range = await lease(store)
  await scenario.database.pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no space' using errcode = '53100'; end $$`)
  await scenario.database.pool.query(
    'create trigger full_disk before update on delivery_ranges for each row execute function refuse()',
  )
  expect(await store.advance(sent(range, 1, scenario.clock.now()))).toBe(true)
  await expect(store.releaseRange(range)).rejects.toMatchObject({ code: '53100' })
  await expect(store.advance(sent(range, 2, scenario.clock.now()))).rejects.toMatchObject({ code: '53100' })
  await scenario.database.pool.query('drop trigger full_disk on delivery_ranges')
  await store.releaseRange(range)
  expect((await scenario.ranges())[0]).toMatchObject({ owner: null, progress: 2, sent: 2 })
})

test.concurrent('a worker renews what it knows that it holds, and nothing else under its number', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const store = await scenario.open()
  const other = await scenario.open()
  await lease(store)
  await scenario.database.pool.query(
    'update delivery_ranges set lease_owner = 1, leased_at = $1 where lease_owner is null',
    [scenario.clock.now()],
  )
  scenario.clock.advance(10_001)
  await store.renewLeases()
  expect((await scenario.ranges()).map(({ leased }) => leased)).toEqual([scenario.clock.now(), TEST_NOW])
  expect((await lease(other)).from).toBe(250)
})

test.concurrent('a worker that holds nothing is notified of the first thing that it leases, a range or a retry, and of no other', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  // No mock: the runner clears those of all concurrent tests when one of them begins.
  let notified = 0
  const store = await scenario.open(null, thisHost, () => {
    notified += 1
  })
  const at = scenario.clock.now()
  expect(store.holdsNothing()).toBe(true)
  const [first, second] = [await lease(store), await lease(store)]
  expect(notified).toBe(1)
  await store.releaseRange(second)
  const exception = { state: 'retry', tries: 1, refusals: 0, retryAt: at, replyCode: 451 } as const
  await store.except({ range: first, reached: 1, sent: 0, done: true, at }, 1, exception)
  expect(store.holdsNothing()).toBe(true)
  const retries = await store.leaseRetries(5)
  expect(retries).toHaveLength(1)
  expect(notified).toBe(2)
  expect(store.holdsNothing()).toBe(false)
  await store.releaseRetries(retries)
  expect(store.holdsNothing()).toBe(true)
  expect(await store.leaseRetries(0)).toEqual([])
  expect(notified).toBe(2)
})

test.concurrent('a retry that was not given back is given back with the next renewal', async ({ expect }) => {
  await using scenario = await startScenario()
  const store = await scenario.open()
  const range = await lease(store)
  const at = scenario.clock.now()
  const exception = { state: 'retry', tries: 1, refusals: 0, retryAt: at, replyCode: 451 } as const
  await store.except({ range, reached: 1, sent: 0, done: false, at }, 1, exception)
  const retries = await store.leaseRetries(5)
  expect(retries).toHaveLength(1)
  await scenario.database.pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no space' using errcode = '53100'; end $$`)
  await scenario.database.pool.query(
    'create trigger full_disk before update of lease_owner on delivery_exceptions for each row execute function refuse()',
  )
  await expect(store.releaseRetries(retries)).rejects.toMatchObject({ code: '53100' })
  await scenario.database.pool.query('drop trigger full_disk on delivery_exceptions')
  expect(await store.leaseRetries(5)).toEqual([])
  await store.renewLeases()
  expect(await store.leaseRetries(5)).toEqual(retries)
})

test.concurrent('mails that a killed worker had sent and not recorded are found on its host; another host repeats them, and no more', async ({
  expect,
}) => {
  for (const place of ['here', 'elsewhere']) {
    await using scenario = await startScenario()
    const first = await scenario.open()
    const range = await lease(first)
    const at = scenario.clock.now()
    await first.advance(sent(range, 1, at))
    await expect.poll(async () => (await scenario.ranges())[0]).toMatchObject({ progress: 1 })
    // Nothing is written from here on: the database is not reached, and then the process is gone.
    scenario.proxy.freeze()
    for (const mails of [2, 3, 4]) expect(await first.advance(sent(range, mails, at))).toBe(true)
    await endWorkerSessions(scenario.database.pool)
    scenario.proxy.cut()
    const second = await scenario.open(null, place === 'here' ? thisHost : join(thisHost, 'elsewhere'))
    const taken = await lease(second)
    const known = place === 'here' ? 4 : 1
    expect(taken).toMatchObject({ from: 0, progress: known, sent: known })
  }
})

test.concurrent('while the database is silent a range runs 64 mails ahead of it and waits', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const store = await scenario.open()
  const range = await lease(store)
  const at = scenario.clock.now()
  scenario.proxy.freeze()
  for (let mails = 1; mails < 64; mails += 1) expect(await store.advance(sent(range, mails, at))).toBe(true)
  await expect(store.advance(sent(range, 64, at))).rejects.toThrow('timeout')
})

test.concurrent('a mail waits for the database when that has not answered for five seconds', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const store = await scenario.open()
  const range = await lease(store)
  scenario.proxy.freeze()
  scenario.clock.advance(4999)
  expect(await store.advance(sent(range, 1, scenario.clock.now()))).toBe(true)
  scenario.clock.advance(1)
  await expect(store.advance(sent(range, 2, scenario.clock.now()))).rejects.toThrow('timeout')
})
