/**
 * Writes server/src/platform/database/schema.ts, the types of the tables, from the migrations: `node server/src/dev/generate-schema.ts`.
 * A test generates them again and fails when the two differ.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { makeLog } from '../platform/log.ts'
import { migrate } from '../platform/upgrade/migrate.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

const log = makeLog('warn', true)

/** @param databaseUrl a migrated database @returns the text of schema.ts */
export function generateSchema(databaseUrl: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-schema-'))
  const file = join(folder, 'schema.ts')
  // Counters fit a number; the pool reads them as such (database.ts).
  const mapping = JSON.stringify({ int8: 'number', inet: 'string' })
  // A check of the column holds these; the library reads types of columns alone.
  const overrides = JSON.stringify({
    columns: { 'subscriptions.status': SUBSCRIPTION_STATUSES.map((status) => `"${status}"`).join(' | ') },
  })
  const run = spawnSync(
    'kysely-codegen',
    [
      '--dialect=postgres',
      `--url=${databaseUrl}`,
      `--out-file=${file}`,
      '--default-schema=public',
      '--include-pattern=public.*',
      `--type-mapping=${mapping}`,
      `--overrides=${overrides}`,
    ],
    { encoding: 'utf8' },
  )
  if (run.status !== 0) throw new Error(`kysely-codegen failed: ${run.stderr}${run.stdout}`)
  const text = readFileSync(file, 'utf8')
  rmSync(folder, { recursive: true })
  return text
}

if (import.meta.main) {
  const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-schema-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  await migrate(postgres.url, log)
  writeFileSync(join(import.meta.dirname, '../platform/database/schema.ts'), generateSchema(postgres.url))
  await postgres.stop()
  rmSync(dataDir, { recursive: true })
}
