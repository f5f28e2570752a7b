import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runMigrations as migrateQueue } from 'graphile-worker'
import pg from 'pg'
import type { Log } from './log.ts'

const FOLDER = join(import.meta.dirname, '../../migrations')
/** Any number, the same in every process: one of them migrates, the others wait. */
const MIGRATION_LOCK = 7_238_461

/**
 * Applies server/migrations/*.sql in order, each in a transaction, and the job queue's own. Safe to run by many at
 * once and again and again.
 * @throws when an applied file was edited since: migrations go forward only
 */
export async function migrate(databaseUrl: string, log: Log): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(
      'create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    const applied = await appliedMigrations(client)
    for (const migration of readMigrations()) {
      const before = applied.get(migration.name)
      if (before === migration.sha256) continue
      if (before)
        throw new Error(
          `${migration.name} was edited after it had been applied; write a new migration instead`,
        )
      await apply(client, migration)
      log.info(`applied ${migration.name}`)
    }
    await migrateQueue({ connectionString: databaseUrl })
  } finally {
    await client.end()
  }
}

/**
 * Whether every migration that this code knows has been applied; part of readiness. Those of a newer version may be there
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

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into migrations (name, sha256) values ($1, $2)', [
      migration.name,
      migration.sha256,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`${migration.name} failed`, { cause: error })
  }
}
