import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../test/database.ts'
import { generateSchema } from '../dev/generate-schema.ts'
import { isMigrated, migrate } from './migrate.ts'

test('migrations run by several processes at once, and again, change nothing', async () => {
  await using database = await openTestDatabase()
  await Promise.all([1, 2, 3].map(() => migrate(database.url, silentLog)))
  expect(await isMigrated(database.pool)).toBe(true)
})

test('an applied migration that was edited is refused', async () => {
  await using database = await openTestDatabase()
  await database.pool.query("update migrations set sha256 = 'another' where name like '0001%'")
  await expect(migrate(database.url, silentLog)).rejects.toThrow('was edited after it had been applied')
})

test('the types of the tables are those of the migrations', async () => {
  await using database = await openTestDatabase()
  expect(generateSchema(database.url)).toBe(readFileSync(join(import.meta.dirname, 'schema.ts'), 'utf8'))
})
