import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase } from '../../test/database/database.ts'
import { listenTo } from '../../test/database/listen-to.ts'
import { addFollowers, makeCrowdTrader, publish } from '../../test/followers.ts'
import { newId } from '../platform/ids.ts'
import { withPublishing } from './publish-event.ts'
import { registerReader } from './run-readers.ts'

/** @param channel `events` for open pages, `event_work` for readers */
async function startScenario(channel: 'events' | 'event_work') {
  const database = await openTestDatabase()
  const listener = await listenTo(database.url, channel)
  return {
    database,
    received: async () => (await listener.heard()).length,
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('publishing has notified open pages when it is done', async () => {
  await using scenario = await startScenario('events')
  const { database } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', TEST_NOW)
  await publish(database.db, maria, { symbol: 'AAPL' }, TEST_NOW)
  expect(await scenario.received()).toBe(1)
  await publish(database.db, maria, { symbol: 'MSFT' }, TEST_NOW)
  expect(await scenario.received()).toBe(2)
})

test('on one PostgreSQL a position and its event wait for the disk', async () => {
  await using database = await openTestDatabase()
  const { rows } = await withPublishing(database.db, newId(), (tx) =>
    sql<{ waits: string }>`select current_setting('synchronous_commit') as waits`.execute(tx),
  )
  expect(rows).toEqual([{ waits: 'on' }])
})

test('readers that act for followers alone have work, and are notified, only where there is a follower', async () => {
  await using scenario = await startScenario('event_work')
  const { database } = scenario
  const workOf = async ({ traderId }: { traderId: string }) =>
    (await database.pool.query('select reader, event_no from event_work where trader_id = $1', [traderId]))
      .rows
  await registerReader(database.db, { name: 'mail', from: 'now', followersOnly: true }, TEST_NOW)
  const [alone, followed] = [
    await makeCrowdTrader(database.pool, 'alone', TEST_NOW),
    await makeCrowdTrader(database.pool, 'followed', TEST_NOW),
  ]
  await addFollowers(database.pool, followed, 1, TEST_NOW)
  await publish(database.db, alone, { symbol: 'AAPL' }, TEST_NOW)
  expect(await workOf(alone)).toEqual([])
  expect(await scenario.received()).toBe(0)
  await publish(database.db, followed, { symbol: 'AAPL' }, TEST_NOW)
  expect(await workOf(followed)).toEqual([{ reader: 'mail', event_no: 1 }])
  expect(await scenario.received()).toBe(1)
  await publish(database.db, alone, { symbol: 'NVDA' }, TEST_NOW)
  expect(await scenario.received()).toBe(1)

  await registerReader(database.db, { name: 'diary', from: 'now' }, TEST_NOW)
  await publish(database.db, alone, { symbol: 'MSFT' }, TEST_NOW)
  expect(await workOf(alone)).toEqual([{ reader: 'diary', event_no: 3 }])
  expect(await scenario.received()).toBe(2)
})

test('a reader is given all events until a worker registers it as one that acts for followers alone', async () => {
  await using database = await openTestDatabase()
  const alone = await makeCrowdTrader(database.pool, 'alone', TEST_NOW)
  const count = async () => (await database.pool.query('select from event_work')).rowCount
  await publish(database.db, alone, { symbol: 'AAPL' }, TEST_NOW)
  expect(await count()).toBe(1)
  await registerReader(database.db, { name: 'mail', from: 'now', followersOnly: true }, TEST_NOW)
  await publish(database.db, alone, { symbol: 'MSFT' }, TEST_NOW)
  expect(await count()).toBe(1)
})

test('an uncommitted event notifies nobody', async () => {
  await using scenario = await startScenario('events')
  const refused = withPublishing(scenario.database.db, newId(), async () => {
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  expect(await scenario.received()).toBe(0)
})

test('of many who publish at once each has notified open pages, with fewer notifications than events', async () => {
  await using scenario = await startScenario('events')
  const { database } = scenario
  const names = Array.from({ length: 40 }, (_, nth) => `trader${nth}`)
  const traders = await Promise.all(names.map((name) => makeCrowdTrader(database.pool, name, TEST_NOW)))
  let unnotified = 0
  await Promise.all(
    traders.map(async (trader) => {
      const before = await scenario.received()
      await publish(database.db, trader, { symbol: 'AAPL' }, TEST_NOW)
      if ((await scenario.received()) === before) unnotified += 1
    }),
  )
  expect(unnotified).toBe(0)
  expect(await scenario.received()).toBeLessThan(40)
})
