import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../src/dev/free-port.ts'
import { startGuarded } from '../../src/dev/guarded-process.ts'
import { DatabaseClient } from '../../src/platform/database/database-client.ts'
import { silentLog } from './database.ts'

const INSTALLED = '/usr/lib/postgresql'
const NEEDED = [
  'initdb',
  'postgres',
  'pg_dump',
  'pg_restore',
  'pg_basebackup',
  'pg_verifybackup',
  'pg_receivewal',
]
/** As root a server runs in its own user namespace, since it refuses uid 0. */
const AS_SOMEBODY = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--']
const PASSWORD = 'known to the test alone'

/** A PostgreSQL of the system's, with its programs, which the one from npm lacks. */
export type SystemPostgres = {
  url: string
  /** Of the cluster's files. */
  folder: string
  stop(): Promise<void>
  /** SIGKILL to its first process: what it had not written is lost. */
  kill(): Promise<void>
}

/** Folder of a PostgreSQL's programs, the newest that the system has; null where there is none, or none can run. */
export function findSystemPostgres(): string | null {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : []
  const bins = versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(INSTALLED, version, 'bin'))
  const found = bins.find((bin) => NEEDED.every((program) => existsSync(join(bin, program))))
  return found && canRun() ? found : null
}

function canRun(): boolean {
  const [command = '', ...args] = [...wrap(), 'true']
  return spawnSync(command, args).status === 0
}

const wrap = () => (process.getuid?.() === 0 ? AS_SOMEBODY : [])

/**
 * Makes a cluster, for `startSystemPostgres`.
 * @param bin of `findSystemPostgres`
 * @param folder made
 */
export function initialiseSystemPostgres(bin: string, folder: string): void {
  const passwordFile = `${folder}.password`
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 })
  const flags = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-sync']
  const [command = '', ...args] = [
    ...wrap(),
    join(bin, 'initdb'),
    ...flags,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ]
  execFileSync(command, [...args, '-D', folder], { stdio: 'ignore' })
  rmSync(passwordFile)
}

/**
 * Starts a server on a cluster. It does not wait for the disk, and cannot outlive this process.
 * @param options.port a free one unless given
 * @param options.settings of its configuration, as `max_connections=300`
 * @param options.isStandby it follows another server, and never takes writes
 */
export async function startSystemPostgres(
  bin: string,
  folder: string,
  {
    port: wanted,
    settings = [],
    isStandby = false,
  }: { port?: number; settings?: readonly string[]; isStandby?: boolean } = {},
): Promise<SystemPostgres> {
  const port = wanted ?? (await freePort())
  const all = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    ...settings,
  ]
  const [command = '', ...args] = [...wrap(), join(bin, 'postgres'), '-D', folder]
  const server = startGuarded(
    { command, args: [...args, ...all.flatMap((setting) => ['-c', setting])] },
    { as: null, log: silentLog },
  )
  const url = `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
  while (!(await answers(url, isStandby))) {
    const ended = await Promise.race([server.ended, pause(50)])
    if (ended) throw new Error(`PostgreSQL did not start: ${ended.output}`)
  }
  return {
    url,
    folder,
    stop: () => server.end(),
    async kill() {
      process.kill(Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      await server.ended
    },
  }
}

async function answers(url: string, isStandby: boolean): Promise<boolean> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    // One that is still recovering answers, and takes no writes.
    const { rows } = await client.query('select pg_is_in_recovery() as recovering')
    return rows[0]?.recovering === isStandby
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
