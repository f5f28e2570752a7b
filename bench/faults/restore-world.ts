import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setUpStripe } from '../../server/src/billing/provider/set-up-stripe.ts'
import { freePort } from '../../server/src/dev/free-port.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { connectDatabase } from '../../server/src/platform/database/database.ts'
import { makeDatabasePool } from '../../server/src/platform/database/database-client.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import { sdkOf } from '../../server/src/stripe/sdk.ts'
import { makeStripe } from '../../server/src/stripe/stripe-client.ts'
import { buildTestApp, makeTestClock, testSettings } from '../../server/test/build-test-app.ts'
import {
  initialiseSystemPostgres,
  type SystemPostgres,
  startSystemPostgres,
} from '../../server/test/database/system-postgres.ts'
import { type CountingSink, startCountingSink } from '../../server/test/mails/counting-sink.ts'
import { startStripeSandbox } from '../../server/test/money/stripe-sandbox.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/prices/quote-server.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { ask, environment, findLeft, type MoneyWorld, until } from './money-scenario.ts'

const OPERATOR = join(import.meta.dirname, '../../server/src/operator.ts')
/** Webhooks that nobody took are sent again with growing pauses, which `calm` cuts short. */
const CONVERGES_MS = 120_000

const run = promisify(execFile)

/** The product on a PostgreSQL of the system's, which can be lost, with everything outside of it, which stays. */
export type RestoreWorld = MoneyWorld & {
  /** Folder of the PostgreSQL's programs. */
  bin: string
  /** For whatever the run keeps. */
  home: string
  sink: CountingSink
  quotes: QuoteServer
  /** Of the database, whichever server it is on. */
  url: string
  /** Starts both processes of the product. @throws with the product's words when one does not start */
  start(): Promise<ServerProcess>
  /** SIGKILL to both. */
  killProduct(): Promise<void>
  /** Kills the server and removes its files. */
  loseServer(): Promise<void>
  /** Starts a server on the port of the one that was lost. @param folder of its files; a new, empty cluster unless given */
  replaceServer(folder?: string): Promise<void>
  operator(...words: string[]): Promise<string>
}

/** Runs `work`; takes everything down again. */
export async function inRestoreWorld(
  bin: string,
  work: (world: RestoreWorld) => Promise<void>,
): Promise<void> {
  await using held = new AsyncDisposableStack()
  const home = mkdtempSync(join(tmpdir(), 'tradepost-restore-'))
  held.defer(() => rmSync(home, { recursive: true, force: true }))
  const cluster = join(home, 'cluster')
  initialiseSystemPostgres(bin, cluster)
  const servers = [await startSystemPostgres(bin, cluster)]
  held.defer(() => servers.at(-1)?.stop())
  const { url } = servers[0] ?? assert.fail()
  const log = makeLog('silent', false)
  await migrate(url, log)
  const database = { ...connectDatabase({ url, size: 8, log }), url }
  held.defer(() => database.close())
  // The product gives a database that is slow up after seconds; the run's own connections do not.
  const pool = makeDatabasePool({ connectionString: url }).on('error', () => undefined)
  held.defer(() => pool.end())
  const [sink, quotes] = await Promise.all([startCountingSink(), startQuoteServer()])
  held.defer(() => sink.close())
  held.use(quotes)
  const sandbox = held.use(await startStripeSandbox(systemClock))
  const testApp = held.use(await buildTestApp({ database, clock: makeTestClock(new Date()) }))
  const stripe = makeStripe({ stripe: { ...testSettings().stripe, apiBase: sandbox.url } }, 'job')
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  await setUpStripe({ db: database.db, settings: testApp.settings, stripe }, origin, new Date())
  const env = {
    ...environment(url, sink.url),
    PORT: String(port),
    DATA_DIR: join(home, 'data'),
    STRIPE_API_BASE: sandbox.url,
    QUOTES_API_BASE: quotes.provider.base,
    QUOTES_API_KEY: quotes.provider.key,
    QUOTES_PER_MINUTE: '60000',
    MARKET_OVERRIDE: 'open',
    PG_BIN: bin,
  }
  const product = makeProduct(env)
  held.defer(() => product.killProduct())
  const watched = { ...database, pool }
  const outside = { sandbox, stripe: sdkOf({ stripe }), testApp, sink, quotes, database: watched }
  await work({
    ...outside,
    ...watch(outside),
    ...product,
    ...makeServers({ bin, home, servers }),
    bin,
    home,
    url,
    ask: (who, endpoint, more) => ask(origin, who, endpoint, more),
    async operator(...words) {
      const options = { cwd: home, env: { PATH: process.env.PATH, ...env } }
      return (await run(process.execPath, [OPERATOR, ...words], options)).stdout.trim()
    },
  })
}

function watch({
  database,
  sandbox,
}: Pick<RestoreWorld, 'database' | 'sandbox'>): Pick<RestoreWorld, 'count' | 'left' | 'quiet'> {
  const left = () => findLeft(sandbox, database)
  const isQuiet = async () => {
    await sandbox.control('calm', { settle: true })
    return (await left()).length === 0
  }
  return {
    left,
    quiet: () => until(isQuiet, CONVERGES_MS, async () => `left: ${await left()}`),
    async count(sql, ...values) {
      const { rows } = await database.pool.query<Record<string, number>>(sql, values)
      return Number(Object.values(rows[0] ?? {})[0] ?? 0)
    },
  }
}

function makeProduct(env: Record<string, string>): Pick<RestoreWorld, 'start' | 'killProduct'> {
  const running: ServerProcess[] = []
  return {
    async start() {
      const api = await startServer([MAIN, 'api'], 'Tradepost', env)
      running.push(api, await startServer([MAIN, 'worker'], 'worker is running', env))
      return api
    },
    async killProduct() {
      await Promise.all(running.splice(0).map((one) => one.kill()))
    },
  }
}

function makeServers({
  bin,
  home,
  servers,
}: {
  bin: string
  home: string
  servers: SystemPostgres[]
}): Pick<RestoreWorld, 'loseServer' | 'replaceServer'> {
  const current = () => servers.at(-1) ?? assert.fail()
  return {
    async loseServer() {
      await current().kill()
      rmSync(current().folder, { recursive: true })
    },
    async replaceServer(folder) {
      const to = folder ?? join(home, 'another')
      if (!folder) initialiseSystemPostgres(bin, to)
      const { url } = current()
      servers.push(await startSystemPostgres(bin, to, { port: Number(new URL(url).port) }))
      assert.equal(current().url, url)
    },
  }
}
