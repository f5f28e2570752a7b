import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpoints } from '../contract/src/endpoints.ts'
import { setUsername } from '../server/src/accounts/set-username.ts'
import { makeSecretKey } from '../server/src/auth/keys/secret-key.ts'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import { connectDatabase } from '../server/src/platform/database/database.ts'
import { DatabaseClient } from '../server/src/platform/database/database-client.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/upgrade/migrate.ts'
import { type TestApp, testSettings } from '../server/test/build-test-app.ts'
import { addFollowers } from '../server/test/followers.ts'
import { startCountingSink } from '../server/test/mails/counting-sink.ts'
import { type QuoteServer, startQuoteServer } from '../server/test/prices/quote-server.ts'
import { startWorkerProcess } from '../server/test/processes/worker-process.ts'
import { signIn } from '../server/test/sign-in/sign-in.ts'
import { type Contender, compare } from './ratio.ts'
import { MAIN, type ServerProcess, startServer } from './server-process.ts'
import { askAll, post } from './sign-in/http-line.ts'
import type { BareTrader } from './writes/record-cycle.ts'

const TRADERS = 200
const ROUNDS = 5
const REASON = 'For a reason that is long enough.'

type Asked = { path: string; milliseconds: number }

/**
 * 200 traders at once, each of them check a price, open, check a price, close. API, worker and PostgreSQL are separate processes
 * as in production, limits are on. Nobody follows these traders. In turn with them: the same while the worker is stopped; 200 others
 * whom one person follows each; `pg` alone, saying the same statements. `WRITES_BESIDE` names the `main.ts` of another copy of the product, which takes its rounds in
 * turn with ours on the same database; both must have the same migrations.
 */
