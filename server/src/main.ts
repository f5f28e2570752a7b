/**
 * Starts the product: `node server/src/main.ts [all|api|worker]`. `all` (the default) is `api` and `worker` in one process,
 * with the embedded database and the sandbox for whatever is not configured. On SIGTERM, Ctrl-C, a closed terminal or the
 * end of npm the process drains for DRAIN_SECONDS, finishes what it has begun, and exits within 5 s.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { type AppDeps, buildApp } from './app.ts'
import { requireSettled } from './backup/require-settled.ts'
import { claimEmbeddedPostgres, startSandbox } from './local-services.ts'
import { serveMetrics } from './monitoring/serve-metrics.ts'
import { prepareStripe } from './payments/prepare-stripe.ts'
import { makeStripe } from './payments/stripe-client.ts'
import { clockOf } from './platform/clock.ts'
import { connectDatabase, untilAnswered } from './platform/database.ts'
import { endWithNpm } from './platform/end-with-npm.ts'
import { type Env, EnvError, readEnv, sandboxParts } from './platform/env.ts'
import { type Log, makeLog, reasonOf } from './platform/log.ts'
import { migrate } from './platform/migrate.ts'
import { readAllFromPrimary, readOthersFromReplica } from './platform/replica.ts'
import { requireUsableDatabase } from './platform/require-usable-database.ts'
import { makeSettings } from './platform/settings.ts'
import { unknownVariables } from './platform/unknown-variables.ts'
import { waitFor } from './platform/wait-for.ts'
import { makeFinnhub } from './quotes/adapters/finnhub.ts'
import { makePriceSource } from './quotes/price-source.ts'
import type { PriceProvider } from './quotes/provider.ts'
import { type Calls, makeCalls } from './quotes/take-call.ts'
import { startWorker } from './worker.ts'

const ROLES = ['all', 'api', 'worker'] as const
type Role = (typeof ROLES)[number]
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const EXIT_TIMEOUT_MS = 5000

type Closer = { what: string; close(): Promise<unknown> }

/**
 * How the running parts end. `draining` is aborted some seconds before that; `closers` close them, the last one first; `fail` ends the
 * process at once, with exit code 1.
 */
type Life = { draining: AbortSignal; closers: Closer[]; fail(error: unknown): Promise<void> }

async function start(role: Role, env: Env, log: Log, life: Life): Promise<string> {
  const { closers } = life
  const clock = clockOf(env)
  const parts = role === 'all' ? sandboxParts(env) : []
  const openDatabase = await chooseDatabase(role, env, log, life)
  const [databaseUrl, sandbox] = await Promise.all([
    openDatabase(),
    parts.length > 0 ? startSandbox(env, parts, log, life) : undefined,
  ])
  const settings = makeSettings(env, sandbox)

  const directUrl = env.DATABASE_DIRECT_URL ?? databaseUrl
  await waitFor(log, 'the database, which is migrated: this machine may be busy', migrate(directUrl, log))
  const pooled = env.DATABASE_DIRECT_URL !== undefined
  const database = connectDatabase({ url: databaseUrl, size: env.DATABASE_POOL_SIZE, pooled, log })
  closers.push({ what: 'the database', close: () => database.close() })
  const tryDatabase = async () => {
    await requireUsableDatabase(database)
    await requireSettled(database.db)
  }
  await waitFor(log, 'the database: this machine may be busy', untilAnswered(log, tryDatabase))
  const deps = {
    db: database.db,
    pipelined: database.pipelined,
    pool: database.pool,
    disk: database.disk,
    dropIdle: database.dropIdle,
    databaseUrl: directUrl,
    clock,
    log,
    provider: makeFinnhub({ ...settings.quotes, clock }),
    calls: makeCalls({
      db: database.db,
      pipelined: database.pipelined,
      clock,
      perMinute: settings.quotesPerMinute,
    }),
    settings,
  }

  if (env.METRICS_PORT !== undefined) {
    const metrics = await serveMetrics(deps, { host: env.METRICS_HOST, port: env.METRICS_PORT })
    closers.push({ what: 'the metrics', close: () => metrics.close() })
  }
  const stripe = makeStripe(settings, 'request')
  await prepareStripe({ ...deps, stripe }, parts.includes('stripe') ? localOrigin(env) : null, clock.now())
  // First, since building it keeps the process from hearing the database, whose answers to a worker would then seem to be late.
  const app = role === 'worker' ? null : await openApi(role, env, life, deps)
  if (role !== 'api') {
    const worker = await waitFor(log, 'the database: this machine may be busy', startWorker(deps))
    closers.push({ what: 'the worker', close: () => worker.stop() })
  }
  if (!app) return 'Tradepost worker is running.'
  closers.push({ what: 'the API', close: () => app.close() })
  await app.listen({ host: env.HOST, port: env.PORT })
  return greeting(settings.origin, settings.sandbox)
}

