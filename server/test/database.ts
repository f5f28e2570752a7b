import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { connectDatabase, type Database } from '../src/platform/database.ts'
import { makeLog } from '../src/platform/log.ts'
import { migrate } from '../src/platform/migrate.ts'

/** Tests' log: silent. A separate test looks in a log for what should not be there. */
export const silentLog = makeLog('silent', false)

/** A separate database for one test file, cloned in milliseconds from a template that holds the migrated schema. */
export type TestDatabase = Database & { url: string }

/** Makes a clone; `await using` drops it at the end. */
export async function openTestDatabase(): Promise<TestDatabase & AsyncDisposable> {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, (client) =>
    client.query(`create database ${name} template ${inject('templateName')}`),
  )
  const url = withDatabase(serverUrl, name)
  const database = connectDatabase({ url, size: 8, log: silentLog })
  return {
    ...database,
    url,
    async [Symbol.asyncDispose]() {
      await database.close()
      await onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`))
    },
  }
}

/**
 * Has a PostgreSQL wait for no disk. It stays right when its processes die, and loses what only a failure of the machine
 * could have lost: nothing that a test looks at.
 */
export function forgetDurability(serverUrl: string): Promise<void> {
  return onServer(serverUrl, async (client) => {
    for (const setting of ['fsync', 'full_page_writes'])
      await client.query(`alter system set ${setting} = off`)
    await client.query('select pg_reload_conf()')
  })
}

/** Migrates a template once for a given schema; named by its content, so an edit makes a new one. */
export async function makeTemplate(serverUrl: string): Promise<string> {
  const name = `template_${schemaFingerprint()}`
  await onServer(serverUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount) return
    const half = `${name}_half`
    await client.query(`drop database if exists ${half} with (force)`)
    await client.query(`create database ${half}`)
    await migrate(withDatabase(serverUrl, half), silentLog)
    await client.query(`alter database ${half} rename to ${name}`)
  })
  return name
}

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function onServer(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function schemaFingerprint(): string {
  const folder = join(import.meta.dirname, '../migrations')
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 12)
}

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    templateName: string
  }
}
