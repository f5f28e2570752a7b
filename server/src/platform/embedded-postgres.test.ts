import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { silentLog } from '../../test/database.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

const folders: string[] = []

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-pg-'))
  folders.push(folder)
  return folder
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T & pg.QueryResultRow>(sql)).rows
  } finally {
    await client.end()
  }
}

test('the database is UTF-8, keeps its data over a restart, and lies under a folder only its owner may enter', async () => {
  const closed = join(newFolder(), 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0o700)
  const first = await startEmbeddedPostgres({ dataDir: closed, log: silentLog })
  await ask(first.url, "create table kept as select 'Zürich — 東京' as place")
  expect(await ask(first.url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }])
  await first.stop()
  const second = await startEmbeddedPostgres({ dataDir: closed, log: silentLog })
  expect(await ask(second.url, 'select place from kept')).toEqual([{ place: 'Zürich — 東京' }])
  await second.stop()
})

test('a second product on the same data directory is refused, and does not stop the first', async () => {
  const dataDir = newFolder()
  const first = await startEmbeddedPostgres({ dataDir, log: silentLog })
  await expect(startEmbeddedPostgres({ dataDir, log: silentLog })).rejects.toThrow('already running')
  expect(await ask(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await first.stop()
})

test('the server that a killed parent left behind is taken over', async () => {
  const dataDir = newFolder()
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))}
       import { makeLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
       await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: makeLog('silent', false) })
       console.log('ready')
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  const ended = new Promise((resolve) => parent.once('exit', resolve))
  parent.kill('SIGKILL')
  await ended
  const next = await startEmbeddedPostgres({ dataDir, log: silentLog })
  expect(await ask(next.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await next.stop()
})
