import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { startStandInPooler } from '../../../test/database/stand-in-pooler.ts'
import { migrate } from '../upgrade/migrate.ts'
import { connectDatabase } from './database.ts'

test('behind a pooler that refuses unknown startup parameters the product asks and writes', async () => {
  await using database = await openTestDatabase()
  using pooler = await startStandInPooler(database.url, { forgets: false })
  const pooled = connectDatabase({ url: pooler.url, size: 2, pooled: true, log: silentLog })
  const { rows } = await sql<{ one: number }>`select ${1}::int as one`.execute(pooled.db)
  expect(rows).toEqual([{ one: 1 }])
  const { rows: shared } = await sql<{ two: number }>`select ${2}::int as two`.execute(pooled.pipelined)
  expect(shared).toEqual([{ two: 2 }])
  await pooled.close()
  // Migrations go past it, and would pass through it as well.
  await migrate(pooler.url, silentLog)
})

test('without a pooler the server itself ends a statement that takes too long', async () => {
  await using database = await openTestDatabase()
  using pooler = await startStandInPooler(database.url, { forgets: false })
  const taken = connectDatabase({ url: pooler.url, size: 1, log: silentLog })
  await expect(sql`select 1`.execute(taken.db)).rejects.toThrow(
    'unsupported startup parameter: statement_timeout',
  )
  await taken.close()
  const limits = await database.product.pool.query('show statement_timeout')
  expect(limits.rows).toEqual([{ statement_timeout: '3500ms' }])
  // Statements of a test's set-up take as long as its machine needs.
  expect((await database.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
})
