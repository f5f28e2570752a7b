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

test('a process is migrated where newer ones have been applied, and not where one of its own has not', async () => {
  await using database = await openTestDatabase()
  await database.pool.query(
    "insert into migrations (name, sha256) values ('9999_of_a_newer_version.sql', 'x')",
  )
  expect(await isMigrated(database.pool)).toBe(true)
  await database.pool.query("delete from migrations where name like '0004%'")
  expect(await isMigrated(database.pool)).toBe(false)
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
