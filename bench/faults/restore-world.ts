import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../server/src/dev/free-port.ts'
import { setUpStripe } from '../../server/src/payments/set-up-stripe.ts'
import { makeStripe } from '../../server/src/payments/stripe-client.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { connectDatabase } from '../../server/src/platform/database.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { buildTestApp, makeTestClock, testSettings } from '../../server/test/build-test-app.ts'
import { type CountingSink, startCountingSink } from '../../server/test/counting-sink.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/quote-server.ts'
import { startStripeSandbox } from '../../server/test/stripe-sandbox.ts'
import {
  initialiseSystemPostgres,
  type SystemPostgres,
  startSystemPostgres,
} from '../../server/test/system-postgres.ts'
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
  server: SystemPostgres
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
  const home = mkdtempSync(join(tmpdir(), 'tradepost-restore-'))
  const cluster = join(home, 'cluster')
  initialiseSystemPostgres(bin, cluster)
  const server = await startSystemPostgres(bin, cluster)
  const { url } = server
  const log = makeLog('silent', false)
  await migrate(url, log)
  const watching = new pg.Pool({ connectionString: url }).on('error', () => undefined)
  const database = { ...connectDatabase({ url, size: 8, log }), url }
  const [sink, quotes] = await Promise.all([startCountingSink(), startQuoteServer()])
  const sandbox = await startStripeSandbox(systemClock)
  const testApp = await buildTestApp({ database, clock: makeTestClock(new Date()) })
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
    MARKET_OVERRIDE: 'open',
    PG_BIN: bin,
  }
  const running: ServerProcess[] = []
  const killProduct = async () => {
    await Promise.all(running.splice(0).map((one) => one.kill()))
  }
  const watched = { ...database, pool: watching }
  const left = () => findLeft(sandbox, watched)
  const world: RestoreWorld = {
    database: watched,
    sandbox,
    stripe,
    testApp,
    bin,
    home,
    sink,
    quotes,
    server,
    ask: (who, endpoint, more) => ask(origin, who, endpoint, more),
    left,
    quiet: () =>
      until(
        async () => {
          await sandbox.control('calm', { settle: true })
          return (await left()).length === 0
        },
        CONVERGES_MS,
        async () => `left: ${await left()}`,
      ),
    async count(sql, ...values) {
      const { rows } = await watching.query<Record<string, number>>(sql, values)
      return Number(Object.values(rows[0] ?? {})[0] ?? 0)
    },
    async start() {
      const api = await startServer([MAIN, 'api'], 'Tradepost', env)
      running.push(api, await startServer([MAIN, 'worker'], 'worker is running', env))
      return api
    },
    killProduct,
    async loseServer() {
      await world.server.kill()
      rmSync(world.server.folder, { recursive: true })
    },
    async replaceServer(folder) {
      const to = folder ?? join(home, 'another')
      if (!folder) initialiseSystemPostgres(bin, to)
      world.server = await startSystemPostgres(bin, to, { port: Number(new URL(url).port) })
      assert.equal(world.server.url, url)
    },
    async operator(...words) {
      const { stdout } = await run(process.execPath, [OPERATOR, ...words], {
        cwd: home,
        env: { PATH: process.env.PATH, ...env },
      })
      return stdout
    },
  }
  try {
    await work(world)
  } finally {
    await killProduct()
    await testApp.close()
    await watching.end()
    await database.close()
    await Promise.all([sink.close(), quotes.close(), sandbox[Symbol.asyncDispose]()])
    await world.server.stop()
    rmSync(home, { recursive: true, force: true })
  }
}
