import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readCheckpoint } from '@tradepost/record/checkpoint'
import { readNote } from '@tradepost/record/note'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { checkLog, makeTestRecord, registerRecord } from '../../test/record.ts'
import { receiptOf } from './receipts.ts'
import { describeRecord, resumeRecord } from './tend-record.ts'

/** Tables as a backup has them. */
const TABLES = [
  ...['record_head', 'records', 'record_entries', 'record_plan', 'record_texts', 'record_tiles'],
  ...['record_checkpoints', 'event_work'],
]

async function asSuperuser(pool: pg.Pool, statements: (table: string) => string): Promise<void> {
  const client = await pool.connect()
  try {
    // Somebody with all rights passes the triggers, as a restored backup does.
    await client.query("set session_replication_role = 'replica'")
    for (const table of TABLES) await client.query(statements(table))
    await client.query("set session_replication_role = 'origin'")
  } finally {
    client.release()
  }
}

const backUp = async ({ pool }: TestApp) => {
  await pool.query('drop schema if exists older cascade; create schema older')
  await asSuperuser(pool, (table) => `create table older.${table} as table public.${table}`)
}
const restore = ({ pool }: TestApp) =>
  asSuperuser(
    pool,
    (table) => `delete from public.${table}; insert into public.${table} table older.${table}`,
  )

async function startLog() {
  const testApp = await buildTestApp()
  await registerRecord(testApp)
  const maria = await makeCrowdTrader(testApp.pool, 'maria', TEST_NOW)
  const record = makeTestRecord(testApp)
  const write = async (symbol: string, writer = record) => {
    await publish(testApp.db, maria, { symbol }, testApp.clock.now())
    await writer.ensure()
  }
  return { testApp, record, write, maria, [Symbol.asyncDispose]: () => testApp.close() }
}

const gapsOf = async ({ app }: TestApp) => (await app.inject('/record/gaps')).json()
const BEHIND = /^the record of 1 entries does not go on the 2 that were signed/

test('a database that was restored to an older state is signed on only once the gap is published', async () => {
  await using log = await startLog()
  const { record, testApp, write } = log
  const { clock, db, settings } = testApp
  await write('AAPL')
  await backUp(testApp)
  await write('MSFT')
  const lost = record.readFile() ?? ''
  const bundle = () => testApp.app.inject('/record/tile/entries/000.p/2')
  const lostBundle = await bundle()
  await restore(testApp)

  const started = makeTestRecord(testApp, record.folder)
  for (const writer of [record, started]) {
    await expect(writer.ensure()).rejects.toThrow(BEHIND)
    await expect(writer.tend()).rejects.toThrow(BEHIND)
  }
  expect(await describeRecord(db, { record: { ...settings.record, dir: record.folder } })).toContain(
    'This host has signed 2 entries: the database is an older one.',
  )
  expect(await gapsOf(testApp)).toEqual({ gaps: [] })

  clock.advance(60_000)
  expect(await resumeRecord(db, record.folder, clock.now())).toBe(
    'Published: the record goes on at 1 entries without what was signed at 2.',
  )
  for (const [at, writer] of [record, started].entries()) await write(`AA${at}`, writer)
  expect((await checkLog(testApp)).map(({ text }) => text?.[1])).toEqual(['AAPL', 'AA0', 'AA1'])
  const newBundle = await bundle()
  expect(newBundle.rawPayload.equals(lostBundle.rawPayload), 'one address, other bytes').toBe(false)
  for (const { headers } of [lostBundle, newBundle])
    expect(headers['cache-control']).toBe('public, max-age=60')
  expect(await gapsOf(testApp)).toEqual({
    gaps: [{ resumedAtSize: 1, lostSize: 2, lostNote: lost, publishedAt: '2026-03-04T15:01:00.000Z' }],
  })
  expect(await resumeRecord(db, record.folder, clock.now())).toContain('Nothing is missing')
  expect(await describeRecord(db, { record: { ...settings.record, dir: record.folder } })).toContain(
    'Published 2026-03-04T15:01:00.000Z: it went on at 1 entries without what was signed at 2.',
  )
})

