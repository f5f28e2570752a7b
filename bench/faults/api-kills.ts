/**
 * The API killed (-9) again and again while a trader opens and closes positions through it, and a worker that lives
 * mails their followers: what was answered stands, what was not stands whole or not at all, everybody is told of what
 * stands. `API_KILLS` changes the size. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { endpoints } from '../../contract/src/endpoints.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { rebuildStats } from '../../server/src/positions/rebuild-stats.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/quote-server.ts'
import { deliverSignInMails } from '../../server/test/sign-in-mails.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { checkExactlyOnce, everybodyTold, print } from './delivery-checks.ts'
import { onStage, type Stage } from './delivery-stage.ts'

const KILLS = Number(process.env.API_KILLS ?? 200)
const FOLLOWERS = 20
const CLIENTS = 4
/** Between two positions of a client. */
const PAUSE_MS = 50
const LIFE_MS = { shortest: 50, longest: 1000 }
const LIMIT_MS = 30 * 60_000
const REASON = 'For a reason that is long enough.'

export const runs: Record<string, () => Promise<void>> = {
  'R1-api-kills': () => onStage(killedUnderLoad, { followers: FOLLOWERS }),
}

type Course = {
  api: ServerProcess | null
  over: boolean
  began: number
  starts: number[]
  /** Symbols whose opening, and whose closing, was answered with success. */
  opened: string[]
  closed: string[]
  unanswered: number
  /** Answers that are no success. */
  refused: Map<string, number>
}

async function killedUnderLoad(stage: Stage): Promise<void> {
  const quotes = await startQuoteServer()
  const course: Course = {
    api: null,
    over: false,
    began: performance.now(),
    starts: [],
    opened: [],
    closed: [],
    unanswered: 0,
    refused: new Map(),
  }
  try {
    course.api = await startApi(stage, quotes)
    const token = await signTraderIn(stage, course.api)
    await stage.startWorker()
    const killing = keepKilling(stage, course, quotes).finally(() => {
      course.over = true
    })
    const clients = Array.from({ length: CLIENTS }, (_, client) => keepTrading(course, client, token, quotes))
    await Promise.all([killing, ...clients])
    await course.api?.stop()
    await check(stage, course)
  } finally {
    await course.api?.kill()
    await quotes.close()
  }
}

function startApi(stage: Stage, { provider }: QuoteServer): Promise<ServerProcess> {
  return startServer([MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: stage.database.url,
    // The port changes with every start; who issued a token does not.
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: stage.sink.url,
    QUOTES_API_BASE: provider.base,
    QUOTES_API_KEY: provider.key,
    MARKET_OVERRIDE: 'open',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  })
}

/** By the mailed code, like anybody. @returns an access token */
async function signTraderIn(stage: Stage, api: ServerProcess): Promise<string> {
  const email = `${stage.trader.username}@traders.example`
  const say = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/auth/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as { access_token: string }
  }
  await say('/otp', { email })
  const [mail] = await deliverSignInMails({ ...stage.database, clock: systemClock, settings: testSettings() })
  return (await say('/verify', { email, token: mail?.code, type: 'email' })).access_token
}

async function keepKilling(stage: Stage, course: Course, quotes: QuoteServer): Promise<void> {
  while (course.starts.length < KILLS && performance.now() - course.began < LIMIT_MS) {
    await pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
    await course.api?.kill()
    course.api = null
    const killed = performance.now()
    course.api = await startApi(stage, quotes)
    course.starts.push(performance.now() - killed)
    if (course.starts.length % 50 === 0) console.log(`   ${course.starts.length} killed …`)
  }
}

async function keepTrading(
  course: Course,
  client: number,
  token: string,
  quotes: QuoteServer,
): Promise<void> {
  for (let number = 0; !course.over; number += 1) {
    const symbol = `C${client}N${number}`
    quotes.set(symbol, { price: randomInt(10, 500), at: new Date() })
    const opening = { symbol, openNotes: REASON, positionLength: 'one_to_three_weeks' }
    if (await trade(course, token, endpoints.openPosition.path, opening)) {
      course.opened.push(symbol)
      const closing = { symbol, closeNotes: REASON }
      if (await trade(course, token, endpoints.closePosition.path, closing)) course.closed.push(symbol)
    }
    await pause(PAUSE_MS)
  }
}

/** @returns whether it was answered with success */
async function trade(
  course: Course,
  token: string,
  path: string,
  body: { symbol: string },
): Promise<boolean> {
  const preview = await ask(course, token, endpoints.preview.path, { symbol: body.symbol })
  if (!preview) return false
  return (await ask(course, token, path, { ...body, key: preview.key })) !== null
}

/** @returns null when it was refused, or not answered because the server was killed */
async function ask(
  course: Course,
  token: string,
  path: string,
  body: object,
): Promise<{ key: string } | null> {
  while (!course.api && !course.over) await pause(20)
  try {
    const answer = await fetch(`http://127.0.0.1:${course.api?.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    const said = (await answer.json()) as { key: string; code?: string }
    if (answer.ok) return said
    const refusal = `${answer.status} ${said.code}`
    course.refused.set(refusal, (course.refused.get(refusal) ?? 0) + 1)
  } catch {
    course.unanswered += 1
  }
  return null
}

async function check(stage: Stage, course: Course): Promise<void> {
  const { rows } = await stage.database.pool.query<{ symbol: string; active: boolean }>(
    'select symbol, active from positions',
  )
  const standing = new Set(rows.map(({ symbol }) => symbol))
  const closed = new Set(rows.filter(({ active }) => !active).map(({ symbol }) => symbol))
  const events = standing.size + closed.size
  await everybodyTold(stage, events)
  const starts = course.starts.toSorted((a, b) => a - b)
  print({
    kills: starts.length,
    minutes: Math.round((performance.now() - course.began) / 60_000),
    'opens and closes answered': course.opened.length + course.closed.length,
    'lost of these': course.opened.filter((symbol) => !standing.has(symbol)).length,
    'requests without an answer': course.unanswered,
    'opens and closes that stand although unanswered': events - course.opened.length - course.closed.length,
    'requests refused': [...course.refused.values()].reduce((sum, count) => sum + count, 0),
    'kill to ready, median, ms': Math.round(starts[starts.length >> 1] ?? Number.NaN),
    'kill to ready, p99, ms': Math.round(starts[Math.floor(starts.length * 0.99)] ?? Number.NaN),
    mails: stage.sink.byMessageId.size,
    repeated: stage.sink.repeats(),
  })
  assert.equal(starts.length, KILLS, 'the run took too long')
  for (const symbol of course.opened) assert.ok(standing.has(symbol), `${symbol} was lost`)
  for (const symbol of course.closed) assert.ok(closed.has(symbol), `the close of ${symbol} was lost`)
  assert.deepEqual([...course.refused], [])
  assert.equal(await rebuildStats(stage.database.db), 0)
  await checkExactlyOnce(stage, 0, { events })
}
