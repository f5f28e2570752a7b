import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { makeTrader, open } from '../../test/factories.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { checkLog, makeTestRecord, registerRecord } from '../../test/record.ts'
import { runOperator } from '../../test/run-operator.ts'
import { runReaders } from '../../test/run-readers.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { strikePosition } from '../positions/correct/strike-position.ts'

test('an event whose facts are broken holds up its own trader alone, and is logged in its place once it is mended', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const { clock, db, pool } = testApp
  const secret = makeSecretKey(testApp.settings.authSecret)
  const record = makeTestRecord(testApp)
  await registerRecord(testApp)
  const maria = await makeTrader(testApp, 'maria')
  const mariaToo = { traderId: maria.userId, username: 'maria' }
  const tom = await makeCrowdTrader(pool, 'tom', TEST_NOW)
  const { body } = await open(testApp, quotes, maria, 'AAPL', 100)
  expect(body).toMatchObject({ position: { stock: 'AAPL' } })
  const { rows } = await pool.query('select id from positions')
  await strikePosition(
    { db, secret },
    { id: rows[0].id, reason: 'Nobody traded at that price.' },
    clock.now(),
  )
  await pool.query('update position_adjustments set event_no = 1')
  await publish(db, mariaToo, { symbol: 'MSFT' }, clock.now())
  await publish(db, tom, { symbol: 'NVDA' }, clock.now())
  const logged = async () =>
    (await checkLog(testApp)).map(
      ({ seq, text, trader }) =>
        `${trader === tom.traderId ? 'tom' : 'maria'} ${seq} ${text?.[1]} ${text?.[0]}`,
    )
  const waiting = async () =>
    (
      await pool.query(
        "select event_no::int as no, parked_at is not null as parked, last_fault as fault from event_work where reader = 'record' order by event_no",
      )
    ).rows
  const readers = runReaders(testApp, clock, [record.reader])
  const first = ['maria 1 AAPL opened', 'tom 1 NVDA opened']
  await expect
    .poll(waiting)
    .toMatchObject([
      { no: 2, fault: expect.stringContaining('an adjusted event without what was adjusted') },
      { no: 3 },
    ])
  expect((await logged()).toSorted()).toEqual(first)

  // The last try before the event is given up.
  await pool.query("update event_work set tries = 19 where reader = 'record' and event_no = 2")
  clock.advance(60_000)
  readers.wake()
  await expect.poll(waiting).toMatchObject([
    { no: 2, parked: true },
    { no: 3, fault: expect.stringContaining('the event is not logged yet') },
  ])
  await publish(db, tom, { symbol: 'ORCL' }, clock.now())
  await expect.poll(logged).toHaveLength(3)

  await pool.query('update position_adjustments set event_no = 2')
  expect(await runOperator(testApp, 'events', 'retry', 'record')).toBe('Trying 1 events again.\n')
  clock.advance(600_000)
  readers.wake()
  await expect.poll(waiting).toEqual([])
  await readers.stop()
  expect((await logged()).slice(3)).toEqual(['maria 2 AAPL adjusted', 'maria 3 MSFT opened'])
})

test('events of one trader that cannot be logged fill no batch, however many they are', async () => {
  await using testApp = await buildTestApp()
  const { clock, db, pool } = testApp
  const record = makeTestRecord(testApp)
  await registerRecord(testApp)
  const [maria, tom] = [
    await makeCrowdTrader(pool, 'maria', TEST_NOW),
    await makeCrowdTrader(pool, 'tom', TEST_NOW),
  ]
  const { positionId } = await publish(db, maria, { symbol: 'AAPL' }, clock.now())
  // More changes than a batch has events, of which nothing is known.
  await pool.query(
    `insert into position_events (trader_id, event_no, position_id, kind, created_at)
     select $1, no, $2, 'adjusted', $3 from generate_series(2, 2100) no`,
    [maria.traderId, positionId, TEST_NOW],
  )
  await pool.query(
    "insert into event_work (trader_id, reader, event_no, created_at) select trader_id, 'record', event_no, created_at from position_events where event_no > 1",
  )
  clock.advance(1000)
  await publish(db, tom, { symbol: 'NVDA' }, clock.now())
  await record.ensure()
  expect((await checkLog(testApp)).map(({ text }) => text?.[1])).toEqual(['AAPL', 'NVDA'])
  expect(await record.faultOf({ traderId: maria.traderId, eventNo: 2 })).toContain(
    'an adjusted event without what was adjusted',
  )
  expect(await record.faultOf({ traderId: maria.traderId, eventNo: 3 })).toContain(
    'an earlier event of the trader is not logged',
  )
  expect(await record.faultOf({ traderId: tom.traderId, eventNo: 1 })).toBeNull()
})
