import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase } from '../../test/database.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { DatabaseClient } from '../platform/database-client.ts'
import { newId } from '../platform/ids.ts'
import { withPublishing } from './publish-event.ts'

async function startScenario() {
  const database = await openTestDatabase()
  const listener = new DatabaseClient({ connectionString: database.url })
  await listener.connect()
  await listener.query('listen events')
  let heard = 0
  listener.on('notification', () => {
    heard += 1
  })
  return {
    database,
    /** A notification arrives before the answer to what is asked after it. */
    async heard(): Promise<number> {
      await listener.query('select 1')
      return heard
    },
    async [Symbol.asyncDispose]() {
      await listener.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('whoever publishes has notified the readers when it is done', async () => {
  await using scenario = await startScenario()
  const { database } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', TEST_NOW)
  await publish(database.db, maria, { symbol: 'AAPL' }, TEST_NOW)
  expect(await scenario.heard()).toBe(1)
  await publish(database.db, maria, { symbol: 'MSFT' }, TEST_NOW)
  expect(await scenario.heard()).toBe(2)
})

test('on one PostgreSQL a position and its event wait for the disk', async () => {
  await using database = await openTestDatabase()
  const { rows } = await withPublishing(database.db, newId(), (tx) =>
    sql<{ waits: string }>`select current_setting('synchronous_commit') as waits`.execute(tx),
  )
  expect(rows).toEqual([{ waits: 'on' }])
})

test('what is not committed notifies nobody', async () => {
  await using scenario = await startScenario()
  const refused = withPublishing(scenario.database.db, newId(), async () => {
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  expect(await scenario.heard()).toBe(0)
})

test('of many who publish at once each has notified the readers, with fewer notifications than events', async () => {
  await using scenario = await startScenario()
  const { database } = scenario
  const names = Array.from({ length: 40 }, (_, nth) => `trader${nth}`)
  const traders = await Promise.all(names.map((name) => makeCrowdTrader(database.pool, name, TEST_NOW)))
  let unheard = 0
  await Promise.all(
    traders.map(async (trader) => {
      const before = await scenario.heard()
      await publish(database.db, trader, { symbol: 'AAPL' }, TEST_NOW)
      if ((await scenario.heard()) === before) unheard += 1
    }),
  )
  expect(unheard).toBe(0)
  expect(await scenario.heard()).toBeLessThan(40)
})
