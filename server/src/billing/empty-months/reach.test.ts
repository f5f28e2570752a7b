import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { findReach, listSpoken } from './reach.queries.ts'

const HOUR_MS = 3_600_000

test('an event reaches whom a mail server took it for or who wants no mails, and nobody for whom it was given up', async () => {
  await using scenario = await startDeliveryScenario()
  const { clock, database, sink } = scenario
  const { db, pool } = database
  const trader = await makeCrowdTrader(pool, 'maria', clock.now())
  const followers = await addFollowers(pool, trader, 3, clock.now())
  const { rows } = await pool.query<{ id: string }>('select id from subscriptions order by mail_no')
  await pool.query('update subscriptions set mail_muted_at = started_at where id = $1', [rows[1]?.id])
  const began = clock.now()
  await publish(db, trader, { symbol: 'AAPL' }, clock.now())
  const reach = async () => {
    const month = { start: began, end: new Date(began.getTime() + HOUR_MS) }
    const spoken = await listSpoken(db, trader.traderId, month)
    const found = []
    for (const { id } of rows) found.push(await findReach(db, { ...trader, subscriptionId: id }, spoken))
    return found.map(({ onItsWay, reached }) => (reached ? 'reached' : onItsWay ? 'on its way' : 'lost'))
  }
  expect(await reach()).toEqual(['on its way', 'on its way', 'on its way'])

  const away = followers[2] ?? assert.fail()
  sink.script = { recipient: (address) => (address === away ? '451 4.3.0 try again later' : null) }
  await scenario.startWorker()
  await expect.poll(reach).toEqual(['reached', 'reached', 'on its way'])
  await scenario.advanceUntil(HOUR_MS, async () => (await scenario.countExceptions("state = 'failed'")) === 1)
  expect(await reach()).toEqual(['reached', 'reached', 'lost'])
})
