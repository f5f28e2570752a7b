import type { FastifyInstance } from 'fastify'
import { buildApp } from '../src/app.ts'
import type { Clock } from '../src/platform/clock.ts'
import { type ReadsOfOthers, readAllFromPrimary } from '../src/platform/distribution/replica.ts'
import { readEnv } from '../src/platform/env.ts'
import type { Log } from '../src/platform/log.ts'
import { makeSettings } from '../src/platform/make-settings.ts'
import type { Settings } from '../src/platform/settings.ts'
import { makeFinnhub } from '../src/quotes/adapters/finnhub.ts'
import { makePriceSource, type PriceSource } from '../src/quotes/prices/price-source.ts'
import type { PriceProvider } from '../src/quotes/provider/provider.ts'
import { type Calls, makeCalls } from '../src/quotes/provider/take-call.ts'
import { testDataDir } from './database/data-dir.ts'
import { openTestDatabase, silentLog, type TestDatabase } from './database/database.ts'
import type { QuoteServer } from './prices/quote-server.ts'

/** A clock that stands still until it is set. */
export type TestClock = Clock & { set(instant: Date): void; advance(milliseconds: number): void }

/** A port on which nothing listens. */
const NOTHING_THERE = 'http://127.0.0.1:9'

/** The real app on its own database, with a clock that the test moves. Close it with `await using`. */
export type TestApp = AsyncDisposable & {
  app: FastifyInstance
  db: TestDatabase['db']
  pipelined: TestDatabase['pipelined']
  pool: TestDatabase['pool']
  product: Pick<TestDatabase, 'db' | 'pool'>
  dropIdle: TestDatabase['dropIdle']
  disk: TestDatabase['disk']
  /** Of the database. */
  url: string
  clock: TestClock
  settings: Settings
  provider: PriceProvider
  calls: Calls
  prices: PriceSource
  close(): Promise<void>
}

/** A Wednesday on which the market is open (14:30 to 21:00 UTC). */
export const TEST_NOW = new Date('2026-03-04T15:00:00.000Z')

/**
 * @param options.now where the clock stands, `TEST_NOW` unless given
 * @param options.settings over the defaults: limits on, no market override
 * @param options.quotes where prices come from; without it there are none
 * @param options.provider of prices; Finnhub's wire to `quotes` unless given
 * @param options.clock the app's clock, to share it; without one it is made from `now`
 * @param options.stripe where payments are taken; without it nothing answers there
 * @param options.database of another app, to share; that one closes it
 * @param options.others how it reads what other people did; from its own database unless given
 * @param options.hasWorker whether it counts as one of role `all`, which it does unless given
 * @param options.draining aborted when its process is about to end; never unless given
 * @param options.log where the app writes, nowhere unless given
 */
export async function buildTestApp(
  options: {
    now?: Date
    settings?: Partial<Settings>
    clock?: TestClock
    quotes?: QuoteServer
    provider?: PriceProvider
    stripe?: { url: string }
    log?: Log
    database?: TestDatabase
    others?: (primary: TestDatabase['db']) => ReadsOfOthers
    hasWorker?: boolean
    draining?: AbortSignal
  } = {},
): Promise<TestApp> {
  const owned = options.database ? null : await openTestDatabase()
  const database = options.database ?? owned
  if (!database) throw new Error('no database')
  const product = database.product ?? database
  const clock = options.clock ?? makeTestClock(options.now ?? TEST_NOW)
  const stripe = { ...testSettings().stripe, apiBase: options.stripe?.url ?? NOTHING_THERE }
  const settings = testSettings({ stripe, ...options.settings })
  const log = options.log ?? silentLog
  const provider =
    options.provider ?? makeFinnhub({ ...(options.quotes?.provider ?? settings.quotes), clock })
  const calls = makeCalls({
    db: product.db,
    pipelined: database.pipelined,
    clock,
    perMinute: settings.quotesPerMinute,
  })
  const prices = makePriceSource({ provider, calls, clock: options.quotes?.clock ?? clock, log })
  const app = await buildApp({
    db: product.db,
    pipelined: database.pipelined,
    others: (options.others ?? readAllFromPrimary)(product.db),
    pool: product.pool,
    databaseUrl: database.url,
    disk: database.disk,
    clock,
    log,
    settings,
    prices,
    webPages: false,
    hasWorker: options.hasWorker ?? true,
    draining: options.draining ?? new AbortController().signal,
  })
  await app.ready()
  const close = async () => {
    await app.close()
    await owned?.[Symbol.asyncDispose]()
  }
  const { db, pipelined, pool, disk, dropIdle, url } = database
  return {
    app,
    db,
    pipelined,
    pool,
    product,
    disk,
    dropIdle,
    url,
    clock,
    settings,
    provider,
    calls,
    prices,
    close,
    [Symbol.asyncDispose]: close,
  }
}

export function makeTestClock(start: Date): TestClock {
  let instant = start
  return {
    now: () => instant,
    set(next) {
      instant = next
    },
    advance(milliseconds) {
      instant = new Date(instant.getTime() + milliseconds)
    },
  }
}

export function testSettings(changes: Partial<Settings> = {}): Settings {
  const env = readEnv({
    NODE_ENV: 'test',
    DATA_DIR: testDataDir,
    AUTH_SECRET: 'a secret of the tests and of nobody else',
    MARKET_OVERRIDE: 'none',
    PUSH_LOOPBACK: 'on',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
    STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_the_tests_too',
  })
  return { ...makeSettings(env), ...changes }
}
