/**
 * The embedded PostgreSQL of a whole product killed (-9) again and again, its first process and one that serves a
 * connection in turn, while a trader opens and closes positions and followers are mailed: answered orders stand, and everybody is notified
 * of them. `POSTGRES_KILLS` changes the size. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findRunningPostgres } from '../../server/src/dev/embedded-postgres.ts'
import { freePort } from '../../server/src/dev/free-port.ts'
import { readPidFile } from '../../server/src/dev/postgres-leftovers.ts'
import { preparePlace } from '../../server/src/dev/postgres-place.ts'
import { connectDatabase, type Database } from '../../server/src/platform/database/database.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { addFollowers, makeCrowdTrader } from '../../server/test/followers.ts'
import { type CountingSink, startCountingSink } from '../../server/test/mails/counting-sink.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/prices/quote-server.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { print } from './delivery-checks.ts'
import { requireWholeRecord } from './record-checks.ts'
import { keepTrading, lostTrades, newTrading, type Trading, tradesThatStand } from './trading.ts'

const KILLS = Number(process.env.POSTGRES_KILLS ?? 20)
const FOLLOWERS = 20
const CONNECTIONS = 10
const LIFE_MS = { shortest: 1000, longest: 3000 }
const READY_WITHIN_MS = 5000
const LIMIT_MS = 60_000
/** Commits that do not wait for the disk and that PostgreSQL may lose: those of three times `wal_writer_delay`. */
const UNWRITTEN_MS = 600
const EMAIL = 'maria@traders.example'

export const runs: Record<string, () => Promise<void>> = { 'R2-embedded': killedUnderLoad }

type Scenario = { product: ServerProcess; database: Database; dataDir: string; sink: CountingSink }

type Course = Trading & {
  /** Of `performance.now()`. */
  kills: number[]
  mails: number[]
  /** From each kill to ready again, ms. */
  returns: number[]
}

async function killedUnderLoad(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-faults-'))
  const quotes = await startQuoteServer()
  const sink = await startCountingSink()
  const product = await startProduct(dataDir, quotes, sink)
  const url = (await findRunningPostgres(dataDir)) ?? ''
  const database = connectDatabase({ url, size: 2, log: makeLog('silent', false) })
  try {
    await keepKilling({ product, database, dataDir, sink }, quotes)
  } finally {
    await database.close()
    await product.stop()
    await sink.close()
    await quotes.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function startProduct(
  dataDir: string,
  { provider }: QuoteServer,
  sink: CountingSink,
): Promise<ServerProcess> {
  const [sandboxPort, smtpPort] = await Promise.all([freePort(), freePort()])
  return startServer([MAIN, 'all'], 'Tradepost', {
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_SMTP_PORT: String(smtpPort),
    SMTP_URL: sink.url,
    SMTP_CONNECTIONS: String(CONNECTIONS),
    QUOTES_API_BASE: provider.base,
    QUOTES_API_KEY: provider.key,
    QUOTES_PER_MINUTE: '60000',
    MARKET_OVERRIDE: 'open',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  })
}

async function keepKilling(scenario: Scenario, quotes: QuoteServer): Promise<void> {
  const { database, product, sink } = scenario
  const course: Course = { ...newTrading(), api: product, kills: [], mails: [], returns: [] }
  const now = new Date()
  const trader = await makeCrowdTrader(database.pool, 'maria', now)
  const followers = await addFollowers(database.pool, trader, FOLLOWERS, now)
  const token = await signTraderIn(scenario)
  sink.script = {
    message() {
      course.mails.push(performance.now())
      return null
    },
  }
  const trading = keepTrading(course, token, quotes)
  try {
    while (course.kills.length < KILLS) {
      await pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
      await killOne(scenario, course)
    }
  } finally {
    course.over = true
    await trading
  }
  await check(scenario, course, followers)
}

/** By the mailed code, like anybody; it is the first mail of all. @returns an access token */
async function signTraderIn({ product, sink }: Scenario): Promise<string> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${product.port}/auth/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as { access_token: string }
  }
  await post('/otp', { email: EMAIL })
  await sink.until(() => sink.kept.length === 1)
  const code = /\b\d{6}\b/.exec(sink.kept[0]?.raw ?? '')?.[0]
  return (await post('/verify', { email: EMAIL, token: code, type: 'email' })).access_token
}

/** Kills and waits until the product, its worker included, answers that it is ready. */
async function killOne(scenario: Scenario, course: Course): Promise<void> {
  const pid = course.kills.length % 2 === 0 ? firstProcess(scenario) : await someConnection(scenario)
  process.kill(pid, 'SIGKILL')
  const killed = performance.now()
  course.kills.push(killed)
  // Until the death has been noticed, the old answer would be a mistake.
  await pause(50)
  while (!(await isReady(scenario.product.port))) {
    assert.ok(performance.now() - killed < LIMIT_MS, 'not ready again within a minute')
    await pause(10)
  }
  course.returns.push(performance.now() - killed)
}

function firstProcess({ dataDir }: Scenario): number {
  return readPidFile(preparePlace(dataDir))?.pid ?? 0
}

async function someConnection({ database }: Scenario): Promise<number> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
      order by random() limit 1`,
  )
  return rows[0]?.pid ?? 0
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )
}

async function check({ database, sink }: Scenario, course: Course, followers: string[]): Promise<void> {
  const trades = await tradesThatStand(database.pool)
  // And the mail with the code.
  const owed = followers.length * trades.events + 1
  const all = sink.until(() => sink.byMessageId.size >= owed)
  await Promise.race([all, pause(LIMIT_MS, undefined, { ref: false })])
  const returns = course.returns.toSorted((a, b) => a - b)
  // Of each kill: the mails on their way, and those whose progress had not been written yet.
  const bound = course.kills.reduce(
    (sum, at) =>
      sum + CONNECTIONS + course.mails.filter((mail) => mail < at && mail > at - UNWRITTEN_MS).length,
    0,
  )
  const refused = [...course.refused]
  print({
    kills: returns.length,
    'kill to ready, median, ms': Math.round(returns[returns.length >> 1] ?? Number.NaN),
    'kill to ready, longest, ms': Math.round(returns.at(-1) ?? Number.NaN),
    'opens and closes answered': course.opened.length + course.closed.length,
    'lost of these': lostTrades(course, trades),
    'requests without an answer': course.unanswered,
    'requests refused while the database was away': refused.reduce((sum, [, count]) => sum + count, 0),
    mails: sink.byMessageId.size,
    lost: owed - sink.byMessageId.size,
    repeated: sink.repeats(),
    bound,
    ...(await requireWholeRecord(database)),
  })
  assert.equal(lostTrades(course, trades), 0)
  assert.equal(sink.byMessageId.size, owed)
  assert.ok(sink.repeats() <= bound, `${sink.repeats()} mails were repeated, at most ${bound} may be`)
  assert.deepEqual(
    refused.filter(([answer]) => !answer.startsWith('503 ')),
    [],
  )
  assert.ok((returns.at(-1) ?? 0) < READY_WITHIN_MS, 'it took longer than five seconds once')
}
