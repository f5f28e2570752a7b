import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase, silentLog, withDatabase } from '../../test/database/database.ts'
import { runOn } from '../../test/database/standby.ts'
import {
  findSystemPostgres,
  initialiseSystemPostgres,
  type SystemPostgres,
  startSystemPostgres,
} from '../../test/database/system-postgres.ts'
import { makeTrader, readTables, subscribe } from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { nodeEnvironment } from '../../test/processes/node-environment.ts'
import { connectDatabase } from '../platform/database/database.ts'
import { migrate } from '../platform/upgrade/migrate.ts'
import { connectionEnvironment } from './connection-environment.ts'
import { requireSettled } from './require-settled.ts'
import { restoreBackup } from './restore-backup.ts'
import { takeBackup } from './take-backup.ts'

const run = promisify(execFile)
const OPERATOR = join(import.meta.dirname, '../operator.ts')
const bin = findSystemPostgres()

let folder: string
let server: SystemPostgres | null = null

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-backup-'))
  if (!bin) return
  initialiseSystemPostgres(bin, join(folder, 'cluster'))
  server = await startSystemPostgres(bin, join(folder, 'cluster'))
})

afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The server of the system. Where there is none, logs the tests that are left out, and returns null. */
function needServer(): { url: string; bin: string } | null {
  if (server && bin) return { url: server.url, bin }
  console.warn('left out, since no PostgreSQL with its programs is installed here: backing up and restoring')
  return null
}

