import { setTimeout as pause } from 'node:timers/promises'
import type { Endpoint } from '../../contract/src/endpoint.ts'
import { setUpStripe } from '../../server/src/billing/provider/set-up-stripe.ts'
import { freePort } from '../../server/src/dev/free-port.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { makeDatabasePool } from '../../server/src/platform/database/database-client.ts'
import { sdkOf } from '../../server/src/stripe/sdk.ts'
import { makeStripe } from '../../server/src/stripe/stripe-client.ts'
import { buildTestApp, makeTestClock, type TestApp, testSettings } from '../../server/test/build-test-app.ts'
import type { TestDatabase } from '../../server/test/database/database.ts'
import { startCountingSink } from '../../server/test/mails/counting-sink.ts'
import { type Counted, openStripeProxy } from '../../server/test/money/stripe-proxy.ts'
import { type StripeSandbox, startStripeSandbox } from '../../server/test/money/stripe-sandbox.ts'
import { bearer, type SignedIn } from '../../server/test/sign-in/sign-in.ts'
import { MAIN, startServer } from '../server-process.ts'
import { onDatabase } from './attack-scenario.ts'

/** After a crash everything converges within this time, without help (R14). */
export const CONVERGES_MS = 60_000
/** An event that met nobody several times waits for Stripe's own next try, minutes later. */
const DELIVERED_MS = 660_000
/** While one after the other is killed, nobody knows how long something takes; this ends a run that never ends. */
export const LONGEST_RUN_MS = 30 * 60_000

/** The product and the sandbox's Stripe, which outlives it, in real time. */
export type MoneyWorld = {
  database: TestDatabase
  sandbox: StripeSandbox
  /** A client of the run's own, past the proxies. */
  stripe: ReturnType<typeof sdkOf>
  /** Makes people and signs them in, straight into the tables; none of its requests reach the processes. */
  testApp: TestApp
  ask(who: SignedIn, endpoint: Endpoint, more?: { body?: object; param?: string }): Promise<Answer>
  /** The open deliveries, events and jobs, in words; those that a dead process had in its hands are among them. */
  left(): Promise<string[]>
  /** Resolves when nothing is. @throws `CONVERGES_MS` after the last event was delivered */
  quiet(): Promise<void>
  /** First column of the first row. */
  count(sql: string, ...values: string[]): Promise<number>
}

/** The product is two separate processes, each of which can be killed. */
export type MoneyScenario = MoneyWorld & { api: Mortal; worker: Mortal }

/** `status` 0: the process died over it. */
export type Answer = {
  status: number
  code: string | null
  url: string | null
  json: Record<string, unknown>
}

/** One process of the product with its own way to Stripe; whenever it is killed, another one takes its place. */
export type Mortal = {
  /** Kill to ready of each one, ms. */
  starts: number[]
  /** SIGKILL at once. */
  kill(): Promise<void>
  /** From this call on (it counts from 0) Stripe does what it is asked, and the process receives no answer. */
  loseAnswersFrom(at: number, counts: Counted): Promise<void>
  /** Receives answers again. */
  receiveAnswers(): void
  end(): Promise<void>
}

/** Runs `work` on a fresh database and sandbox; takes everything down again. */
export function inMoneyScenario(work: (scenario: MoneyScenario) => Promise<void>): Promise<void> {
  return onDatabase(async (limited) => {
    // The product gives a database that is slow up after seconds; the run's own connections do not.
    const database = { ...limited, pool: makeDatabasePool({ connectionString: limited.url }) }
    const sink = await startCountingSink()
    const port = await freePort()
    await using sandbox = await startStripeSandbox(systemClock)
    await using testApp = await buildTestApp({ database, clock: makeTestClock(new Date()) })
    const settings = testSettings({ stripe: { ...testSettings().stripe, apiBase: sandbox.url } })
    const stripe = makeStripe(settings, 'job')
    const origin = `http://127.0.0.1:${port}`
    await setUpStripe({ db: database.db, settings, stripe }, origin, new Date())
    const env = { ...environment(database.url, sink.url), PORT: String(port) }
    const api = await raise('api', 'Tradepost', env, sandbox)
    const worker = await raise('worker', 'worker is running', env, sandbox)
    const count: MoneyScenario['count'] = async (sql, ...values) => {
      const { rows } = await database.pool.query<Record<string, number>>(sql, values)
      return Number(Object.values(rows[0] ?? {})[0] ?? 0)
    }
    try {
      await work({
        database,
        sandbox,
        stripe: sdkOf({ stripe }),
        testApp,
        api,
        worker,
        count,
        ask: (who, endpoint, more) => ask(origin, who, endpoint, more),
        left: () => findLeft(sandbox, database),
        async quiet() {
          const left = async () => `left: ${await findLeft(sandbox, database)}`
          const isDelivered = async () => (await sandbox.state()).waitingDeliveries === 0
          await until(isDelivered, DELIVERED_MS, left)
          await until(async () => (await findLeft(sandbox, database)).length === 0, CONVERGES_MS, left)
        },
      })
    } finally {
      await Promise.all([api.end(), worker.end()])
      await sink.close()
      await database.pool.end()
    }
  })
}

