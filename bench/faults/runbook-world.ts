import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { setUpStripe } from '../../server/src/billing/provider/set-up-stripe.ts'
import { startEmbeddedPostgres } from '../../server/src/dev/embedded-postgres.ts'
import { freePort } from '../../server/src/dev/free-port.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { connectDatabase, type Database } from '../../server/src/platform/database/database.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import { makeStripe } from '../../server/src/stripe/stripe-client.ts'
import { buildTestApp, makeTestClock, type TestApp, testSettings } from '../../server/test/build-test-app.ts'
import { type CountingSink, startCountingSink } from '../../server/test/mails/counting-sink.ts'
import { type StripeSandbox, startStripeSandbox } from '../../server/test/money/stripe-sandbox.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/prices/quote-server.ts'
import { startTcpProxy, type TcpProxy } from '../../server/test/processes/tcp-proxy.ts'
import { startTlsFront, type TlsFront } from '../../server/test/processes/tls-front.ts'
import { MAIN } from '../server-process.ts'
import { environment, until } from './money-scenario.ts'

const OPERATOR = join(import.meta.dirname, '../../server/src/operator.ts')
const PATIENCE_MS = 120_000

const run = promisify(execFile)

/** The product as in production, two processes that log, with everything around it in the hands of the run. */
export type RunbookWorld = {
  origin: string
  database: Database
  testApp: TestApp
  /** Before the database. */
  proxy: TcpProxy
  sink: CountingSink
  /** Before the mail server; its certificates are trusted. */
  front: TlsFront
  quotes: QuoteServer
  sandbox: StripeSandbox
  /** Waits for a line of the product's log, prints and answers it. @throws when it does not come */
  logged(message: string): Promise<string>
  operator(...words: string[]): Promise<string>
}

/** @param place folder of the database's files; a new one unless given */
export async function inRunbookWorld(
  work: (world: RunbookWorld) => Promise<void>,
  place?: string,
): Promise<void> {
  await using held = new AsyncDisposableStack()
  const home = place ?? mkdtempSync(join(tmpdir(), 'tradepost-runbook-'))
  held.defer(() => rmSync(join(home, 'data'), { recursive: true, force: true }))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, 'data'), log })
  held.defer(() => postgres.stop())
  await migrate(postgres.url, log)
  const database = connectDatabase({ url: postgres.url, size: 8, log })
  held.defer(() => database.close())
  const proxy = held.use(await startTcpProxy(postgres.url))
  const sink = await startCountingSink()
  held.defer(() => sink.close())
  const front = await startTlsFront(sink.port, 'implicit')
  held.defer(() => front.close())
  const quotes = held.use(await startQuoteServer())
  const sandbox = held.use(await startStripeSandbox(systemClock))
  const options = { database: { ...database, url: postgres.url }, clock: makeTestClock(new Date()) }
  const testApp = held.use(await buildTestApp(options))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const settings = testSettings({ stripe: { ...testSettings().stripe, apiBase: sandbox.url } })
  await setUpStripe({ db: database.db, settings, stripe: makeStripe(settings, 'job') }, origin, new Date())
  const env = productionEnvironment({ home, port, proxy, front, quotes, sandbox })
  const lines: string[] = []
  for (const [role, greeting] of [
    ['api', 'Tradepost'],
    ['worker', 'worker is running'],
  ] as const)
    held.use(await startLogging(role, greeting, env, lines))
  await work({
    origin,
    database,
    testApp,
    proxy,
    sink,
    front,
    quotes,
    sandbox,
    async logged(message) {
      const find = () => lines.find((line) => line.includes(`"msg":"${message}`))
      await until(
        async () => find() !== undefined,
        PATIENCE_MS,
        () => `not logged: ${message}`,
      )
      const line = shorten(find() ?? '')
      console.log(`   log: ${line}`)
      return line
    },
    async operator(...words) {
      const { stdout } = await run(process.execPath, [OPERATOR, ...words], { cwd: home, env })
      return stdout.trim()
    },
  })
}

function productionEnvironment({
  front,
  home,
  port,
  proxy,
  quotes,
  sandbox,
}: Pick<RunbookWorld, 'front' | 'proxy' | 'quotes' | 'sandbox'> & { home: string; port: number }) {
  const trusted = join(home, 'data', 'trusted.pem')
  writeFileSync(trusted, front.trusted.join(''))
  return {
    ...environment(proxy.url, front.url),
    NODE_ENV: 'production',
    NODE_EXTRA_CA_CERTS: trusted,
    MAIL_FROM: 'Tradepost <signals@tradepost.example>',
    OPERATOR_EMAIL: 'operator@tradepost.example',
    DATA_DIR: join(home, 'data', 'worker'),
    PORT: String(port),
    STRIPE_API_BASE: sandbox.url,
    QUOTES_API_BASE: quotes.provider.base,
    QUOTES_API_KEY: quotes.provider.key,
    MARKET_OVERRIDE: 'open',
    RATE_LIMITS: 'on',
    LOG_LEVEL: 'info',
    PATH: process.env.PATH ?? '',
  }
}

/** @param lines gets what it logs */
async function startLogging(
  role: string,
  greeting: string,
  env: Record<string, string>,
  lines: string[],
): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, [MAIN, role], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes(greeting)) resolve()
      lines.push(line)
    })
    ended.then(() => reject(new Error(`${role} did not start: ${lines.join('\n')}`)))
  })
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Without what differs from line to line. */
function shorten(line: string): string {
  const {
    hostname: _,
    pid: __,
    reqId: ___,
    time: ____,
    ...rest
  } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify(rest)
}
