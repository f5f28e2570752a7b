import { fromBase64Url } from '@tradepost/record/bytes'
import { readNote, readVerifierKey } from '@tradepost/record/note'
import { checkReceipt } from '@tradepost/record/receipt'
import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { checkLog, makeTestRecord, policyOf, registerRecord } from '../../test/record.ts'
import { runPurges } from '../../test/run-purges.ts'
import { resealSecrets } from '../auth/keys/reseal-secrets.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { sha256 } from './hashes.ts'
import { receiptOf } from './receipts.ts'
import { rotateLogKey } from './tend-record.ts'

const DAY_MS = 86_400_000

async function startLog() {
  const testApp = await buildTestApp()
  await registerRecord(testApp)
  const maria = await makeCrowdTrader(testApp.pool, 'maria', TEST_NOW)
  const record = makeTestRecord(testApp)
  const secret = makeSecretKey(testApp.settings.authSecret)
  return {
    testApp,
    record,
    secret,
    async write(symbol: string, writer = record) {
      await publish(testApp.db, maria, { symbol }, testApp.clock.now())
      await writer.ensure()
    },
    receipt: async (eventNo: number) => {
      const found = await receiptOf(
        testApp.db,
        { traderId: maria.traderId, eventNo },
        testApp.settings.record,
      )
      return fromBase64Url(found?.receipt ?? '') ?? new Uint8Array()
    },
    rotate: () => rotateLogKey({ db: testApp.db, record, secret }, testApp.clock.now()),
    [Symbol.asyncDispose]: () => testApp.close(),
  }
}

const keysOf = async ({ app }: TestApp): Promise<string[]> => (await app.inject('/record/keys')).json().log
/** The keys under which the newest checkpoint is signed, by their place in `/record/keys`. */
async function signersOf(testApp: TestApp): Promise<number[]> {
  const note = readNote((await testApp.app.inject('/record/checkpoint')).body)
  const ids = (await keysOf(testApp)).map((vkey) => readVerifierKey(sha256, vkey)?.keyId)
  return (note?.signatures ?? []).map(({ keyId }) => ids.indexOf(keyId)).toSorted()
}

test('a new key is announced a day ahead under the old one, signs from then on, and receipts of before stay good', async () => {
  await using log = await startLog()
  const { record, testApp } = log
  const { clock } = testApp
  await log.write('AAPL')
  const old = await log.receipt(1)
  const signsFrom = await log.rotate()
  expect(signsFrom).toEqual(new Date('2026-03-05T15:00:00.000Z'))
  expect(await log.rotate(), 'once a day').toEqual(signsFrom)
  const vkeys = await keysOf(testApp)
  expect(vkeys).toHaveLength(4)
  const announced = (await checkLog(testApp)).at(-1)
  expect(announced).toMatchObject({ kind: 'key', seq: 0, open: 0, text: ['key', vkeys[2], '2026-03-05'] })
  expect((await testApp.app.inject('/record/openings/1')).json()).toEqual({
    salt: Buffer.alloc(32).toString('base64'),
    text: JSON.stringify(announced?.text),
  })

  clock.set(new Date(signsFrom.getTime() - 1))
  await log.write('MSFT')
  expect(await signersOf(testApp)).toEqual([0, 1])
  clock.set(signsFrom)
  await log.write('NVDA')
  expect(await signersOf(testApp)).toEqual([2, 3])
  await checkLog(testApp)
  const policy = await policyOf(testApp)
  for (const receipt of [old, await log.receipt(1), await log.receipt(2), await log.receipt(3)])
    expect(await checkReceipt(receipt, policy, record)).toHaveProperty('leaf')
  expect(await checkReceipt(old, { ...policy, logKeys: policy.logKeys.slice(1) }, record)).toEqual({
    refused: 'not_signed',
  })
})

test('the private half of a key is forgotten a day after another one has replaced it, and its signatures stay good', async () => {
  await using log = await startLog()
  const { record, testApp } = log
  const { clock, db, pool } = testApp
  await log.write('AAPL')
  const old = await log.receipt(1)
  const signsFrom = await log.rotate()
  const sealed = async () => {
    const { rows } = await pool.query<{ sealed: boolean }>(
      'select private_sealed is not null as sealed from record_keys order by signs_from',
    )
    return rows.map((row) => row.sealed)
  }
  clock.set(new Date(signsFrom.getTime() + DAY_MS - 1))
  await runPurges(testApp)
  expect(await sealed()).toEqual([true, true])
  clock.advance(1)
  await runPurges(testApp)
  expect(await sealed()).toEqual([false, true])
  await log.write('MSFT')
  expect(await signersOf(testApp)).toEqual([2, 3])
  expect(await checkReceipt(old, await policyOf(testApp), record)).toHaveProperty('leaf')
  expect(await resealSecrets(db, log.secret)).toMatchObject({ unopened: 0 })
})

test('an idle log is signed again after ten minutes, under the key of that time', async () => {
  await using log = await startLog()
  const { record, testApp } = log
  await log.write('AAPL')
  const checkpoint = async () => (await testApp.app.inject('/record/checkpoint')).body
  const first = await checkpoint()
  testApp.clock.advance(599_000)
  await record.tend()
  expect(await checkpoint()).toBe(first)
  testApp.clock.advance(1000)
  await record.tend()
  const second = await checkpoint()
  expect(second).not.toBe(first)
  expect(readNote(second)?.text).toBe(readNote(first)?.text)
  expect(record.readFile()).toBe(second)
  await log.rotate()
  testApp.clock.advance(DAY_MS)
  await record.tend()
  expect(await signersOf(testApp)).toEqual([2, 3])
})

test('the key that signs is sealed again under a new AUTH_SECRET, and a process with another one signs nothing', async () => {
  await using log = await startLog()
  const { testApp } = log
  const { authSecret } = testApp.settings
  await log.write('AAPL')
  const withSecret = (secret: string) =>
    makeTestRecord({ ...testApp, settings: { ...testApp.settings, authSecret: secret } }, log.record.folder)
  const stranger = withSecret('a secret that nobody else has')
  const sentence = 'the key of the record cannot be opened: do all processes have the same AUTH_SECRET?'
  await expect(log.write('MSFT', stranger)).rejects.toThrow(sentence)
  testApp.clock.advance(600_000)
  await expect(stranger.tend()).rejects.toThrow(sentence)

  const newer = 'a newer secret of these tests and of nobody else'
  const both = `${newer},${authSecret}`
  expect(await resealSecrets(testApp.db, makeSecretKey(both))).toMatchObject({ unopened: 0 })
  await log.write('NVDA', withSecret(newer))
  // One that had opened it goes on; one that starts now cannot.
  await log.write('ORCL')
  await expect(log.write('IBM', withSecret(authSecret))).rejects.toThrow(sentence)
  await log.write('INTC', withSecret(both))
  expect((await checkLog(testApp)).map(({ text }) => text?.[1])).toEqual([
    ...['AAPL', 'MSFT', 'NVDA', 'ORCL', 'IBM', 'INTC'],
  ])
  expect(await keysOf(testApp)).toHaveLength(2)
})
