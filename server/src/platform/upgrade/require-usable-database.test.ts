import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { forgetting, hasPgBouncer, startPgBouncer } from '../../../test/database/pgbouncer.ts'
import { startStandInPooler } from '../../../test/database/stand-in-pooler.ts'
import { startWorkerProcess } from '../../../test/processes/worker-process.ts'
import { connectDatabase } from '../database/database.ts'
import { requireUsableDatabase } from './require-usable-database.ts'

const FORGETS =
  'DATABASE_URL leads to a pooler that keeps no prepared statements. PgBouncer does from version 1.21 on, with max_prepared_statements above 0; or set pool_mode = session there.'

/** Returns the error of a start with the database at an address. */
async function judge(url: string, pooled: boolean): Promise<string> {
  const database = connectDatabase({ url, size: 2, pooled, log: silentLog })
  try {
    await requireUsableDatabase(database)
    return 'usable'
  } catch (error) {
    return (error as Error).message
  } finally {
    await database.close()
  }
}

test('a database without a pooler can be used', async () => {
  await using database = await openTestDatabase()
  expect(await judge(database.url, false)).toBe('usable')
})

test('a pooler that keeps prepared statements can be used', async () => {
  await using database = await openTestDatabase()
  using pooler = await startStandInPooler(database.url, { forgets: false })
  expect(await judge(pooler.url, true)).toBe('usable')
})

test('a pooler with a single connection can be used: no start waits for a second one', async () => {
  await using database = await openTestDatabase()
  using pooler = await startStandInPooler(database.url, { forgets: false, lends: 1 })
  expect(await judge(pooler.url, true)).toBe('usable')
})

test('the product behind a pooler that keeps no prepared statements ends at its start, and prints the remedy', async () => {
  await using database = await openTestDatabase()
  using pooler = await startStandInPooler(database.url, { forgets: true })
  expect(await judge(pooler.url, true)).toBe(FORGETS)
  const worker = startWorkerProcess({
    databaseUrl: pooler.url,
    directUrl: database.url,
    smtpUrl: 'smtp://127.0.0.1:9',
    connections: 1,
  })
  await expect(worker).rejects.toThrow(`The worker did not start: ${FORGETS}\n (exit code 1)`)
})

test.runIf(hasPgBouncer)(
  'a start behind a pooler with a single connection that keeps no prepared statements reports that',
  async () => {
    await using database = await openTestDatabase()
    await using pooler = await startPgBouncer(database.url, [...forgetting(), 'default_pool_size = 1'])
    expect(await judge(pooler.url, true)).toBe(FORGETS)
  },
)

test.runIf(hasPgBouncer)(
  'a start behind a pooler that keeps no prepared statements reports that, and which one does',
  async () => {
    await using database = await openTestDatabase()
    await using pooler = await startPgBouncer(database.url, forgetting())
    expect(await judge(pooler.url, true)).toBe(FORGETS)
    expect(await judge(pooler.url, false)).toBe(
      'DATABASE_URL leads to a pooler that refuses our limits for statements. Name the database itself in DATABASE_DIRECT_URL beside it, and give its role the limits (docs/operations.md).',
    )
    await using sessions = await startPgBouncer(database.url, ['pool_mode = session'])
    expect(await judge(sessions.url, true)).toBe('usable')
  },
)
