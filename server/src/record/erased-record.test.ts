import { fromBase64Url } from '@tradepost/record/bytes'
import { checkReceipt } from '@tradepost/record/receipt'
import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { readTables } from '../../test/factories.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { checkLog, makeTestRecord, policyOf, registerRecord } from '../../test/record.ts'
import { adjustForSplit } from '../positions/correct/adjust-positions.ts'
import { receiptOf } from './receipts.ts'
import { saltOf } from './salts.ts'
import { eraseRecord } from './tend-record.ts'

test('an erased person’s entries stay and say nothing any more, to anybody but those who hold their receipts', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const { app, clock, db, pool } = testApp
  await registerRecord(testApp)
  const record = makeTestRecord(testApp)
  const [maria, tom] = [
    await makeCrowdTrader(pool, 'maria', TEST_NOW),
    await makeCrowdTrader(pool, 'tom', TEST_NOW),
  ]
  await publish(db, maria, { symbol: 'CNRY' }, clock.now())
  await publish(db, tom, { symbol: 'KEPT' }, clock.now())
  await record.ensure()
  const receipt =
    (await receiptOf(db, { traderId: maria.traderId, eventNo: 1 }, testApp.settings.record))?.receipt ?? ''
  const { rows } = await pool.query<{ salt_key: Buffer; text: string }>(
    'select salt_key, text from records join record_texts using (record_id) where trader_id = $1',
    [maria.traderId],
  )
  const [{ salt_key: saltKey, text }] = rows as [{ salt_key: Buffer; text: string }]
  const canaries = [saltKey.toString('hex'), text, JSON.stringify(text)].concat(
    [1, 2].map((seq) => Buffer.from(saltOf(saltKey, seq)).toString('hex')),
  )
  // The words of the product's own tables go with the person; the log has words and salts. A dump is these rows and nothing else.
  const tablesWith = async (words: string[]) => {
    const { rows: tables } = await pool.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    )
    const found: string[] = []
    for (const { name } of tables) {
      const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`)
      const plain = rows.map(({ row }) => row.replaceAll('""', '"')).join('\n')
      if (words.some((word) => plain.includes(word))) found.push(name)
    }
    return found
  }
  expect(await tablesWith(canaries)).toEqual(['record_texts', 'records'])
  // A second position waits for the log at the moment of the erasure.
  await publish(db, maria, { symbol: 'WAIT' }, clock.now())

  clock.advance(60_000)
  expect(await eraseRecord({ db, record }, maria.traderId)).toBe(true)
  const entries = await checkLog(testApp)
  expect(entries.map(({ kind, open, seq, text }) => [kind, seq, open, text?.[1] ?? text])).toEqual([
    ['opened', 1, 1, null],
    ['opened', 1, 1, 'KEPT'],
    ['opened', 2, 2, null],
    ['erased', 3, 0, ['erased']],
  ])
  expect(entries.map(({ trader }) => trader)).toEqual([null, tom.traderId, null, null])
  for (const index of [0, 2]) {
    const answer = await app.inject(`/record/openings/${index}`)
    expect({ status: answer.statusCode, ...answer.json() }).toMatchObject({
      status: 410,
      code: 'record_erased',
      message: 'The person of this entry is erased.',
    })
  }
  expect((await app.inject('/record/openings/3')).json()).toEqual({
    salt: Buffer.alloc(32).toString('base64'),
    text: '["erased"]',
  })
  expect((await app.inject('/record/traders/maria')).statusCode).toBe(404)
  expect(await receiptOf(db, { traderId: maria.traderId, eventNo: 1 }, testApp.settings.record)).toBeNull()
  const held = await checkReceipt(fromBase64Url(receipt) ?? new Uint8Array(), await policyOf(testApp), record)
  expect(held).toMatchObject({ text, size: 2 })

  expect(await tablesWith(canaries)).toEqual([])
  const before = await readTables(testApp)
  expect(await eraseRecord({ db, record }, maria.traderId)).toBe(false)
  expect(await readTables(testApp)).toEqual(before)
})

test('a later change of an erased person’s position is not logged, and holds up nobody', async () => {
  await using testApp = await buildTestApp()
  const { clock, db, pool } = testApp
  await registerRecord(testApp)
  const record = makeTestRecord(testApp)
  const [maria, tom] = [
    await makeCrowdTrader(pool, 'maria', TEST_NOW),
    await makeCrowdTrader(pool, 'tom', TEST_NOW),
  ]
  await publish(db, maria, { symbol: 'SPLT' }, clock.now())
  await publish(db, tom, { symbol: 'SPLT' }, clock.now())
  expect(await eraseRecord({ db, record }, maria.traderId)).toBe(true)
  clock.advance(2 * 86_400_000)
  expect(await adjustForSplit(db, { symbol: 'SPLT', ratio: '10:1', day: '2026-03-05' }, clock.now())).toBe(2)
  await record.ensure()
  expect((await checkLog(testApp)).map(({ kind, trader }) => [kind, trader])).toEqual([
    ['opened', null],
    ['opened', tom.traderId],
    ['erased', null],
    ['adjusted', tom.traderId],
  ])
  expect((await pool.query("select from event_work where reader = 'record'")).rowCount).toBe(0)
  expect(await record.faultOf({ traderId: maria.traderId, eventNo: 2 })).toBeNull()
})

test('an event that could not be logged before the erasure is not logged once it could be', async () => {
  await using testApp = await buildTestApp()
  const { clock, db, pool } = testApp
  await registerRecord(testApp)
  const record = makeTestRecord(testApp)
  const maria = await makeCrowdTrader(pool, 'maria', TEST_NOW)
  await publish(db, maria, { symbol: 'AAPL' }, clock.now())
  await publish(db, maria, { symbol: 'MSFT' }, clock.now())
  await pool.query("update event_work set parked_at = $1 where event_no = 2 and reader = 'record'", [
    TEST_NOW,
  ])
  expect(await eraseRecord({ db, record }, maria.traderId)).toBe(true)
  await pool.query('update event_work set parked_at = null')
  await record.ensure()
  expect((await checkLog(testApp)).map(({ kind }) => kind)).toEqual(['opened', 'erased'])
  expect((await pool.query('select from records where trader_id is not null')).rowCount).toBe(0)
})

test('nobody is erased who has no record', async () => {
  await using testApp = await buildTestApp()
  const record = makeTestRecord(testApp)
  const { traderId } = await makeCrowdTrader(testApp.pool, 'maria', TEST_NOW)
  expect(await eraseRecord({ db: testApp.db, record }, traderId)).toBe(false)
})
