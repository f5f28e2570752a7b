import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../src/dev/embedded-postgres.ts'
import { forgetDurability, makeTemplate, silentLog } from './database/database.ts'
import { makeFolderInMemory } from './database/folder-in-memory.ts'
import { findOutsideServer } from './database/outside-server.ts'
import { askForPlainPassword } from './sign-in/cheap-logins.ts'

/** The mails, one PostgreSQL for a run of all server tests, and a migrated template to clone from. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // The server runs the mails as they are built; milliseconds, so always fresh.
  execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build-emails.ts')])
  const dataDir = makeFolderInMemory('tradepost-test-')
  const postgres = findOutsideServer() ?? (await startEmbedded(dataDir))
  project.provide('postgresUrl', postgres.url)
  project.provide('templateName', await makeTemplate(postgres.url))
  return async () => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function startEmbedded(dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog })
  await forgetDurability(postgres.url)
  await askForPlainPassword(postgres.url)
  return postgres
}