/** @returns what answers requests, built and not listening yet */
async function openApi(
  role: Role,
  env: Env,
  { closers, draining }: Life,
  deps: Omit<AppDeps, 'others' | 'prices' | 'draining' | 'webPages' | 'hasWorker'> & {
    provider: PriceProvider
    calls: Calls
  },
): ReturnType<typeof buildApp> {
  const { calls, clock, db: primary, log, provider } = deps
  const { DATABASE_READ_URL: readUrl, DATABASE_POOL_SIZE: size } = env
  const others = readUrl
    ? readOthersFromReplica({ url: readUrl, primary, size, log })
    : readAllFromPrimary(primary)
  closers.push({ what: 'the replica', close: () => others.close() })
  const prices = makePriceSource({ provider, calls, clock, log })
  const hasWorker = role === 'all'
  const app = await buildApp({ ...deps, others, prices, webPages: true, hasWorker, draining })
  await app.ready()
  return app
}

/**
 * Takes the data directory where the embedded PostgreSQL is needed: before anything is started, so that a second product
 * on it starts nothing that is in the way of the first.
 * @returns how to open the database; it answers the database's address
 */
async function chooseDatabase(
  role: Role,
  env: Env,
  log: Log,
  { closers, fail }: Life,
): Promise<() => Promise<string>> {
  const { DATABASE_URL: url } = env
  if (url) return async () => url
  if (role !== 'all') throw new Error(`The role "${role}" needs DATABASE_URL.`)
  const startPostgres = await claimEmbeddedPostgres(env, log)
  return async () => {
    const postgres = await startPostgres()
    // Closed last, since everything else may still have something to write.
    closers.unshift({ what: 'the embedded PostgreSQL', close: () => postgres.stop() })
    postgres.lost.then(fail)
    return postgres.url
  }
}

/** The address at which other processes of this machine reach the API. */
function localOrigin(env: Env): string {
  return `http://${env.HOST === '::1' ? '[::1]' : '127.0.0.1'}:${env.PORT}`
}

function greeting(origin: string, sandbox: { url: string; mail: boolean } | null): string {
  const lines = ['', `  Tradepost   ${origin}`]
  if (sandbox?.mail) lines.push(`  Mailbox     ${sandbox.url}/mail   (sign-in codes arrive here)`)
  if (sandbox) lines.push(`  Sandbox     ${sandbox.url}`)
  return [...lines, '', '  Ctrl-C stops everything.', ''].join('\n')
}

/** Closes everything in the reverse order of opening. A closer that fails or hangs keeps neither the others nor the exit back. */
async function stop(closers: Closer[], log: Log): Promise<void> {
  let closing = ''
  const timer = setTimeout(() => {
    log.error({ waitsFor: closing }, 'stopping took too long')
    process.exit(1)
  }, EXIT_TIMEOUT_MS)
  timer.unref()
  for (const { what, close } of closers.splice(0).reverse()) {
    closing = what
    await close().catch((error: unknown) =>
      log.error({ what, reason: reasonOf(error) }, 'something did not close'),
    )
  }
}

async function main(): Promise<void> {
  const role = ROLES.find((known) => known === (process.argv[2] ?? 'all'))
  if (!role) throw new Error(`Unknown role "${process.argv[2]}": one of ${ROLES.join(', ')}.`)
  const inFile = existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : []
  if (inFile.length > 0) process.loadEnvFile('.env')
  const env = readEnv(process.env)
  const log = makeLog(env.LOG_LEVEL, env.NODE_ENV !== 'production')
  for (const variable of unknownVariables(Object.keys(process.env), inFile))
    log.warn(`nothing reads the variable ${variable}: .env.example has all that there are`)
  const closers: Closer[] = []
  const draining = new AbortController()
  let stopping: Promise<void> | null = null
  const end = (code: number) => {
    stopping ??= stop(closers, log).then(() => process.exit(code))
    return stopping
  }
  /** A balancer needs some seconds to notice that this process wants no new callers. */
  const drain = async () => {
    if (draining.signal.aborted) return
    draining.abort()
    if (role !== 'worker') await pause(env.DRAIN_SECONDS * 1000)
    await end(0)
  }
  const fail = (error: unknown) => {
    if (!stopping) process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return end(1)
  }
  for (const signal of SIGNALS) process.on(signal, drain)
  endWithNpm(drain)
  // Writing to a closed terminal fails; without a listener that would end the process before it has closed everything.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    const message = await start(role, env, log, { draining: draining.signal, closers, fail })
    process.stdout.write(`${message}\n`)
  } catch (error) {
    await fail(error)
  }
}

try {
  await main()
} catch (error) {
  const faults = error instanceof EnvError ? `The environment is not right:\n${error.message}` : String(error)
  process.stderr.write(`${faults}\n`)
  process.exit(1)
}
