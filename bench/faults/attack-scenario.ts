import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../server/src/dev/embedded-postgres.ts'
import { connectDatabase } from '../../server/src/platform/database/database.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import type { Settings } from '../../server/src/platform/settings.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import type { Figures } from '../../server/test/attacks/guess-codes.ts'
import { buildTestApp, type TestApp } from '../../server/test/build-test-app.ts'
import type { TestDatabase } from '../../server/test/database/database.ts'

/** Lets an attack at the real app on a fresh database, and prints what it came to. */
export function attack(
  work: (testApp: TestApp) => Promise<Figures>,
  settings: Partial<Settings> = {},
): Promise<void> {
  return onDatabase(async (database) => {
    await using testApp = await buildTestApp({ database, settings })
    print(await work(testApp))
  })
}

/** Starts a separate PostgreSQL for the work and stops it afterwards. */
export async function onDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-faults-'))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  try {
    await migrate(postgres.url, log)
    const database = connectDatabase({ url: postgres.url, size: 8, log })
    try {
      await work({ ...database, url: postgres.url })
    } finally {
      await database.close()
    }
  } finally {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

export function print(figures: Figures): void {
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value}`)
}
