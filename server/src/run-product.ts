import { type AppDeps, buildApp } from './app.ts'
import { makeSecretKey } from './auth/keys/secret-key.ts'
import { requireSettled } from './backup/require-settled.ts'
import { endCheckoutsOfOtherTerms } from './billing/checkouts/checkouts.queries.ts'
import { warnOfMissingTerms } from './billing/entitlements/may-subscribe.ts'
import { prepareStripe } from './billing/provider/prepare-stripe.ts'
import { repeatErasures } from './closing/repeat-erasures.ts'
import type { Life, Role } from './life.ts'
import { serveMetrics } from './monitoring/serve-metrics.ts'
import { clockOf } from './platform/clock.ts'
import { connectDatabase, type Database, untilAnswered } from './platform/database/database.ts'
import { readAllFromPrimary, readOthersFromReplica } from './platform/distribution/replica.ts'
import type { Env } from './platform/env.ts'
import type { Log } from './platform/log.ts'
import { makeSettings, type SandboxAddress } from './platform/make-settings.ts'
import { warnOfMissingTexts } from './platform/operator-texts.ts'
import { migrate } from './platform/upgrade/migrate.ts'
import { requireUsableDatabase } from './platform/upgrade/require-usable-database.ts'
import { waitFor } from './platform/wait-for.ts'
import { chooseProvider } from './quotes/adapters/choose-provider.ts'
import { makePriceSource } from './quotes/prices/price-source.ts'
import type { PriceProvider } from './quotes/provider/provider.ts'
import { type Calls, makeCalls } from './quotes/provider/take-call.ts'
import { makeStripe } from './stripe/stripe-client.ts'
import { startWorker } from './worker.ts'

/**
 * Runs the product on a database and a world outside that are there: migrates, then opens what the role asks for.
 * @param product.parts of the outside world that are the sandbox's, `sandbox` where it answers
 * @returns the text to print for the person who started it
 */
export async function runProduct(product: {
  role: Role
  env: Env
  log: Log
  life: Life
  parts: string[]
  databaseUrl: string
  sandbox: SandboxAddress | undefined
}): Promise<string> {
  const { databaseUrl, env, life, log, parts, role, sandbox } = product
  const { closers } = life
  const clock = clockOf(env)
  const settings = makeSettings(env, sandbox)
  const directUrl = env.DATABASE_DIRECT_URL ?? databaseUrl
  const pooled = env.DATABASE_DIRECT_URL !== undefined
  const database = connectDatabase({ url: databaseUrl, size: env.DATABASE_POOL_SIZE, pooled, log })
  closers.push({ what: 'the database', close: () => database.close() })
  const deps = {
    db: database.db,
    pipelined: database.pipelined,
    pool: database.pool,
    disk: database.disk,
    dropIdle: database.dropIdle,
    databaseUrl: directUrl,
    clock,
    log,
    provider: chooseProvider(settings, clock),
    calls: makeCalls({
      db: database.db,
      pipelined: database.pipelined,
      clock,
      perMinute: settings.quotesPerMinute,
    }),
    settings,
  }
  const prepare = async () => {
    await openMigrated(database, directUrl, log)
    const again = await repeatErasures({ ...deps, secret: makeSecretKey(settings.authSecret) }, clock.now())
    if (again > 0)
      log.warn({ people: again }, 'people whom a restored backup had brought back were erased again')
    if (env.METRICS_PORT !== undefined) {
      const metrics = await serveMetrics(deps, { host: env.METRICS_HOST, port: env.METRICS_PORT })
      closers.push({ what: 'the metrics', close: () => metrics.close() })
    }
    // Those who answer have the terms; a worker may have none.
    if (role !== 'worker')
      await untilAnswered(log, () =>
        endCheckoutsOfOtherTerms(database.db, settings.terms.version, clock.now()),
      )
    const stripe = makeStripe(settings, 'request')
    await prepareStripe({ ...deps, stripe }, parts.includes('stripe') ? localOrigin(env) : null, clock.now())
  }
  // Before a worker, since building blocks the event loop: the database's answers to a worker would then seem to be late.
  const [app] = await Promise.all([role === 'worker' ? null : openApi(role, env, life, deps), prepare()])
  if (role !== 'api') {
    const worker = await waitFor(log, 'the database: this machine may be busy', startWorker(deps))
    closers.push({ what: 'the worker', close: () => worker.stop() })
  }
  if (!app) return 'Tradepost worker is running.'
  warnOfMissingTexts(env, log)
  warnOfMissingTerms(env, log)
  closers.push({ what: 'the API', close: () => app.close() })
  await app.listen({ host: env.HOST, port: env.PORT })
  return greeting(settings.origin, settings.sandbox)
}

/** @throws when it is none that the product can run on, with what to do about it */
async function openMigrated(database: Database, directUrl: string, log: Log): Promise<void> {
  await waitFor(log, 'the database, which is migrated: this machine may be busy', migrate(directUrl, log))
  const tryDatabase = async () => {
    await requireUsableDatabase(database)
    await requireSettled(database.db)
  }
  await waitFor(log, 'the database: this machine may be busy', untilAnswered(log, tryDatabase))
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
