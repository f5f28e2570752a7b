import type pg from 'pg'
import { expect, test } from 'vitest'
import { TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { addDevices } from '../../../test/pushes/push-crowd.ts'
import { startPushService } from '../../../test/pushes/push-service.ts'
import { WORKER_LOCK_CLASS } from '../../platform/database/living-workers.ts'
import { leaseDeliveries } from './leases.queries.ts'
import { pushReader } from './plan-pushes.ts'

const MINUTE_MS = 60_000

/** Two workers that live, and a trader with followers whose devices are new, at one push service. */
async function open({ followers } = { followers: 4 }) {
  const database = await openTestDatabase()
  const service = await startPushService()
  const trader = await makeCrowdTrader(database.pool, 'maria', TEST_NOW)
  await addFollowers(database.pool, trader, followers, TEST_NOW)
  await addDevices(database, trader, service, TEST_NOW)
  const clients: pg.PoolClient[] = []
  for (const number of [1, 2]) {
    const client = await database.pool.connect()
    await client.query('select pg_advisory_lock($1, $2)', [WORKER_LOCK_CLASS, number])
    clients.push(client)
  }
  return {
    database,
    /** Messages of an event to every device, due from an instant on. */
    async plan(eventNo: number, dueAt: Date) {
      const { positionId } = await publish(database.db, trader, { symbol: `S${eventNo}` }, TEST_NOW)
      const event = { traderId: trader.traderId, eventNo, positionId, kind: 'opened' as const }
      await pushReader(database.db).handle({ ...event, createdAt: TEST_NOW, requestId: null }, dueAt)
    },
    /** @param number of a worker, 1 or 2 */
    worker: (number: 1 | 2) => {
      const client = clients[number - 1]
      if (!client) throw new Error('there are two workers')
      const terms = { number, now: TEST_NOW, staleBefore: new Date(TEST_NOW.getTime() - MINUTE_MS) }
      return { client, lease: () => leaseDeliveries(client, terms, 32) }
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.release(true)
      await service.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('messages that another worker is leasing at this moment count, also of messages that have come since it began', async () => {
  await using scene = await open()
  const [first, second] = [scene.worker(1), scene.worker(2)]
  await scene.plan(1, TEST_NOW)
  await first.client.query('begin')
  expect(await first.lease()).toHaveLength(2)
  // Due for longer than what the first is taking: only that keeps them from the second.
  await scene.plan(2, new Date(TEST_NOW.getTime() - MINUTE_MS))
  let isOver = false
  const leasing = second.lease().finally(() => {
    isOver = true
  })
  await expect.poll(async () => isOver || (await countWaiting(scene.database)) > 0).toBe(true)
  await first.client.query('commit')
  expect(await leasing).toEqual([])
})

test('of what is leased by a worker that is dead nothing counts, and others take it', async () => {
  await using scene = await open()
  const [first, second] = [scene.worker(1), scene.worker(2)]
  await scene.plan(1, TEST_NOW)
  expect(await first.lease()).toHaveLength(2)
  expect(await second.lease()).toEqual([])
  await first.client.query('select pg_advisory_unlock_all()')
  expect(await second.lease()).toHaveLength(2)
})

test('a lease reads as many messages as it takes, however many of its trader wait', async () => {
  await using scene = await open({ followers: 400 })
  const { client, lease } = scene.worker(1)
  // Its plan is made while nothing waits.
  expect(await lease()).toEqual([])
  await scene.plan(1, TEST_NOW)
  await scene.database.pool.query('update push_devices set standing = 0')
  await client.query('begin')
  expect(await lease()).toHaveLength(32)
  const { rows } = await client.query<{ read: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'push_deliveries'",
  )
  await client.query('commit')
  expect(rows[0]?.read).toBeLessThan(3 * 32)
})
