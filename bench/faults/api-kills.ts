/**
 * The API killed (-9) again and again while a trader opens and closes positions through it, and a worker that lives
 * mails their followers; and the process that is both (`all`) killed so, beside a rude mail server. Answered orders stand, unanswered ones
 * stand whole or not at all, and followers are mailed the orders that stand. `API_KILLS` changes the size.
 * Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../server/src/platform/clock.ts'
import { recountStatistics } from '../../server/src/positions/record/recount-statistics.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/prices/quote-server.ts'
import { deliverSignInMails } from '../../server/test/sign-in/sign-in-mails.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { checkExactlyOnce, everybodyNotified, print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'
import { makeRude, type RudeServer } from './rude-server.ts'
import { keepTrading, lostTrades, newTrading, type Trading, tradesThatStand } from './trading.ts'

const KILLS = Number(process.env.API_KILLS ?? 200)
const FOLLOWERS = 20
const LIFE_MS = { shortest: 50, longest: 1000 }
const LIMIT_MS = 30 * 60_000

export const runs: Record<string, () => Promise<void>> = {
  'R1-api-kills': () => inScenario((scenario) => killedUnderLoad(scenario, 'api'), { followers: FOLLOWERS }),
  'R5-rude-api-kills': () =>
    inScenario((scenario) => besideRudeServer(scenario, 'api'), { followers: FOLLOWERS }),
  'R5-rude-all-kills': () =>
    inScenario((scenario) => besideRudeServer(scenario, 'all'), { followers: FOLLOWERS }),
}

/** The process that is killed: the API beside a worker that lives, or the one process that is both. */
type Role = 'api' | 'all'
type Course = Trading & { began: number; starts: number[]; role: Role }

async function besideRudeServer(scenario: Scenario, role: Role): Promise<void> {
  const rude = makeRude(scenario.sink)
  await killedUnderLoad(scenario, role, rude)
  print(rude.counts())
}

/** @param rude the manners of the mail server, good unless given */
async function killedUnderLoad(scenario: Scenario, role: Role, rude?: RudeServer): Promise<void> {
  const quotes = await startQuoteServer()
  const course: Course = { ...newTrading(), began: performance.now(), starts: [], role }
  try {
    course.api = await startApi(scenario, quotes, 'api')
    const token = await signTraderIn(scenario, course.api)
    if (role === 'api') await scenario.startWorker()
    else {
      await course.api.stop()
      course.api = await startApi(scenario, quotes, role)
    }
    const killing = keepKilling(scenario, course, quotes).finally(() => {
      course.over = true
    })
    await Promise.all([killing, keepTrading(course, token, quotes)])
    if (role === 'api') await course.api?.stop()
    rude?.behave(scenario.clockFile)
    await check(scenario, course, rude)
  } finally {
    await course.api?.kill()
    await quotes.close()
  }
}

function startApi(scenario: Scenario, { provider }: QuoteServer, role: Role): Promise<ServerProcess> {
  return startServer([MAIN, role], 'Tradepost', {
    DATABASE_URL: scenario.database.url,
    // The port changes with every start; the issuer of a token does not.
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: scenario.sink.url,
    SMTP_CONNECTIONS: String(scenario.connections),
    CLOCK_FILE: scenario.clockFile,
    QUOTES_API_BASE: provider.base,
    QUOTES_API_KEY: provider.key,
    QUOTES_PER_MINUTE: '60000',
    MARKET_OVERRIDE: 'open',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  })
}

/** By the mailed code, like anybody. @returns an access token */
export async function signTraderIn(scenario: Scenario, api: ServerProcess): Promise<string> {
  const email = `${scenario.trader.username}@traders.example`
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/auth/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as { access_token: string }
  }
  await post('/otp', { email })
  const [mail] = await deliverSignInMails({
    ...scenario.database,
    clock: systemClock,
    settings: testSettings(),
  })
  return (await post('/verify', { email, token: mail?.code, type: 'email' })).access_token
}

async function keepKilling(scenario: Scenario, course: Course, quotes: QuoteServer): Promise<void> {
  while (course.starts.length < KILLS && performance.now() - course.began < LIMIT_MS) {
    await pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
    await course.api?.kill()
    course.api = null
    const killed = performance.now()
    course.api = await startApi(scenario, quotes, course.role)
    course.starts.push(performance.now() - killed)
    if (course.starts.length % 50 === 0) console.log(`   ${course.starts.length} killed …`)
  }
}

async function check(scenario: Scenario, course: Course, rude?: RudeServer): Promise<void> {
  // Of what the mail server has taken, a process that sends may not have written down one mail a connection.
  const bound = (rude?.unsaid() ?? 0) + (course.role === 'all' ? scenario.connections * KILLS : 0)
  const trades = await tradesThatStand(scenario.database.pool)
  const { events } = trades
  await everybodyNotified(scenario, events)
  const starts = course.starts.toSorted((a, b) => a - b)
  print({
    kills: starts.length,
    minutes: Math.round((performance.now() - course.began) / 60_000),
    'opens and closes answered': course.opened.length + course.closed.length,
    'lost of these': lostTrades(course, trades),
    'requests without an answer': course.unanswered,
    'opens and closes that stand although unanswered': events - course.opened.length - course.closed.length,
    'requests refused': [...course.refused.values()].reduce((sum, count) => sum + count, 0),
    'kill to ready, median, ms': Math.round(starts[starts.length >> 1] ?? Number.NaN),
    'kill to ready, p99, ms': Math.round(starts[Math.floor(starts.length * 0.99)] ?? Number.NaN),
    mails: scenario.sink.byMessageId.size,
    repeated: scenario.sink.repeats(),
    bound,
  })
  assert.equal(starts.length, KILLS, 'the run took too long')
  assert.equal(lostTrades(course, trades), 0)
  assert.deepEqual([...course.refused], [])
  assert.equal(await recountStatistics(scenario.database.db), 0)
  await checkExactlyOnce(scenario, bound, { events })
}
