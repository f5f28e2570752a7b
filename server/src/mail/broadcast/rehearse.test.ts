import { expect, test, vi } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { DatabaseClient } from '../../platform/database/database-client.ts'

/** These statements run every second or two, in any case. */
const SWEEP = /^(look-|renew-ranges$|renew-retries$)/

test('a worker that starts and stops writes nothing of mails', async () => {
  await using scenario = await startDeliveryScenario()
  const worker = await scenario.startWorker()
  await worker.stop()
  expect(scenario.sink.connections()).toBe(0)
  const { rows } = await scenario.database.pool.query(
    'select from delivery_ranges union all select from mail_plans',
  )
  expect(rows).toEqual([])
})

test('the first event of a worker sends no statement about its mails that the worker has not prepared', async () => {
  using queries = vi.spyOn(DatabaseClient.prototype, 'query')
  await using scenario = await startDeliveryScenario()
  const { clock, database, sink } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 10, clock.now())
  const about = () =>
    queries.mock.calls.flatMap(([config]) => {
      const { name, text } = config as { name?: string; text?: string }
      if (!name || !text || SWEEP.test(name)) return []
      return /delivery_ranges|mail_plans|unsubscribe_token/.test(text) ? [text] : []
    })
  await scenario.startWorker()
  // The senders look for work once.
  await expect.poll(() => about().some((text) => text.includes('set lease_owner = $1'))).toBe(true)
  const prepared = new Set(about())
  queries.mockClear()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 10)
  await scenario.untilNothingIsLeft()
  const first = about()
  expect(first.length).toBeGreaterThan(5)
  expect(first.filter((text) => !prepared.has(text))).toEqual([])
})
