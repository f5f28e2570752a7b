import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestDatabase } from '../test/database/database.ts'
import { nodeEnvironment } from '../test/processes/node-environment.ts'
import { startWorkerProcess } from '../test/processes/worker-process.ts'
import { freePort } from './dev/free-port.ts'

const ROOT = join(import.meta.dirname, '../..')
const dataDir = mkdtempSync(join(tmpdir(), 'tradepost main ü '))
const environment: Record<string, string> = {}
const started: number[] = []

// Drawn for each start: one that was drawn long ago may have been taken since.
beforeEach(async () => {
  const [port, sandboxPort, smtpPort] = await Promise.all([freePort(), freePort(), freePort()])
  Object.assign(environment, {
    ...nodeEnvironment,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_SMTP_PORT: String(smtpPort),
    LOG_LEVEL: 'debug',
  })
})

afterAll(async () => {
  for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  const postgres = readPid('postgres/postmaster.pid')
  if (postgres) await vi.waitFor(() => expect(isAlive(postgres)).toBe(false), 120_000)
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

type Started = { npm: ChildProcess; printed(): string }

/** `npm start`. */
function startProduct(): Started {
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(npm.pid ?? 0)
  let printed = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  return { npm, printed: () => printed }
}

type Running = { npm: ChildProcess; product: number; postgres: number }

async function whenReady({ npm, printed }: Started): Promise<Running> {
  await expect
    .poll(() => printed().includes('Ctrl-C stops everything') || npm.exitCode !== null)
    .toBe(true)
    .catch(() => undefined)
  // An assertion would show the beginning alone.
  if (!printed().includes('Ctrl-C stops everything'))
    throw new Error(`It is not ready, and printed:\n${printed()}`)
  const product = Number(/process (\d+)/.exec(readFileSync(join(dataDir, 'owner.txt'), 'utf8'))?.[1])
  started.push(product)
  return { npm, product, postgres: readPid('postgres/postmaster.pid') ?? 0 }
}

function readPid(file: string): number | null {
  try {
    return Number(readFileSync(join(dataDir, file), 'utf8').split('\n')[0])
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function answers(port: string | undefined): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}

async function whatIsLeft({ npm, product, postgres }: Running): Promise<string[]> {
  const left: string[] = []
  if (npm.exitCode === null && npm.signalCode === null) left.push('npm')
  if (isAlive(product)) left.push('product')
  if (isAlive(postgres)) left.push('PostgreSQL')
  if (await answers(environment.PORT)) left.push('API')
  if (await answers(environment.SANDBOX_PORT)) left.push('sandbox')
  return left
}

test('of two first starts at once one runs and the other names it, and killed, the one leaves nothing running', async () => {
  const starts = [startProduct(), startProduct()]
  const ends = starts.map(async (start) => {
    const [code] = await once(start.npm, 'exit')
    return { code, start }
  })
  const { code, start: loser } = await Promise.race(ends)
  const [winner] = starts.filter((start) => start !== loser)
  const running = await whenReady(winner as Started)
  expect(code).toBe(1)
  expect(loser.printed()).toContain(
    `Tradepost is already running on this data directory (process ${running.product}, since 20`,
  )
  expect(await whatIsLeft(running)).toEqual(['npm', 'product', 'PostgreSQL', 'API', 'sandbox'])
  const page = await fetch(`http://127.0.0.1:${environment.PORT}/`, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  process.kill(running.product, 'SIGKILL')
  await expect.poll(() => whatIsLeft(running)).toEqual([])
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
  test(`${signal} to npm ends product, PostgreSQL and sandbox`, async () => {
    const running = await whenReady(startProduct())
    expect(await whatIsLeft(running)).toEqual(['npm', 'product', 'PostgreSQL', 'API', 'sandbox'])
    process.kill(running.npm.pid ?? 0, signal)
    await expect.poll(() => whatIsLeft(running)).toEqual([])
  })
}

test('SIGHUP to the product ends everything well, although its output is not read any more', async () => {
  const running = await whenReady(startProduct())
  running.npm.stdout?.destroy()
  running.npm.stderr?.destroy()
  process.kill(running.product, 'SIGHUP')
  await expect.poll(() => whatIsLeft(running)).toEqual([])
  expect(running.npm.exitCode).toBe(0)
})

test('a product whose PostgreSQL dies and cannot be started again ends with a sentence and exit code 1', async () => {
  const started = startProduct()
  const running = await whenReady(started)
  const version = join(dataDir, 'postgres/PG_VERSION')
  renameSync(version, `${version}.away`)
  process.kill(running.postgres, 'SIGKILL')
  await expect.poll(() => whatIsLeft(running)).toEqual([])
  expect(running.npm.exitCode).toBe(1)
  expect(started.printed()).toContain('\nPostgreSQL did not start: ')
})

test('a start whose database stands still while it is migrated logs for whom it waits, and goes on', async () => {
  await using database = await openTestDatabase()
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query('lock table migrations')
  const api = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'api'], {
    env: { ...environment, DATABASE_URL: database.url, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(api.pid ?? 0)
  let printed = ''
  api.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await expect
    .poll(() => printed)
    .toContain('still waiting for the database, which is migrated: this machine may be busy')
  await other.query('commit')
  other.release()
  await expect.poll(() => printed).toContain('Ctrl-C stops everything')
  api.kill('SIGTERM')
  expect(await once(api, 'exit')).toEqual([0, null])
})

test('an api process is ready while no worker runs, answers whether one does, and exposes figures as the worker does', async () => {
  await using database = await openTestDatabase()
  const [ofApi, ofWorker] = await Promise.all([freePort(), freePort()])
  const api = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'api'], {
    env: { ...environment, DATABASE_URL: database.url, LOG_LEVEL: 'error', METRICS_PORT: String(ofApi) },
    stdio: 'ignore',
  })
  started.push(api.pid ?? 0)
  const readiness = () =>
    fetch(`http://127.0.0.1:${environment.PORT}/readyz`).then(
      async (answer) => ({
        status: answer.status,
        worker: ((await answer.json()) as { worker: boolean }).worker,
      }),
      () => null,
    )
  await expect.poll(readiness).toEqual({ status: 200, worker: false })
  const worker = await startWorkerProcess({
    databaseUrl: database.url,
    smtpUrl: 'smtp://127.0.0.1:9',
    connections: 1,
    metricsPort: ofWorker,
  })
  await expect.poll(readiness).toEqual({ status: 200, worker: true })
  const lives = async (port: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
    return /^tradepost_worker_running (\d)$/m.exec(await answer.text())?.[1]
  }
  expect([await lives(ofApi), await lives(ofWorker)]).toEqual(['1', '1'])
  await worker.kill()
  await expect.poll(readiness).toEqual({ status: 200, worker: false })
  expect(await lives(ofApi)).toBe('0')
  api.kill('SIGTERM')
  expect(await once(api, 'exit')).toEqual([0, null])
})

test('little is loaded before PostgreSQL and the sandbox are started: the rest is meanwhile', () => {
  const noting = `
    import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context) } })`
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(noting)}`,
      join(import.meta.dirname, 'main.ts'),
      'nobody',
    ],
    { env: environment, encoding: 'utf8' },
  )
  const packages = stdout.matchAll(/\/node_modules\/(?!.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)/g)
  const names = new Set([...packages].map(([, name = '']) => name))
  expect([names.has('zod'), names.has('pino')]).toEqual([true, true])
  expect(['fastify', 'stripe', 'kysely', 'nodemailer'].filter((name) => names.has(name))).toEqual([])
  // Of the product's own, without tests and libraries.
  const own = new Set([...stdout.matchAll(/\/(?:server|contract)\/src\/\S+/g)].map(([path]) => path))
  expect(own.size).toBeLessThan(30)
})