export async function benchWrites(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
  const [sink, quotes] = [await startCountingSink(), await startQuoteServer()]
  const started: { stop(): Promise<unknown> }[] = []
  const run = async <Running extends { stop(): Promise<unknown> }>(starting: Promise<Running>) => {
    const running = await starting
    started.push(running)
    return running
  }
  try {
    await migrate(postgres.url, log)
    const traders = await makeTraders(postgres.url, 'trader')
    const followed = await makeTraders(postgres.url, 'followed')
    await addOneFollowerEach(postgres.url, followed)
    const tokens = traders.map(({ token }) => token)
    const worker = await run(
      startWorkerProcess({ databaseUrl: postgres.url, smtpUrl: sink.url, connections: 4 }),
    )
    const start = (main: string) => run(startApi(main, postgres.url, quotes))
    const beside = process.env.WRITES_BESIDE
    const apis = await Promise.all([MAIN, ...(beside ? [beside] : [])].map(start))
    const contenders = apis.map((api, index) =>
      trading(index ? 'the copy beside' : 'Tradepost', api, { tokens, quotes, url: postgres.url }),
    )
    const [api] = apis
    if (api) {
      const others = followed.map(({ token }) => token)
      contenders.push(
        whileStopped(worker.pid, trading('without a worker', api, { tokens, quotes, url: postgres.url })),
        trading('with a follower each', api, { tokens: others, quotes, url: postgres.url }),
      )
    }
    const bare = await run(startBare(postgres.url, traders, folder))
    contenders.push(alone(bare, postgres.url))
    // Code is compiled, connections are opened.
    for (const contender of contenders) await contender.run()
    const [ours, ...others] = contenders
    if (ours) await compare(`Cycles of ${TRADERS} traders at once`, 'cycles/s', ours, others, ROUNDS)
  } finally {
    await Promise.all(started.map((process) => process.stop()))
    await Promise.all([sink.close(), quotes.close()])
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeTraders(url: string, name: string): Promise<(BareTrader & { token: string })[]> {
  const log = makeLog('silent', false)
  const database = connectDatabase({ url, size: 2, log })
  const app = { ...database, log, clock: systemClock, settings: testSettings() } as unknown as TestApp
  const traders = []
  for (let nth = 0; nth < TRADERS; nth += 1) {
    const person = await signIn(app)
    const username = `${name}${nth}`
    await setUsername(
      { db: database.db, secret: makeSecretKey(app.settings.authSecret) },
      person,
      username,
      systemClock.now(),
    )
    traders.push({ ...person, username })
  }
  await database.close()
  return traders
}

async function addOneFollowerEach(url: string, traders: BareTrader[]): Promise<void> {
  const database = connectDatabase({ url, size: 2, log: makeLog('silent', false) })
  for (const { userId, username } of traders) {
    await addFollowers(database.pool, { traderId: userId, username }, 1, systemClock.now())
  }
  await database.close()
}

/** The worker is idle when it is stopped: the round before has waited for its last commit. */
function whileStopped(pid: number, contender: Contender): Contender {
  return {
    name: contender.name,
    async run() {
      process.kill(pid, 'SIGSTOP')
      return contender.run().finally(() => process.kill(pid, 'SIGCONT'))
    },
  }
}

function startBare(url: string, traders: BareTrader[], folder: string): Promise<ServerProcess> {
  const file = join(folder, 'traders.json')
  writeFileSync(
    file,
    JSON.stringify(traders.map(({ userId, sessionId, username }) => ({ userId, sessionId, username }))),
  )
  const script = join(import.meta.dirname, 'writes/bare-trading.ts')
  return startServer([script], 'ready', { TRADERS: file, DATABASE_URL: url })
}

function alone({ port }: ServerProcess, url: string): Contender {
  let round = 0
  return {
    name: 'pg alone, the same statements',
    async run() {
      round += 1
      await readCounters(url)
      const answer = await fetch(`http://127.0.0.1:${port}/?symbol=BARE${round}`)
      if (!answer.ok) throw new Error(await answer.text())
      return TRADERS / (Number(await answer.text()) / 1000)
    },
  }
}

function startApi(main: string, url: string, { provider }: QuoteServer): Promise<ServerProcess> {
  return startServer([main, 'api'], 'Tradepost', {
    DATABASE_URL: url,
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: 'smtp://127.0.0.1:9',
    QUOTES_API_BASE: provider.base,
    QUOTES_API_KEY: provider.key,
    QUOTES_PER_MINUTE: '60000',
    MARKET_OVERRIDE: 'open',
    // Each trader has an address of their own, so that the limits of one address stay out of it.
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'error',
  })
}

function trading(
  name: string,
  api: ServerProcess,
  world: { tokens: string[]; quotes: QuoteServer; url: string },
): Contender {
  let round = 0
  return {
    name,
    async run() {
      round += 1
      const symbol = `S${round}${name.length}`.toUpperCase()
      world.quotes.set(symbol, { price: 100 + round, at: new Date() })
      const before = await readCounters(world.url)
      const started = performance.now()
      const asked = await everybody(api, world.tokens, symbol)
      const seconds = (performance.now() - started) / 1000
      const after = await readCounters(world.url)
      const opens = asked.filter(({ path }) => path === endpoints.openPosition.path)
      const times = opens.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
      const at = (share: number) => times[Math.ceil(times.length * share) - 1]?.toFixed(0)
      const cycles = world.tokens.length
      console.log(
        `  ${name}: open p50 ${at(0.5)}, p99 ${at(0.99)} ms; a cycle ${((after.commits - before.commits) / cycles).toFixed(1)} commits, ` +
          `${((after.flushes - before.flushes) / cycles).toFixed(2)} waits for the disk, those of the worker among them`,
      )
      return cycles / seconds
    },
  }
}

/** The steps of a cycle one after the other, all traders at once in each. */
async function everybody(api: ServerProcess, tokens: string[], symbol: string): Promise<Asked[]> {
  const asked: Asked[] = []
  const opening = { symbol, openNotes: REASON, positionLength: 'one_to_three_weeks' }
  for (const order of [
    { path: endpoints.openPosition.path, body: opening },
    { path: endpoints.closePosition.path, body: { symbol, closeNotes: REASON } },
  ]) {
    const keys: string[] = []
    const postAll = async (path: string, bodyOf: (trader: number) => object) => {
      const began: number[] = []
      const request = (trader: number) => {
        began[trader] = performance.now()
        const caller = [`Authorization: Bearer ${tokens[trader]}`, `X-Forwarded-For: 10.0.0.${trader + 1}`]
        return post(path, bodyOf(trader), caller)
      }
      const answer = ({ status, body }: { status: number; body: string }, trader: number) => {
        if (status >= 300) throw new Error(`${path} answered ${status} ${body}`)
        asked.push({ path, milliseconds: performance.now() - (began[trader] ?? 0) })
        keys[trader] ??= String((JSON.parse(body) as { key?: string }).key)
      }
      await askAll(api.port, tokens.length, { request, answer }, tokens.length)
    }
    await postAll(endpoints.preview.path, () => ({ symbol }))
    await postAll(order.path, (trader) => ({ ...order.body, key: keys[trader] }))
  }
  return asked
}

type Counters = { commits: number; flushes: number }

/** A connection hands its counts in a second after it fell idle, so this waits until they no longer change. */
async function readCounters(url: string): Promise<Counters> {
  const client = new DatabaseClient({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_sleep(2)')
    const { rows } = await client.query<Counters>(
      `select (select xact_commit::int from pg_stat_database where datname = current_database()) as commits,
        (select sum(fsyncs)::int from pg_stat_io where object = 'wal') as flushes`,
    )
    if (!rows[0]) throw new Error('no counters')
    return rows[0]
  } finally {
    await client.end()
  }
}
