import { fromBase64Url } from '@tradepost/record/bytes'
import { readNote } from '@tradepost/record/note'
import { checkReceipt } from '@tradepost/record/receipt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { type Crowd, makeCrowdTrader, publish } from '../../test/followers.ts'
import { checkLog, makeTestRecord, policyOf, registerRecord } from '../../test/record.ts'
import { startWitness, type TestWitness } from '../../test/record-witness.ts'
import { receiptOf } from './receipts.ts'
import { describeRecord } from './tend-record.ts'

let testApp: TestApp
let witness: TestWitness
let maria: Crowd
beforeEach(async () => {
  witness = await startWitness(
    'witness.example/w1',
    async () => (await testApp.app.inject('/record/keys')).json().log,
  )
  const { url, vkey } = witness
  const settings = { record: { dir: '', witnesses: [{ url, vkey }], quorum: 0 } }
  testApp = await buildTestApp({ settings })
  await registerRecord(testApp)
  maria = await makeCrowdTrader(testApp.pool, 'maria', TEST_NOW)
})
afterEach(async () => {
  await witness[Symbol.asyncDispose]()
  await testApp.close()
})

const withQuorum = (quorum: number) => ({
  ...testApp.settings,
  record: { ...testApp.settings.record, quorum },
})
const write = async (record: ReturnType<typeof makeTestRecord>, ...symbols: string[]) => {
  for (const symbol of symbols) await publish(testApp.db, maria, { symbol }, testApp.clock.now())
  await record.ensure()
}
/** The witnesses that a receipt names, without a network; null where there is no receipt. */
async function witnessesOf(eventNo: number, quorum = 0) {
  const { record } = withQuorum(quorum)
  const found = await receiptOf(testApp.db, { traderId: maria.traderId, eventNo }, record)
  if (!found) return null
  const bytes = fromBase64Url(found.receipt) ?? new Uint8Array()
  const checked = await checkReceipt(bytes, { ...(await policyOf(testApp)), quorum }, makeTestRecord(testApp))
  if ('refused' in checked) throw new Error(checked.refused)
  return checked.witnesses
}

/** On a slow machine an answer comes too late, and the sweep asks again. */
const untilSigned = (record: ReturnType<typeof makeTestRecord>, eventNo: number) =>
  expect
    .poll(async () => {
      await record.tend()
      return witnessesOf(eventNo)
    })
    .toEqual(['witness.example/w1'])

test('a witness signs each checkpoint, and receipts carry its signature from then on', async () => {
  const record = makeTestRecord(testApp)
  await write(record, 'AAPL', 'MSFT')
  await untilSigned(record, 1)
  await write(record, 'NVDA', 'ORCL', 'INTC')
  await untilSigned(record, 5)
  expect(witness.seen.size).toBe(5)
  expect(await witnessesOf(2)).toEqual(['witness.example/w1'])
  expect(await describeRecord(testApp.db, testApp.settings)).toContain('by 1 of 1 witnesses')
  const { length } = witness.answered
  await record.tend()
  expect(witness.answered, 'nobody is asked again who has signed').toHaveLength(length)
  await checkLog(testApp)
})

test('a process that does not know what a witness has signed learns it from its refusal', async () => {
  const record = makeTestRecord(testApp)
  await write(record, 'AAPL', 'MSFT', 'NVDA')
  await untilSigned(record, 3)
  const other = makeTestRecord(testApp)
  await write(other, 'ORCL')
  await untilSigned(other, 4)
  expect(witness.answered).toContain(409)
})

test('of what a witness answers, its own signature alone is kept', async () => {
  witness.behaviour = 'signs for others'
  const record = makeTestRecord(testApp)
  await write(record, 'AAPL')
  await untilSigned(record, 1)
  const checkpoint = (await testApp.app.inject('/record/checkpoint')).body
  expect(readNote(checkpoint)?.signatures.map(({ name }) => name.split('/')[1])).toEqual([
    'record',
    'record',
    'w1',
  ])
  expect(checkpoint).not.toContain('somebody.example')
})

test('a witness that has seen another record does not sign', async () => {
  witness.seen = { size: 1, root: new Uint8Array(32).fill(7) }
  const record = makeTestRecord(testApp)
  await write(record, 'AAPL', 'MSFT')
  await expect
    .poll(async () => {
      await record.tend()
      return witness.answered
    })
    .toContain(422)
  witness.seen = { size: 3, root: new Uint8Array(32).fill(7) }
  witness.answered = []
  await record.tend()
  await expect.poll(() => [...new Set(witness.answered)]).toEqual([409])
  expect(await witnessesOf(2)).toEqual([])
})

test('a witness that is silent, wrong or somewhere else holds up nothing, and is asked again', async () => {
  const record = makeTestRecord(testApp)
  const misbehaving = ['is silent', 'talks on', 'signs wrongly', 'redirects', 'refuses'] as const
  for (const [nth, behaviour] of misbehaving.entries()) {
    witness.behaviour = behaviour
    witness.seen = { size: 0, root: new Uint8Array() }
    await write(record, `AA${nth}`)
    await record.tend()
    expect(await witnessesOf(nth + 1), behaviour).toEqual([])
  }
  // It follows no redirect.
  expect(witness.answered.filter((status) => status === 404)).toEqual([])
  witness.behaviour = 'signs'
  await untilSigned(record, 1)
  await checkLog(testApp)
})

test('where receipts need a witness, an event is done once it has signed, and has no receipt without it', async () => {
  const settings = withQuorum(1)
  const record = makeTestRecord({ ...testApp, settings })
  const whenDone = (eventNo: number, writer = record) =>
    expect.poll(async () => {
      await writer.ensure()
      return witnessesOf(eventNo, 1)
    })
  await write(record, 'AAPL', 'MSFT')
  await whenDone(2).toEqual(['witness.example/w1'])
  const left = await testApp.pool.query("select from event_work where reader = 'record'")
  expect(left.rowCount, 'each event waits in its reader’s hands').toBe(2)

  witness.behaviour = 'refuses'
  await write(record, 'NVDA')
  expect(await witnessesOf(3, 1)).toBeNull()
  witness.behaviour = 'signs'
  // Another process has the event in hand.
  await whenDone(3, makeTestRecord({ ...testApp, settings })).toEqual(['witness.example/w1'])
})
