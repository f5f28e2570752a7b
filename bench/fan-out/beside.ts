import { setTimeout as pause } from 'node:timers/promises'
import { addFollowers, type Crowd, makeCrowdTrader, publish } from '../../server/test/followers.ts'
import { inScenario, type Scenario } from '../faults/delivery-scenario.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'

const LARGE = 100_000
const SMALL = 10
const ROUNDS = 5
const EVERY_MS = 100
const QUIET_SAMPLES = 50

/** Milliseconds: of a small event from its commit to its last mail, of a sign-in mail from its answer. */
type Times = { event: number[]; signIn: number[] }

/** The wait of others for a signal and for a code while one event goes to 100,000 followers, beside their wait on a quiet system. */
export async function benchBesideFanOut(): Promise<void> {
  const quiet: Times = { event: [], signIn: [] }
  const beside: Times = { event: [], signIn: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    await inScenario((scenario) => measure(scenario, quiet, beside), { followers: LARGE })
  }
  console.log(`\nbeside a fan-out of ${LARGE} mails, ${ROUNDS} rounds`)
  print(`event of ${SMALL} followers, to its last mail`, beside.event, quiet.event)
  print('sign-in mail, from the answer', beside.signIn, quiet.signIn)
}

async function measure(scenario: Scenario, quiet: Times, beside: Times): Promise<void> {
  const { database, sink } = scenario
  const now = new Date()
  const small = await makeCrowdTrader(database.pool, 'small', now)
  await addFollowers(database.pool, small, SMALL, now)
  await scenario.startWorker({ systemClock: true })
  const api = await startServer([MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: database.url,
    SMTP_URL: sink.url,
    AUTH_SECRET: 'a secret of the tests and of nobody else',
    QUOTES_API_BASE: 'http://127.0.0.1:9',
    QUOTES_API_KEY: 'unused',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  })
  try {
    let nth = 0
    const both = async (times: Times) => {
      nth += 1
      await Promise.all([timeEvent(scenario, small, `S${nth}`, times), timeSignIn(scenario, api, nth, times)])
      await pause(EVERY_MS)
    }
    await both({ event: [], signIn: [] })
    for (let sample = 0; sample < QUIET_SAMPLES / ROUNDS; sample += 1) await both(quiet)
    await scenario.publish()
    const large = () => scenario.followers.length - (sink.total() - nth * (SMALL + 1))
    while (large() > LARGE / 20) await both(beside)
    await sink.until(() => large() === 0)
  } finally {
    await api.kill()
  }
}

async function timeEvent({ database, sink }: Scenario, small: Crowd, symbol: string, times: Times) {
  const counts = () =>
    Array.from({ length: SMALL }, (_, of) => sink.byRecipient.get(`${of}@small.example`) ?? 0)
  const [before = 0] = counts()
  const { committedAt } = await publish(database.db, small, { symbol }, new Date())
  await sink.until(() => counts().every((count) => count > before))
  times.event.push(performance.now() - committedAt)
}

async function timeSignIn({ sink }: Scenario, api: ServerProcess, nth: number, times: Times) {
  const email = `person${nth}@people.example`
  const answer = await fetch(`http://127.0.0.1:${api.port}/auth/v1/otp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, create_user: true }),
  })
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
  const answered = performance.now()
  await sink.until(() => sink.byRecipient.has(email))
  times.signIn.push(Math.max(0, performance.now() - answered))
}

function print(what: string, beside: number[], quiet: number[]): void {
  const at = (times: number[], share: number) =>
    times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ??
    Number.NaN
  const ratio = at(beside, 0.5) / at(quiet, 0.5)
  const ms = (times: number[]) =>
    `median ${at(times, 0.5).toFixed(0)} ms, p99 ${at(times, 0.99).toFixed(0)} ms`
  console.log(
    `  ${what}: ${ratio.toFixed(1)} times a quiet system's; ${ms(beside)} of ${beside.length}; quiet ${ms(quiet)}`,
  )
}
