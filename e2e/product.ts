import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { freePort } from '../server/src/dev/free-port.ts'
import { connectDatabase, type Database } from '../server/src/platform/database/database.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { makeFolderInMemory } from '../server/test/database/folder-in-memory.ts'
import { nodeEnvironment } from '../server/test/processes/node-environment.ts'

/** The whole product as `npm start` runs it, on free ports and with its own data directory. */
export type Product = {
  url: string
  sandboxUrl: string
  database: Database
  /** Of its process. */
  pid: number
  /** The variables that it runs with, for commands that work on the running product. */
  environment: Record<string, string>
  /** Moves the clock of API, worker and sandbox so that it reads `instant` now; it runs on from there. */
  setTime(instant: Date): void
  now(): Date
  stop(): Promise<void>
}

const MAIN = join(import.meta.dirname, '../server/dist/main.js')
const SEED = join(import.meta.dirname, '../server/src/dev/seed.ts')
const READY_TIMEOUT_MS = 500_000

/** A Wednesday in market hours: where every journey begins. */
export const MARKET_OPEN_AT = new Date('2026-11-18T15:00:00.000Z')

/** The address of the operator, which gets feedback and alerts. */
export const OPERATOR_EMAIL = 'operator@people.example'

/** @param variables environment beside the tests' own: hours and limits as in production, code spacing off */
export async function startProduct(variables: Record<string, string> = {}): Promise<Product> {
  const dataDir = makeFolderInMemory('tradepost-e2e-')
  const clockFile = join(dataDir, 'clock-offset')
  let offset = 0
  const setTime = (instant: Date) => {
    offset = instant.getTime() - Date.now()
    // In one step: a process that looked between the emptying and the writing of the file would be a week ahead for an instant.
    writeFileSync(`${clockFile}.next`, String(offset))
    renameSync(`${clockFile}.next`, clockFile)
  }
  setTime(MARKET_OPEN_AT)
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  const { child, environment } = await launch({
    ...nodeEnvironment,
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    CLOCK_FILE: clockFile,
    PUSH_LOOPBACK: 'on',
    MARKET_OVERRIDE: 'none',
    RATE_LIMITS: 'off',
    AUTH_CODE_SPACING_SECONDS: '0',
    LOG_LEVEL: 'warn',
    OPERATOR_EMAIL,
    ...variables,
  }).catch(async (error) => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
    throw error
  })
  const database = connectDatabase({ url: postgres.url, size: 4, log })
  return {
    url: urlOf(environment),
    sandboxUrl: `http://localhost:${environment.SANDBOX_PORT}`,
    database,
    pid: child.pid ?? 0,
    environment,
    setTime,
    now: () => new Date(Date.now() + offset),
    async stop() {
      await database.close()
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The product with its demo world. @param variables as in `startProduct` @throws when that cannot be made */
export async function startSeededProduct(variables: Record<string, string> = {}): Promise<Product> {
  const product = await startProduct(variables)
  const seeded = spawnSync(process.execPath, [SEED], {
    stdio: 'inherit',
    env: { ...process.env, ...product.environment },
  })
  if (seeded.status === 0) return product
  await product.stop()
  throw new Error('the demo world could not be made')
}

type Launched = { child: ChildProcess; environment: Record<string, string> & { PORT: string } }

/** Starts the product on free ports; once more on others when somebody took one of them meanwhile. */
async function launch(variables: Record<string, string>, triesLeft = 2): Promise<Launched> {
  const [port, sandboxPort, smtpPort] = await Promise.all([freePort(), freePort(), freePort()])
  const environment = {
    ...variables,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_SMTP_PORT: String(smtpPort),
  }
  const child = spawn(process.execPath, [MAIN, 'all'], {
    cwd: variables.DATA_DIR,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  })
  try {
    await untilReady(child, urlOf(environment))
    return { child, environment }
  } catch (error) {
    if (triesLeft === 0 || !String(error).includes('EADDRINUSE')) throw error
    return launch(variables, triesLeft - 1)
  }
}

function urlOf({ PORT }: { PORT: string }): string {
  return `http://localhost:${PORT}`
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const output: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => output.push(text))
  child.stdout?.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null) {
    const ready = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ready) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`The product did not start: ${output.join('')}`)
}