/** A folder with a stand-in for a program of PostgreSQL. @param script what it does */
function fakeProgram(name: string, script: string): string {
  const home = mkdtempSync(join(folder, 'fake-'))
  writeFileSync(join(home, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(home, name), 0o755)
  return home
}

/** `pg_dump` that writes the beginning of a file and then does what follows; `pg_restore` is as new. */
function halfDump(then: string): string {
  const home = fakeProgram(
    'pg_dump',
    `[ "$1" = --version ] && { echo 'pg_dump (PostgreSQL) 99.1'; exit; }
echo "$@" > ${folder}/arguments
for word; do case $word in --file=*) echo half > "\${word#--file=}";; esac; done
${then}`,
  )
  writeFileSync(join(home, 'pg_restore'), "#!/bin/sh\necho 'pg_restore (PostgreSQL) 99.1'\n")
  chmodSync(join(home, 'pg_restore'), 0o755)
  return home
}

const inFolder = () => readdirSync(folder).filter((name) => name.startsWith('half'))

test('a backup holds everything, and is restored into an empty database alone', async () => {
  const here = needServer()
  if (!here) return
  await runOn(here.url, 'create database product', 'create database restored')
  const [from, to] = [withDatabase(here.url, 'product'), withDatabase(here.url, 'restored')]
  await migrate(from, silentLog)
  const database = { ...connectDatabase({ url: from, size: 4, log: silentLog }), url: from }
  const restored = { ...connectDatabase({ url: to, size: 2, log: silentLog }), url: to }
  await using testApp = await buildTestApp({ database })
  const trader = await makeTrader(testApp)
  await subscribe(testApp, await makeTrader(testApp), trader)
  await publish(testApp.db, { ...trader, traderId: trader.userId }, { symbol: 'AAPL' }, TEST_NOW)

  const file = join(folder, 'product.backup')
  const tools = { folder: here.bin, databaseUrl: from }
  expect(await takeBackup({ db: database.db, tools }, file, TEST_NOW)).toContain(
    'Backed up as of 2026-03-04T15:00:00.000Z',
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(takeBackup({ db: database.db, tools }, file, TEST_NOW)).rejects.toThrow('is there already')
  const before = await readTables(testApp)

  const toRestored = { folder: here.bin, databaseUrl: to }
  await expect(restoreBackup(tools, file, TEST_NOW)).rejects.toThrow('This database is not empty')
  expect(await restoreBackup(toRestored, file, TEST_NOW)).toContain('2026-03-04T15:00:00.000Z')
  await expect(restoreBackup(toRestored, file, TEST_NOW)).rejects.toThrow('This database is not empty')
  const after = await readTables({ ...testApp, pool: restored.pool })
  // It knows that it was restored.
  const { 'public.backups': _here, ...rest } = before
  const { 'public.backups': _there, ...restoredRest } = after
  expect(restoredRest).toEqual(rest)

  await requireSettled(database.db)
  await expect(requireSettled(restored.db)).rejects.toThrow('restored to 2026-03-04T15:00:00.000Z')
  await Promise.all([database.close(), restored.close()])
})

test('a backup that is cut short is not restored, not even in part', async () => {
  const here = needServer()
  if (!here) return
  const file = join(folder, 'short.backup')
  writeFileSync(file, readFileSync(join(folder, 'product.backup')).subarray(0, -4000))
  await runOn(here.url, 'create database short')
  const to = withDatabase(here.url, 'short')
  await expect(restoreBackup({ folder: here.bin, databaseUrl: to }, file, TEST_NOW)).rejects.toThrow(
    'pg_restore failed',
  )
  expect(await runOn(to, "select from pg_tables where schemaname = 'public'")).toEqual([])
})

test('a backup that fails, or is interrupted, leaves no file behind', async () => {
  await using database = await openTestDatabase()
  const file = join(folder, 'half.backup')
  const tools = { folder: halfDump("echo 'the disk is full' >&2; exit 1"), databaseUrl: database.url }
  await expect(takeBackup({ db: database.db, tools }, file, TEST_NOW)).rejects.toThrow(
    'pg_dump failed:\nthe disk is full',
  )
  expect(inFolder()).toEqual([])
  const backups = () => database.db.selectFrom('backups').selectAll().execute()
  expect(await backups()).toEqual([])

  const child = execFile(process.execPath, [OPERATOR, 'backup', file], {
    cwd: folder,
    env: {
      ...nodeEnvironment,
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      PG_BIN: halfDump('exec sleep 60'),
    },
  })
  const printed = new Promise((resolve) => child.stderr?.setEncoding('utf8').on('data', resolve))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await expect
    .poll(() => inFolder().map((name) => readFileSync(join(folder, name), 'utf8')))
    .toEqual(['half\n'])
  expect(inFolder()).not.toContain('half.backup')
  child.kill('SIGTERM')
  expect(await printed).toBe('pg_dump was interrupted.\n')
  expect(await ended).toBe(1)
  expect(inFolder()).toEqual([])
  expect(await backups()).toEqual([])
  // Other users of the machine see the arguments of a program.
  const { password } = new URL(database.url)
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).not.toContain(password)
})

test('a program that is missing or too old is named, with what to install', async () => {
  await using database = await openTestDatabase()
  const env = { ...nodeEnvironment, NODE_ENV: 'test', DATABASE_URL: database.url, PG_BIN: '/nowhere' }
  const failed = run(process.execPath, [OPERATOR, 'backup', join(folder, 'none')], { cwd: folder, env })
  await expect(failed).rejects.toThrow(
    /There is no pg_dump in PG_BIN, which is \/nowhere\..* postgresql-client-<version>/,
  )
  const old = {
    folder: fakeProgram('pg_dump', "echo 'pg_dump (PostgreSQL) 9.6.24'"),
    databaseUrl: database.url,
  }
  await expect(takeBackup({ db: database.db, tools: old }, join(folder, 'none'), TEST_NOW)).rejects.toThrow(
    /pg_dump is of version 9 and the server of version \d+: install the client programs of version \d+/,
  )
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test('an address of a database becomes variables, and what has none is refused by name', () => {
  expect(connectionEnvironment('postgres://ada:p%40ss@[::1]:6000/the%20one?sslmode=verify-full')).toEqual({
    PGHOST: '::1',
    PGPORT: '6000',
    PGUSER: 'ada',
    PGPASSWORD: 'p@ss',
    PGDATABASE: 'the one',
    PGSSLMODE: 'verify-full',
  })
  expect(() => connectionEnvironment('postgres://db/product?secret=hidden')).toThrow(
    "PostgreSQL's programs cannot be given the parameter secret of DATABASE_URL.",
  )
})
