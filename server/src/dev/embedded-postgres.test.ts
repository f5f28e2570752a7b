import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../test/database/database.ts'
import { DatabaseClient } from '../platform/database/database-client.ts'
import { ownDataDir } from './data-dir-owner.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres, startOwnedPostgres } from './embedded-postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-pg-'))
/** Of one test after the other, since making a cluster takes longest. */
const dataDir = join(folder, 'closed')
mkdirSync(dataDir, { mode: 0o700 })
const pidFile = join(dataDir, 'postgres', 'postmaster.pid')

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

function start(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, log: silentLog })
}

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new DatabaseClient({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T & pg.QueryResultRow>(sql)).rows
  } finally {
    await client.end()
  }
}

/** A separate process that starts it and prints the outcome. */
async function startElsewhere(): Promise<{ child: ChildProcess; printed: string }> {
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))}
    import { makeLog } from ${JSON.stringify(join(import.meta.dirname, '../platform/log.ts'))}
    const start = startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: makeLog('silent', false) })
    console.log(await start.then(() => 'ready', (error) => error.message))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(child.stdout, 'data')
  return { child, printed: String(printed).trim() }
}

async function kill({ child }: { child: ChildProcess }): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

function serverPid(): number {
  return Number(readFileSync(pidFile, 'utf8').split('\n')[0])
}

/** One that nobody has reaped yet does not count. */
function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  return state !== '' && !state.startsWith('Z')
}

test('of two first starts at once one owns the folder, and the other names the process that does', async () => {
  const both = await Promise.all([startElsewhere(), startElsewhere()])
  const [owner] = both.filter(({ printed }) => printed === 'ready')
  const [loser] = both.filter(({ printed }) => printed !== 'ready')
  expect(loser?.printed).toMatch(
    new RegExp(
      `^Tradepost is already running on this data directory \\(process ${owner?.child.pid}, since 20..-..-.. ..:.. UTC\\)\\. Stop it, or set another DATA_DIR\\.$`,
    ),
  )
  await Promise.all(both.map(kill))
})

test('the database is UTF-8, keeps its data over a restart, and lies under a folder only its owner may enter', async () => {
  const first = await start()
  await ask(first.url, "create table kept as select 'Zürich — 東京' as place")
  expect(await ask(first.url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }])
  await first.stop()
  const second = await start()
  expect(await ask(second.url, 'select place from kept')).toEqual([{ place: 'Zürich — 東京' }])
  await second.stop()
})

test('a start logs that another process works at it before that answers', async () => {
  const spawned = Promise.withResolvers<'spawned'>()
  const starting = startOwnedPostgres(await ownDataDir(dataDir), silentLog, {
    onSpawn: () => spawned.resolve('spawned'),
  })
  expect(await Promise.race([spawned.promise, starting.then(() => 'answers')])).toBe('spawned')
  await (await starting).stop()
})

test('a second product on the same data directory is refused, and does not stop the first', async () => {
  const first = await start()
  await expect(start()).rejects.toThrow('already running')
  expect(await ask(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await first.stop()
})

test('a backend that is killed leaves the owner its folder and its database', async () => {
  const first = await start()
  const client = new DatabaseClient({ connectionString: first.url })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend'",
  )
  for (const { pid } of rows) process.kill(pid, 'SIGKILL')
  await expect(start()).rejects.toThrow('already running')
  await expect.poll(() => ask(first.url, 'select 1 as one').catch(() => null)).toEqual([{ one: 1 }])
  await first.stop()
})

test('a server that is killed answers again at the same address', async () => {
  const postgres = await start()
  process.kill(serverPid(), 'SIGKILL')
  const answer = () => ask(postgres.url, 'select place from kept').catch(() => null)
  await expect.poll(answer).toEqual([{ place: 'Zürich — 東京' }])
  await expect(start()).rejects.toThrow('already running')
  await postgres.stop()
})

test('a server that is killed just before the product ends is reported still', async () => {
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line).msg) })
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  process.kill(serverPid(), 'SIGKILL')
  await postgres.stop()
  expect(logged).toContain('PostgreSQL has ended unexpectedly')
})

test('a server that cannot be started again is lost, with a sentence that names the reason', async () => {
  const postgres = await start()
  const version = join(dataDir, 'postgres', 'PG_VERSION')
  renameSync(version, `${version}.away`)
  process.kill(serverPid(), 'SIGKILL')
  expect((await postgres.lost).message).toMatch(/^PostgreSQL did not start: .*is not a valid data directory/)
  await postgres.stop()
  renameSync(`${version}.away`, version)
})

test('a server that lost its guard too is ended by the next start, which finds its data', async () => {
  const parent = await startElsewhere()
  const left = serverPid()
  parent.child.kill('SIGSTOP')
  const guard = execFileSync('ps', ['-o', 'ppid=', '-p', String(left)], { encoding: 'utf8' }).trim()
  const guards = execFileSync('pgrep', ['-P', guard], { encoding: 'utf8' }).trim().split('\n')
  for (const pid of [guard, ...guards]) if (pid !== String(left)) process.kill(Number(pid), 'SIGKILL')
  await kill(parent)
  expect(isAlive(left)).toBe(true)
  const next = await start()
  expect(isAlive(left)).toBe(false)
  expect(await ask(next.url, 'select place from kept')).toEqual([{ place: 'Zürich — 東京' }])
  await next.stop()
})

test('a server ends with the process that started it', async () => {
  const parent = await startElsewhere()
  const left = serverPid()
  await kill(parent)
  await expect.poll(() => isAlive(left)).toBe(false)
})

test('a postmaster.pid that names a living stranger keeps nobody from starting', async () => {
  const stranger = spawn('sleep', ['60'])
  writeFileSync(pidFile, `${stranger.pid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n\n127.0.0.1\n`)
  const postgres = await start()
  expect(await ask(postgres.url, 'select place from kept')).toEqual([{ place: 'Zürich — 東京' }])
  await postgres.stop()
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
  stranger.kill()
})
