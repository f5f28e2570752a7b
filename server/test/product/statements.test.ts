import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../database/database.ts'
import type { PreparedStatements } from '../database/prepare-statements.ts'

test('the schema takes each statement of each .queries.ts, and none is left out', async () => {
  await using database = await openTestDatabase()
  const run = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../database/prepare-statements.ts'), database.url],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  expect(run.stderr).toBe('')
  const { statements, ...wrong } = JSON.parse(run.stdout) as PreparedStatements
  expect(wrong).toEqual({ refused: [], missed: [] })
  expect(statements).toBeGreaterThan(500)
})
