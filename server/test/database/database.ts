import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { inject } from 'vitest'
import { connectDatabase, type Database, openPool } from '../../src/platform/database/database.ts'
import { DatabaseClient } from '../../src/platform/database/database-client.ts'
import { makeLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/upgrade/migrate.ts'
import './statement-rules.ts'
import { distributeWhereCitusIs } from './outside-server.ts'

const OBJECT_IN_USE = '55006'
/** Each drop waits five seconds for open sessions to end. */
const MAX_DROPS = 6
const MIGRATIONS = join(import.meta.dirname, '../../migrations')

/** Tests' log: silent. A separate test looks in a log for what should not be there. */
export const silentLog = makeLog('silent', false)

/** The two ways to a database that have limits in the product: on a statement, and on the wait for a connection. */
type Ways = Pick<Database, 'db' | 'pool'>

/**
 * A separate database for one test file, cloned in milliseconds from a template that holds the migrated schema. `db` and `pool` are
 * the test's own, for what it sets up and looks at: no limit of the product ends that, however slow the machine. The app has those of
 * `product`. Where a test connects as the product does, there are no others.
 */
export type TestDatabase = Database & { url: string; product?: Ways }
type OwnDatabase = TestDatabase & { product: Ways } & AsyncDisposable

const TEST_CONNECTIONS = 8
/** All test files share the connections of one server. */
const IDLE_MS = 1000
const ignore = () => undefined

/** Makes a clone; `await using` drops it at the end. */
export async function openTestDatabase(): Promise<OwnDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, (client) =>
    client.query(`create database ${name} template ${inject('templateName')} strategy file_copy`),
  )
  return open(serverUrl, name)
}

function open(serverUrl: string, name: string): OwnDatabase {
  const url = withDatabase(serverUrl, name)
  const database = connectDatabase({ url, size: 8, log: silentLog })
  const config = { connectionString: url, idleTimeoutMillis: IDLE_MS }
  const own = openPool(config, TEST_CONNECTIONS, { lost: ignore, failed: ignore })
  return {
    ...database,
    db: own.db,
    pool: own.pool,
    product: database,
    url,
    async [Symbol.asyncDispose]() {
      await Promise.all([own.connections.end(own.db.destroy()), database.close()])
      await onServer(serverUrl, (client) => dropDatabase(client, name))
    },
  }
}

/**
 * Makes a database as an earlier version leaves it, with the schema of the migrations before one.
 * @param migration number of the first that is missing, as `0009`; `0001` for an empty database
 */
export async function openEarlierDatabase(migration: string): Promise<OwnDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, (client) => client.query(`create database ${name}`))
  const url = withDatabase(serverUrl, name)
  await onServer(url, async (client) => {
    await client.query(
      'create table migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    for (const file of readdirSync(MIGRATIONS)
      .sort()
      .filter((file) => file < migration)) {
      const sql = readFileSync(join(MIGRATIONS, file), 'utf8')
      await client.query(sql)
      const sha256 = createHash('sha256').update(sql).digest('hex')
      await client.query('insert into migrations (name, sha256) values ($1, $2)', [file, sha256])
    }
  })
  return open(serverUrl, name)
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
    await dropDatabase(client, half)
    await client.query(`create database ${half}`)
    await migrate(withDatabase(serverUrl, half), silentLog)
    await distributeWhereCitusIs(withDatabase(serverUrl, half))
    await client.query(`alter database ${half} rename to ${name}`)
  })
  return name
}

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** A program of Citus's own opens a database again that it was put out of, so the drop may have to be repeated. */
async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      const inUse = (error as { code?: unknown }).code === OBJECT_IN_USE
      if (!inUse || tries === MAX_DROPS) throw error
    }
  }
}

async function onServer(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new DatabaseClient({ connectionString: serverUrl })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function schemaFingerprint(): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(join(MIGRATIONS, file)))
  return hash.digest('hex').slice(0, 12)
}

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    templateName: string
  }
}
