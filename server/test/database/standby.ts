import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts'
import { readPidFile } from '../../src/dev/postgres-leftovers.ts'
import { preparePlace } from '../../src/dev/postgres-place.ts'
import { DatabaseClient } from '../../src/platform/database/database-client.ts'
import { migrate } from '../../src/platform/upgrade/migrate.ts'
import { forgetDurability, silentLog } from './database.ts'
import { initialiseSystemPostgres, startSystemPostgres } from './system-postgres.ts'

/** A migrated PostgreSQL and a streaming replica of it, each a server of its own. */
export type PrimaryAndStandby = AsyncDisposable & { primary: { url: string }; standby: { url: string } }

/** Of the embedded PostgreSQL. */
export type ReplicatedPostgres = PrimaryAndStandby & {
  primary: EmbeddedPostgres
  standby: EmbeddedPostgres
  /** SIGKILL, and nobody starts it again. */
  killPrimary(): Promise<void>
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const home = mkdtempSync(join(tmpdir(), 'tradepost-replica-'))
  const start = (name: string) => startEmbeddedPostgres({ dataDir: join(home, name), log: silentLog })
  const first = await start('primary')
  await forgetDurability(first.url)
  await migrate(first.url, silentLog)
  await nobodyConnected(first.url)
  await first.stop()
  const [of, to] = [preparePlace(join(home, 'primary')), preparePlace(join(home, 'standby'))]
  // The folder of a stopped server is a base backup of it.
  execFileSync('cp', ['-a', of.cluster, to.cluster])
  execFileSync('cp', ['-a', of.passwordFile, to.passwordFile])
  const primary = await start('primary')
  follow(to.cluster, primary.url)
  const standby = await start('standby')
  let primaryEnded: Promise<void> | null = null
  return {
    primary,
    standby,
    killPrimary() {
      process.kill(readPidFile(of)?.pid ?? 0, 'SIGKILL')
      primaryEnded = primary.stop()
      return primaryEnded
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([primaryEnded ?? primary.stop(), standby.stop()])
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/**
 * The same of a PostgreSQL of the system's.
 * @param bin of `findSystemPostgres`
 */
export async function startReplicatedSystemPostgres(bin: string): Promise<PrimaryAndStandby> {
  const home = mkdtempSync(join(tmpdir(), 'tradepost-replica-'))
  const [of, to] = [join(home, 'primary'), join(home, 'standby')]
  initialiseSystemPostgres(bin, of)
  const first = await startSystemPostgres(bin, of)
  await migrate(first.url, silentLog)
  await nobodyConnected(first.url)
  await first.stop()
  execFileSync('cp', ['-a', of, to])
  const primary = await startSystemPostgres(bin, of)
  follow(to, primary.url)
  const standby = await startSystemPostgres(bin, to, { isStandby: true })
  return {
    primary,
    standby,
    async [Symbol.asyncDispose]() {
      await Promise.all([primary.stop(), standby.stop()])
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Makes what a copied cluster starts as the standby of that server. */
function follow(cluster: string, primaryUrl: string): void {
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${primaryUrl}?application_name=standby'\n`,
  )
  writeFileSync(join(cluster, 'standby.signal'), '')
}

/** Connections whose goodbye has not arrived would report the end of their server as an error. */
async function nobodyConnected(url: string): Promise<void> {
  const others = `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`
  while ((await runOn(url, others)).length > 0) await pause(20)
}

/** Runs statements on a server, and answers the rows of the last one. */
export async function runOn(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new DatabaseClient({ connectionString: url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}
