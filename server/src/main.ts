/**
 * The product's one entrance: `node server/src/main.ts [all|api|worker]`. `all` (the default) is both, with the
 * embedded database and the sandbox where nothing real is configured. SIGTERM and Ctrl-C drain and end within 5 s.
 */
import { existsSync } from 'node:fs'
import { buildApp } from './app.ts'
import { prepareStripe } from './payments/prepare-stripe.ts'
import { makeStripe } from './payments/stripe-client.ts'
import { clockOf } from './platform/clock.ts'
import { connectDatabase } from './platform/database.ts'
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts'
import { type Env, EnvError, readEnv } from './platform/env.ts'
import { type Log, makeLog } from './platform/log.ts'
import { migrate } from './platform/migrate.ts'
import { startSandboxProcess } from './platform/sandbox-process.ts'
import { makeSettings, sandboxParts } from './platform/settings.ts'
import { makePriceSource } from './quotes/price-source.ts'
import { startWorker } from './worker.ts'

const ROLES = ['all', 'api', 'worker'] as const
type Role = (typeof ROLES)[number]
const EXIT_TIMEOUT_MS = 5000

type Closer = () => Promise<unknown>

async function start(role: Role, env: Env, log: Log, closers: Closer[]): Promise<string> {
  const clock = clockOf(env)
  const parts = role === 'all' ? sandboxParts(env) : []
  const [databaseUrl, sandbox] = await Promise.all([
    openDatabaseServer(role, env, log, closers),
    parts.length > 0 ? startSandboxProcess(env, parts, log) : null,
  ])
  if (sandbox) closers.push(() => sandbox.stop())
  const settings = makeSettings(env, sandbox?.address)

  await migrate(databaseUrl, log)
  const database = connectDatabase({ url: databaseUrl, size: env.DATABASE_POOL_SIZE, log })
  closers.push(() => database.close())
  const deps = {
    db: database.db,
    pipelined: database.pipelined,
    pool: database.pool,
    disk: database.disk,
    databaseUrl,
    clock,
    log,
    settings,
  }

  const stripe = makeStripe(settings, 'request')
  await prepareStripe({ ...deps, stripe }, parts.includes('stripe') ? localOrigin(env) : null, clock.now())
  if (role !== 'api') {
    const worker = await startWorker(deps)
    closers.push(() => worker.stop())
  }
  if (role === 'worker') return 'Tradepost worker is running.'
  const prices = makePriceSource({ ...settings.quotes, clock, log })
  const app = await buildApp({ ...deps, prices, webPages: true })
  closers.push(() => app.close())
  await app.listen({ host: env.HOST, port: env.PORT })
  return greeting(settings.origin, settings.sandbox)
}

async function openDatabaseServer(role: Role, env: Env, log: Log, closers: Closer[]): Promise<string> {
  if (env.DATABASE_URL) return env.DATABASE_URL
  if (role !== 'all') throw new Error(`The role "${role}" needs DATABASE_URL.`)
  const postgres = await startEmbeddedPostgres({ dataDir: env.DATA_DIR, log })
  // Last to go: everything else may still have something to write.
  closers.unshift(() => postgres.stop())
  return postgres.url
}

/** Where a process of this machine reaches the API. */
function localOrigin(env: Env): string {
  return `http://${env.HOST === '::1' ? '[::1]' : '127.0.0.1'}:${env.PORT}`
}

function greeting(origin: string, sandbox: { url: string; mail: boolean } | null): string {
  const lines = ['', `  Tradepost   ${origin}`]
  if (sandbox?.mail) lines.push(`  Mailbox     ${sandbox.url}/mail   (sign-in codes arrive here)`)
  if (sandbox) lines.push(`  Sandbox     ${sandbox.url}`)
  return [...lines, '', '  Ctrl-C stops everything.', ''].join('\n')
}

/** Closes in reverse order of opening; each gets its chance, and the process ends in time whatever hangs. */
async function stop(closers: Closer[], log: Log): Promise<void> {
  const timer = setTimeout(() => {
    log.error('stopping took too long')
    process.exit(1)
  }, EXIT_TIMEOUT_MS)
  timer.unref()
  for (const close of closers.splice(0).reverse()) {
    await close().catch((error: Error) => log.error({ reason: error.message }, 'something did not close'))
  }
}

async function main(): Promise<void> {
  const role = ROLES.find((known) => known === (process.argv[2] ?? 'all'))
  if (!role) throw new Error(`Unknown role "${process.argv[2]}": one of ${ROLES.join(', ')}.`)
  if (existsSync('.env')) process.loadEnvFile('.env')
  const env = readEnv(process.env)
  const log = makeLog(env.LOG_LEVEL, env.NODE_ENV !== 'production')
  const closers: Closer[] = []
  let stopping: Promise<void> | null = null
  const end = (code: number) => {
    stopping ??= stop(closers, log).then(() => process.exit(code))
    return stopping
  }
  process.on('SIGINT', () => end(0))
  process.on('SIGTERM', () => end(0))
  try {
    const message = await start(role, env, log, closers)
    process.stdout.write(`${message}\n`)
  } catch (error) {
    if (!stopping) process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    await end(1)
  }
}

try {
  await main()
} catch (error) {
  const faults = error instanceof EnvError ? `The environment is not right:\n${error.message}` : String(error)
  process.stderr.write(`${faults}\n`)
  process.exit(1)
}
