import { fromBase64Url } from '@tradepost/record/bytes'
import { checkReceipt } from '@tradepost/record/receipt'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { makeTestRecord, policyOf } from '../../test/record.ts'
import { runReaders } from '../../test/run-readers.ts'
import { receiptOf } from './receipts.ts'

test('everything that is published is in a signed tree, and its receipt is accepted without a network', async () => {
  await using testApp = await buildTestApp()
  const record = makeTestRecord(testApp)
  const [maria, tom] = [
    await makeCrowdTrader(testApp.pool, 'maria', testApp.clock.now()),
    await makeCrowdTrader(testApp.pool, 'tom', testApp.clock.now()),
  ]
  const readers = runReaders(testApp, testApp.clock, [record.reader])
  await publish(testApp.db, maria, { symbol: 'AAPL' }, testApp.clock.now())
  await publish(testApp.db, tom, { symbol: 'MSFT' }, testApp.clock.now())
  await publish(testApp.db, maria, { symbol: 'NVDA' }, testApp.clock.now())
  await expect
    .poll(async () => (await testApp.pool.query("select from event_work where reader = 'record'")).rowCount)
    .toBe(0)
  await readers.stop()

  const receipt = await receiptOf(
    testApp.db,
    { traderId: maria.traderId, eventNo: 2 },
    testApp.settings.record,
  )
  const bytes = fromBase64Url(receipt?.receipt ?? '')
  const checked = await checkReceipt(bytes ?? new Uint8Array(), await policyOf(testApp), record)
  expect(checked).toMatchObject({ size: 3, leaf: { kind: 'opened', seq: 2, open: 2, hold: 2 } })
  expect(JSON.parse((checked as { text: string }).text).slice(0, 4)).toEqual([
    'opened',
    'NVDA',
    '187.52',
    'USD',
  ])
})