const run = promisify(execFile)
const VERIFY = join(import.meta.dirname, '../../../record/built/verify.mjs')

test('a published gap excuses nothing: the receipt of a lost entry convicts, also once the log is as long again', async () => {
  await using log = await startLog()
  const { maria, record, testApp, write } = log
  const { app, clock, db, settings } = testApp
  await write('AAPL')
  await backUp(testApp)
  await write('MSFT')
  const found = await receiptOf(db, { traderId: maria.traderId, eventNo: 2 }, settings.record)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const check = () =>
    run(process.execPath, [VERIFY, `${address}/verify#${found?.receipt}`]).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    )
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing contradicts it') })
  await restore(testApp)
  await resumeRecord(db, record.folder, clock.now())
  expect(await check()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^A3 .*^A18 /ms) })
  await write('NVDA')
  expect(await check()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^A4 .*^A18 /ms) })
  await write('ORCL')
  expect(await check()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^A5 .*^A18 /ms) })
})

test('a log of the same size, or a longer one, that has other entries is not signed on either', async () => {
  await using log = await startLog()
  const { record, testApp, write } = log
  await write('AAPL')
  await backUp(testApp)
  await write('MSFT')
  await restore(testApp)
  // A host without the file does not know what was signed.
  const elsewhere = makeTestRecord(testApp)
  for (const [symbol, size] of [
    ['ORCL', 2],
    ['NVDA', 3],
  ] as const) {
    await write(symbol, elsewhere)
    for (const writer of [record, makeTestRecord(testApp, record.folder)])
      await expect(writer.ensure()).rejects.toThrow(`the record of ${size} entries does not go on the 2`)
  }
  expect(await resumeRecord(testApp.db, record.folder, testApp.clock.now())).toContain('at 3 entries')
  await write('INTC')
  expect((await checkLog(testApp)).map(({ text }) => text?.[1])).toEqual(['AAPL', 'ORCL', 'NVDA', 'INTC'])
})

test('a head of which one bit has changed, or that alone is older, is not signed on', async () => {
  await using log = await startLog()
  const { record, testApp, write } = log
  const { pool } = testApp
  await write('AAPL')
  await pool.query('create table older_head as table record_head')
  await write('MSFT')
  await pool.query('update record_head set edge = set_bit(edge, 77, 1 - get_bit(edge, 77))')
  await expect(record.ensure()).rejects.toThrow('the record of 2 entries does not go on the 2')
  await pool.query('update record_head set edge = set_bit(edge, 77, 1 - get_bit(edge, 77))')
  await record.ensure()
  await pool.query('delete from record_head; insert into record_head table older_head')
  await expect(record.ensure()).rejects.toThrow(BEHIND)
})

test('two hosts with a file each sign on what either of them has signed', async () => {
  await using log = await startLog()
  const { record, testApp, write } = log
  const other = makeTestRecord(testApp)
  for (const [at, writer] of [record, other, record, record, other].entries()) await write(`AA${at}`, writer)
  expect(await checkLog(testApp)).toHaveLength(5)
  const sizeIn = (note: string | null) => readCheckpoint(readNote(note ?? '')?.text ?? '')?.size
  expect([sizeIn(record.readFile()), sizeIn(other.readFile())]).toEqual([4, 5])
})

test('a file that holds no checkpoint stops the log, and is named', async () => {
  await using log = await startLog()
  const { record, testApp, write } = log
  await write('AAPL')
  const [name = ''] = readdirSync(record.folder)
  writeFileSync(join(record.folder, name), 'something else')
  await expect(makeTestRecord(testApp, record.folder).ensure()).rejects.toThrow('holds no checkpoint')
})

test('the tables of the log refuse to be changed', async () => {
  await using log = await startLog()
  const { testApp, write } = log
  await write('AAPL')
  for (const table of ['record_entries', 'record_tiles', 'record_checkpoints', 'record_gaps'])
    for (const statement of [`delete from ${table}`, `truncate ${table}`])
      await expect(testApp.pool.query(statement)).rejects.toThrow('the record only grows')
  await expect(testApp.pool.query("update record_entries set leaf_hash = ''")).rejects.toThrow('only grows')
})
