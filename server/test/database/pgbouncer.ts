import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { answers } from '../../src/dev/embedded-postgres.ts'
import { freePort } from '../../src/dev/free-port.ts'
import { startGuarded } from '../../src/dev/guarded-process.ts'
import { silentLog } from './database.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
const POLL_MS = 50

/** Whether the system has a PgBouncer. */
export const hasPgBouncer = existsSync(PROGRAM)

/** Since which version it can keep prepared statements, and has a setting for it. */
const KEEPS_SINCE = 21

/** The settings with which any version forgets prepared statements. */
export function forgetting(): string[] {
  const words = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' }).stdout
  const minor = Number(/^PgBouncer 1\.(\d+)/.exec(words)?.[1])
  return ['pool_mode = transaction', ...(minor >= KEEPS_SINCE ? ['max_prepared_statements = 0'] : [])]
}

/**
 * Starts the system's PgBouncer in front of a database.
 * @param settings lines of its section `[pgbouncer]`, as `pool_mode = transaction`
 */
export async function startPgBouncer(databaseUrl: string, settings: readonly string[]) {
  const { hostname, password, pathname, port: target, username } = new URL(databaseUrl)
  const name = pathname.slice(1)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const login = `user=${username} password=${decodeURIComponent(password)}`
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${target} dbname=${name} ${login}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    ...settings,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  const args = [file]
  // It refuses to run as root, and namespaces give it another id as they do PostgreSQL.
  const wrap =
    process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : []
  const [command = '', ...rest] = [...wrap, PROGRAM, ...args]
  const running = startGuarded({ command, args: rest }, { as: null, log: silentLog })
  const url = `postgres://${username}:any@127.0.0.1:${port}/${name}`
  while (!(await answers(url))) {
    const ended = await Promise.race([running.ended, pause(POLL_MS)])
    if (ended) throw new Error(`PgBouncer did not start: ${ended.output}`)
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      await running.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
