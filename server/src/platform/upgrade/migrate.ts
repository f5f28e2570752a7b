import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { DatabaseClient } from '../database/database-client.ts'
import type { Queryable } from '../database/queryable.ts'
import { type Log, reasonOf } from '../log.ts'
import { waitFor } from '../wait-for.ts'

const FOLDER = join(import.meta.dirname, '../../../migrations')
/** Any number, the same in every process: one of them migrates, the others wait. */
const MIGRATION_LOCK = 7_238_461
const ASK_EVERY_MS = 100
/** The last file of the schema of 1.0.0, which is all of it up to here. */
const BASELINE_ENDS = '0007_processes.sql'
/** The last step of the schema before 1.0.0: a database that took it has the tables of 1.0.0 (ADR 0113). */
const LAST_UNRELEASED = '0076_payments_work.sql'

/**
 * Applies server/migrations/*.sql in order, each in a transaction that holds the lock of all processes.
 * Safe to run by many at once and again and again: each waits for another one that migrates, however long that takes. No lock outlives its
 * transaction: one of a session would stay behind in a pooler's connection, and block every later start.
 * @throws when an applied file was edited since: migrations go forward only; where the database keeps texts in another encoding than UTF-8;
 *   where an unreleased version left its schema half-way
 */
export async function migrate(databaseUrl: string, log: Log): Promise<void> {
  const client = new DatabaseClient({ connectionString: databaseUrl })
  // The statement under way, or the next one, reports that the server went away. Without a listener the error would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await requireUtf8(client)
    const turn = <T>(work: () => Promise<T>) => withLock(client, log, work)
    const migrations = readMigrations()
    const applied = await turn(async () => {
      await client.query(
        'create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
      )
      await continueUnreleased(client, migrations)
      return appliedMigrations(client)
    })
    for (const migration of migrations) {
      if (applied.get(migration.name) === migration.sha256) continue
      const isNew = await turn(() => apply(client, migration))
      if (isNew) log.info(`applied ${migration.name}`)
    }
  } finally {
    await client.end()
  }
}

/**
 * Records the schema of 1.0.0 for a database that got it step by step before 1.0.0. A later migration drops what it has beside that.
 * @throws where it has stopped at an earlier step: that version's own code has to finish
 */
async function continueUnreleased(client: pg.Client, migrations: Migration[]): Promise<void> {
  const applied = [...(await appliedMigrations(client)).keys()].sort()
  const baseline = migrations.filter(({ name }) => name <= BASELINE_ENDS)
  if (applied.length === 0 || baseline.some(({ name }) => applied.includes(name))) return
  if (!applied.includes(LAST_UNRELEASED))
    throw new Error(
      `The database stopped at ${applied.at(-1)}, before 1.0.0: start it once with the last version that has server/migrations/${LAST_UNRELEASED}, then with this one.`,
    )
  for (const migration of baseline) await record(client, migration)
}

/** In another encoding some texts that people write could not be kept, or would count as longer than they are. */
async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string; name: string }>(
    "select current_setting('server_encoding') as encoding, current_database() as name",
  )
  for (const { encoding, name } of rows)
    if (encoding !== 'UTF8')
      throw new Error(
        `The database "${name}" keeps texts in ${encoding}; Tradepost needs UTF8. Make another one: create database … template template0 encoding 'UTF8'.`,
      )
}

/** Takes the lock of all processes until the transaction ends. @returns false when another process migrates */
export async function tryMigrationLock(tx: Queryable): Promise<boolean> {
  const { rows } = await sql<{
    held: boolean
  }>`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as held`.execute(tx)
  return rows[0]?.held ?? false
}

/** Runs `work` in a transaction that holds the lock, once no other process does. */
async function withLock<T>(client: pg.Client, log: Log, work: () => Promise<T>): Promise<T> {
  if (!(await takeLock(client)))
    await waitFor(log, 'another process that migrates the database', keepAsking(client))
  try {
    const done = await work()
    await client.query('commit')
    return done
  } catch (error) {
    // Fails where the server has gone away; the error reports that.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function keepAsking(client: pg.Client): Promise<void> {
  do await pause(ASK_EVERY_MS)
  while (!(await takeLock(client)))
}

/** Leaves a transaction that holds it. @returns false when another process does */
async function takeLock(client: pg.Client): Promise<boolean> {
  await client.query('begin')
  // A role may have a limit (docs/operations.md, A pooler); a large table takes as long as it needs.
  await client.query('set local statement_timeout = 0')
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as held', [MIGRATION_LOCK])
  if (rows[0]?.held) return true
  await client.query('rollback')
  return false
}

/**
 * Whether every migration that this code knows has been applied; part of readiness. Migrations of a newer version may be there
 * too: while it is rolled out, processes of both serve.
 */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ name: string }>('select name from migrations')
  const applied = new Set(rows.map(({ name }) => name))
  return migrationNames().every((name) => applied.has(name))
}

type Migration = { name: string; sql: string; sha256: string }

function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

function readMigrations(): Migration[] {
  return migrationNames().map((name) => {
    const sql = readFileSync(join(FOLDER, name), 'utf8')
    return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
  })
}

async function appliedMigrations(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from migrations')
  return new Map(rows.map((row) => [row.name, row.sha256]))
}

/** @returns false when another process has applied it meanwhile */
async function apply(client: pg.Client, migration: Migration): Promise<boolean> {
  const before = (await appliedMigrations(client)).get(migration.name)
  if (before === migration.sha256) return false
  if (before)
    throw new Error(`${migration.name} was edited after it had been applied; write a new migration instead`)
  try {
    await client.query(migration.sql)
  } catch (error) {
    throw new Error(`${migration.name} failed: ${reasonOf(error)}`, { cause: error })
  }
  await record(client, migration)
  return true
}

async function record(client: pg.Client, { name, sha256 }: Migration): Promise<void> {
  await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256])
}
