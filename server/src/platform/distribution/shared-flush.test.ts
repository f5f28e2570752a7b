import { sql } from 'kysely'
import { afterAll, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { startTcpProxy } from '../../../test/processes/tcp-proxy.ts'
import { connectDatabase } from '../database/database.ts'
import type { Queryable } from '../database/queryable.ts'
import { countUse } from '../rate-limit.ts'
import { makeSharedFlush } from './shared-flush.ts'

const NOW = new Date('2026-03-02T12:00:00Z')
const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const use = (db: Queryable, key: string) => countUse(db, { key, windowSeconds: 600 }, NOW)

/** Whether the disk has the write-ahead log up to a place. */
async function isFlushed(place: string): Promise<boolean> {
  const { rows } = await sql<{ flushed: boolean }>`
    select pg_current_wal_flush_lsn() >= ${place}::pg_lsn as flushed`.execute(database.db)
  return rows[0]?.flushed ?? false
}

/** Writes, and answers a place in the write-ahead log before which all of it stands. */
async function write(tx: Queryable): Promise<string> {
  await use(tx, 'flushed')
  const { rows } = await sql<{ place: string }>`select pg_current_wal_insert_lsn()::text as place`.execute(tx)
  return rows[0]?.place ?? ''
}

test('the writes of a transaction are on the disk when it resolves, also where many end at once', async ({
  expect,
}) => {
  const { run } = makeSharedFlush(database.db)
  for (let round = 0; round < 50; round += 1) {
    const flushed = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const place = await run(write)
        return isFlushed(place)
      }),
    )
    expect(flushed).toEqual(Array(6).fill(true))
  }
})

test('a transaction does not wait for the disk with its locks, and fails when the wait for it does', async ({
  expect,
}) => {
  await using proxy = await startTcpProxy(database.url)
  const through = connectDatabase({ url: proxy.url, size: 2, log: silentLog })
  const { run } = makeSharedFlush(through.db)
  const flushing = proxy.loseAnswerTo('pg_logical_emit_message')
  const waits: unknown[] = []
  const first = run(async (tx) => {
    await use(tx, 'locked')
    const { rows } = await sql`select current_setting('synchronous_commit') as waits`.execute(tx)
    waits.push(...rows)
  })
  const failed = expect(first).rejects.toThrow('timeout')
  await flushing
  expect(waits).toEqual([{ waits: 'off' }])
  expect(await use(database.db, 'locked')).toMatchObject({ count: 2 })
  // It ends after that wait has begun, which need not cover it: it gets another.
  expect(await run((tx) => use(tx, 'locked'))).toMatchObject({ count: 3 })
  await failed
  await through.close()
})

test('transactions that end while one waits for the disk share the next wait', async ({ expect }) => {
  const { run } = makeSharedFlush(database.db)
  const texts = await statementsOf(database, () =>
    Promise.all(Array.from({ length: 40 }, () => run((tx) => use(tx, 'shared')))),
  )
  const flushes = texts.filter((text) => text.includes('pg_logical_emit_message'))
  expect(flushes.length).toBeGreaterThan(0)
  expect(flushes.length).toBeLessThan(30)
})

test('a transaction that is given up leaves nothing', async ({ expect }) => {
  const { run } = makeSharedFlush(database.db)
  const attempt = run(async (tx) => {
    await use(tx, 'given up')
    throw new Error('no place')
  })
  await expect(attempt).rejects.toThrow('no place')
  expect(await use(database.db, 'given up')).toMatchObject({ count: 1 })
})
