import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from './platform/free-port.ts'

const ROOT = join(import.meta.dirname, '../..')
const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-main-'))
const environment: Record<string, string> = {}
const started: number[] = []

beforeAll(async () => {
  const [port, sandboxPort, smtpPort] = await Promise.all([freePort(), freePort(), freePort()])
  Object.assign(environment, {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_SMTP_PORT: String(smtpPort),
  })
})

afterAll(async () => {
  for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  await expect.poll(() => readPid('postgres/postmaster.pid'), { timeout: 10_000 }).toBeNull()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

/** `npm start`, without the build before it. */
function startProduct(): { npm: ChildProcess; said(): string } {
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(npm.pid ?? 0)
  let said = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return { npm, said: () => said }
}

type Running = { npm: ChildProcess; node: number; postgres: number }

async function startReady(): Promise<Running> {
  const { npm, said } = startProduct()
  await expect.poll(said, { timeout: 60_000 }).toContain('Ctrl-C stops everything')
  const node = Number(/process (\d+)/.exec(readFileSync(join(dataDir, 'owner.txt'), 'utf8'))?.[1])
  started.push(node)
  return { npm, node, postgres: readPid('postgres/postmaster.pid') ?? 0 }
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

async function whatIsLeft({ npm, node, postgres }: Running): Promise<string[]> {
  const left: string[] = []
  if (npm.exitCode === null && npm.signalCode === null) left.push('npm')
  if (isAlive(node)) left.push('product')
  if (isAlive(postgres)) left.push('PostgreSQL')
  if (await answers(environment.PORT)) left.push('API')
  if (await answers(environment.SANDBOX_PORT)) left.push('sandbox')
  return left
}

for (const [receiver, signal] of [
  ['npm', 'SIGTERM'],
  ['npm', 'SIGINT'],
  ['npm', 'SIGHUP'],
  ['npm', 'SIGKILL'],
  ['product', 'SIGTERM'],
  ['product', 'SIGHUP'],
  ['product', 'SIGQUIT'],
  ['product', 'SIGKILL'],
] as const) {
  test(`${signal} to ${receiver} ends npm, product, PostgreSQL and sandbox within five seconds`, async () => {
    const running = await startReady()
    expect(await whatIsLeft(running)).toEqual(['npm', 'product', 'PostgreSQL', 'API', 'sandbox'])
    process.kill(receiver === 'npm' ? (running.npm.pid ?? 0) : running.node, signal)
    await expect.poll(() => whatIsLeft(running), { timeout: 5000 }).toEqual([])
  })
}
