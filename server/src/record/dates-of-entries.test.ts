import { LEAF_FLAGS } from '@tradepost/record/leaf'
import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { checkLog, makeTestRecord, registerRecord } from '../../test/record.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { insertBackfills, insertReader } from '../events/readers.queries.ts'
import { withTransaction } from '../platform/database/queryable.ts'
import { RECORD_READER } from './record-log.ts'
import { rotateLogKey } from './tend-record.ts'

const MINUTE_MS = 60_000
const after = (ms: number) => new Date(TEST_NOW.getTime() + ms)

async function startTraders() {
  const testApp = await buildTestApp()
  const { clock, db, pool } = testApp
  const traders = {
    maria: await makeCrowdTrader(pool, 'maria', TEST_NOW),
    tom: await makeCrowdTrader(pool, 'tom', TEST_NOW),
  }
  const names = new Map(Object.entries(traders).map(([name, { traderId }]) => [traderId, name]))
  const record = makeTestRecord(testApp)
  return {
    testApp,
    record,
    /** At an instant of the clock of the process that publishes. */
    publish: (name: 'maria' | 'tom', symbol: string, at: Date) => publish(db, traders[name], { symbol }, at),
    log: () => record.ensure(),
    /** Trader, ticker, ms since the start, flags. */
    async entries() {
      const entries = await checkLog(testApp)
      return entries.map(({ at, flags, text, trader }) => [
        names.get(trader ?? '') ?? text?.[0],
        text?.[1],
        at - TEST_NOW.getTime(),
        flags,
      ])
    },
    clock,
    [Symbol.asyncDispose]: () => testApp.close(),
  }
}

const { imported } = LEAF_FLAGS

test('events of before the log are imported in the order of their instants, whoever’s they are, and nobody is afterwards', async () => {
  await using scenario = await startTraders()
  const { clock, log, testApp } = scenario
  await scenario.publish('maria', 'AAPL', after(-9 * MINUTE_MS))
  await scenario.publish('tom', 'MSFT', after(-30 * MINUTE_MS))
  await scenario.publish('maria', 'NVDA', after(-8 * MINUTE_MS))
  // A trader's numbers are right where clocks are not.
  await scenario.publish('tom', 'ORCL', after(-40 * MINUTE_MS))
  await registerRecord(testApp)
  clock.advance(1000)
  await scenario.publish('tom', 'INTC', clock.now())
  await log()
  const before = [
    ['tom', 'MSFT', -30 * MINUTE_MS, imported],
    ['tom', 'ORCL', -40 * MINUTE_MS, imported],
    ['maria', 'AAPL', -9 * MINUTE_MS, imported],
    ['maria', 'NVDA', -8 * MINUTE_MS, imported],
    ['tom', 'INTC', 1000, 0],
  ]
  expect(await scenario.entries()).toEqual(before)

  // A clock that is behind dates an event before the log began.
  await scenario.publish('maria', 'LATE', after(-5 * MINUTE_MS))
  await log()
  expect(await scenario.entries()).toEqual([...before, ['maria', 'LATE', 1000 - MINUTE_MS, 0]])
})

test('new events wait until all earlier ones have been handed to the log', async () => {
  await using scenario = await startTraders()
  const { clock, log, record, testApp } = scenario
  const { db, settings } = testApp
  await scenario.publish('maria', 'AAPL', after(-MINUTE_MS))
  // A worker that ends right after it has registered the reader.
  await withTransaction(db, async (tx) => {
    await insertReader(tx, RECORD_READER, clock.now())
    await insertBackfills(tx, RECORD_READER)
  })
  await scenario.publish('tom', 'MSFT', clock.now())
  await log()
  expect((await testApp.pool.query('select from record_entries')).rowCount).toBe(0)
  // An entry of the log itself ends no import: it is flagged as what stands before the others.
  await rotateLogKey({ db, record, secret: makeSecretKey(settings.authSecret) }, clock.now())
  await registerRecord(testApp)
  await log()
  expect(await scenario.entries()).toEqual([
    ['key', expect.any(String), 0, imported],
    ['maria', 'AAPL', -MINUTE_MS, imported],
    ['tom', 'MSFT', 0, 0],
  ])
})

test('whatever the clock of a process says, an entry is dated at most a minute behind the newest, and never after now', async () => {
  await using scenario = await startTraders()
  const { clock, log, testApp } = scenario
  await registerRecord(testApp)
  await scenario.publish('maria', 'AHED', after(3 * MINUTE_MS))
  await log()
  clock.advance(10 * MINUTE_MS)
  await scenario.publish('tom', 'GOOD', clock.now())
  await scenario.publish('maria', 'LATE', after(5 * MINUTE_MS))
  await scenario.publish('tom', 'NEAR', after(10 * MINUTE_MS - 59_999))
  await log()
  expect((await scenario.entries()).toSorted()).toEqual([
    ['maria', 'AHED', 0, 0],
    ['maria', 'LATE', 5 * MINUTE_MS, 0],
    ['tom', 'GOOD', 10 * MINUTE_MS, 0],
    ['tom', 'NEAR', 10 * MINUTE_MS - 59_999, 0],
  ])
  await scenario.publish('maria', 'PAST', after(0))
  // The clock of the process that logs has been set back.
  clock.set(after(9 * MINUTE_MS + 30_000))
  await scenario.publish('tom', 'BACK', clock.now())
  await scenario.publish('tom', 'LEAP', after(60 * MINUTE_MS))
  await log()
  expect((await scenario.entries()).slice(4)).toEqual([
    ['maria', 'PAST', 9 * MINUTE_MS, 0],
    ['tom', 'BACK', 9 * MINUTE_MS + 30_000, 0],
    ['tom', 'LEAP', 9 * MINUTE_MS + 30_000, 0],
  ])
})