/** Of a process of the product; prices come from nowhere. */
export function environment(databaseUrl: string, smtpUrl: string): Record<string, string> {
  const { authSecret, origin, stripe } = testSettings()
  return {
    DATABASE_URL: databaseUrl,
    APP_URL: origin,
    AUTH_SECRET: authSecret,
    SMTP_URL: smtpUrl,
    QUOTES_API_BASE: 'http://127.0.0.1:9',
    QUOTES_API_KEY: 'unused',
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecrets.join(','),
    STRIPE_ACCOUNTS_WEBHOOK_SECRET: stripe.accountsWebhookSecrets.join(','),
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  }
}

async function raise(
  role: 'api' | 'worker',
  greeting: string,
  env: Record<string, string>,
  sandbox: StripeSandbox,
): Promise<Mortal> {
  const proxy = await openStripeProxy(sandbox.url)
  const start = () => startServer([MAIN, role], greeting, { ...env, STRIPE_API_BASE: proxy.url })
  const receiveAnswers = () => void proxy.swallowFrom(Number.POSITIVE_INFINITY, 'calls')
  const starts: number[] = []
  let living = await start()
  return {
    starts,
    receiveAnswers,
    loseAnswersFrom: (at, counts) => proxy.swallowFrom(at, counts).happened,
    async kill() {
      const killed = performance.now()
      await living.kill()
      receiveAnswers()
      living = await start()
      starts.push(performance.now() - killed)
    },
    async end() {
      await living.kill()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

/** Makes a call to the product as a person does. */
export async function ask(
  origin: string,
  who: SignedIn,
  { method, path }: Endpoint,
  { body, param = '' }: { body?: object; param?: string } = {},
): Promise<Answer> {
  try {
    const answer = await fetch(origin + path.replace(/:\w+/, param), {
      method,
      headers: { ...bearer(who.token), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = (await answer.json()) as { url?: string; code?: string }
    return { status: answer.status, code: json.code ?? null, url: json.url ?? null, json }
  } catch {
    return { status: 0, code: null, url: null, json: {} }
  }
}

/** The open deliveries, events and jobs, in words. */
export async function findLeft(sandbox: StripeSandbox, { pool }: TestDatabase): Promise<string[]> {
  const { waitingDeliveries } = await sandbox.state()
  const { rows } = await pool.query<{ what: string }>(
    `select 'event ' || type as what from stripe_events where state = 'received'
     union all select 'job ' || name from work where parked_at is null and due_at <= now()
     union all select 'customer' from customers where retry_at <= now()
     union all select 'payout account' from payout_accounts where look_at <= now()
     union all select 'checkout' from checkout_sessions where look_at <= now()
     union all select 'debt ' || kind from debts where due_at <= now()`,
  )
  const words = rows.map(({ what }) => what)
  return waitingDeliveries === 0 ? words : [`${waitingDeliveries} deliveries`, ...words]
}

/** @throws with `otherwise` when it does not come true in time */
export async function until(
  comesTrue: () => Promise<boolean>,
  withinMs: number,
  otherwise: () => Promise<string> | string,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await comesTrue())) {
    if (performance.now() > end) throw new Error(`after ${withinMs / 1000} s ${await otherwise()}`)
    await pause(250)
  }
}
