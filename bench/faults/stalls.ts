/**
 * The database stalls again and again under an API that is asked all the time and a worker with mails to send: both live,
 * the API answers so, everything goes on afterwards, every mail is sent once. `STALLS` and `LONG_STALLS` change the size.
 * Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { testSettings } from '../../server/test/build-test-app.ts'
import { startTcpProxy, type TcpProxy } from '../../server/test/processes/tcp-proxy.ts'
import { startWorkerProcess } from '../../server/test/processes/worker-process.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { signTraderIn } from './api-kills.ts'
import { print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'

const STALLS = Number(process.env.STALLS ?? 20)
const STALL_MS = 5000
const LONG_STALLS = Number(process.env.LONG_STALLS ?? 2)
const LONG_STALL_MS = 60_000
/** Between two stalls. */
const CALM_MS = 4000
const GOES_ON_WITHIN_MS = 5000
const FOLLOWERS = 200
const CLIENTS = 6
const OPEN_EVERY_MS = 500
const SIGN_IN_EVERY_MS = 700

export const runs: Record<string, () => Promise<void>> = {
  'R3-stalls': () => inScenario(stalledUnderLoad, { followers: FOLLOWERS }),
}

type Course = {
  over: boolean
  token: string
  opens: number
  /** Addresses whose request for a code was answered with success. */
  signIns: string[]
  violations: string[]
  answers: Map<number, number>
  slowestAnswer: number
  /** From the end of a stall until calls are answered, mails go on, and owed ones of either kind have arrived; ms. */
  apiBack: number[]
  mailBack: number[]
  codeBack: number[]
  allBack: number[]
}

async function stalledUnderLoad(scenario: Scenario): Promise<void> {
  const proxy = await startTcpProxy(scenario.database.url)
  const api = await startApi(scenario, proxy)
  const token = await signTraderIn(scenario, api)
  const target = { databaseUrl: proxy.url, smtpUrl: scenario.sink.url, connections: scenario.connections }
  const worker = await startWorkerProcess(target)
  const counts = { opens: 0, answers: new Map(), slowestAnswer: 0, signIns: [], violations: [] }
  const course: Course = {
    over: false,
    token,
    ...counts,
    apiBack: [],
    mailBack: [],
    codeBack: [],
    allBack: [],
  }
  try {
    const load = [
      keepOpening(scenario, course),
      keepSigningIn(course, api),
      ...Array.from({ length: CLIENTS }, () => keepAsking(course, api)),
    ]
    const short = Array<number>(STALLS).fill(STALL_MS)
    const stalls = short.concat(Array<number>(LONG_STALLS).fill(LONG_STALL_MS))
    for (const ms of stalls) await stallOnce(scenario, course, { proxy, api, ms })
    course.over = true
    await Promise.all(load)
    await check(scenario, course)
    assert.equal(await worker.stop(), 0, 'the worker did not live, or did not end well')
  } finally {
    course.over = true
    await worker.kill()
    await api.kill()
    await proxy[Symbol.asyncDispose]()
  }
}

export function startApi(scenario: Scenario, proxy: TcpProxy): Promise<ServerProcess> {
  return startServer([MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: proxy.url,
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: scenario.sink.url,
    QUOTES_API_BASE: 'http://127.0.0.1:9',
    QUOTES_API_KEY: 'unused',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  })
}

async function stallOnce(
  scenario: Scenario,
  course: Course,
  { proxy, api, ms }: { proxy: TcpProxy; api: ServerProcess; ms: number },
): Promise<void> {
  await pause(CALM_MS)
  proxy.stall()
  await pause(ms)
  proxy.resume()
  const resumed = performance.now()
  const owed = course.opens * FOLLOWERS
  const signIns = course.signIns.length
  const api200 = async () => {
    while ((await ask(course, api, '/v1/leaderboard')) !== 200) await pause(20)
    course.apiBack.push(performance.now() - resumed)
  }
  const sent = mailsSent(scenario)
  const mails = async () => {
    await scenario.sink.until(() => mailsSent(scenario) > sent)
    course.mailBack.push(performance.now() - resumed)
    await scenario.sink.until(() => mailsSent(scenario) >= owed)
    course.allBack.push(performance.now() - resumed)
  }
  const codes = async () => {
    await scenario.sink.until(() => course.signIns.slice(0, signIns).every(isNotified(scenario)))
    course.codeBack.push(performance.now() - resumed)
  }
  await Promise.all([api200(), mails(), codes()])
  const after = [course.apiBack, course.mailBack, course.codeBack, course.allBack].map(ceil).join(', ')
  console.log(`   stalled ${ms} ms; calls, first mails, sign-in mails, all mails after ${after} ms`)
}

const ceil = (figures: number[]) => Math.ceil(figures.at(-1) ?? Number.NaN)
const isNotified = (scenario: Scenario) => (address: string) => scenario.sink.byRecipient.has(address)

/** Mails of positions so far. */
function mailsSent({ sink, followers }: Scenario): number {
  return followers.reduce((sum, address) => sum + (sink.byRecipient.get(address) ?? 0), 0)
}

/** Not through the proxy: the mails are the subject. */
async function keepOpening(scenario: Scenario, course: Course): Promise<void> {
  for (; !course.over; await pause(OPEN_EVERY_MS)) {
    await scenario.publish(`S${course.opens}`)
    course.opens += 1
  }
}

async function keepSigningIn(course: Course, api: ServerProcess): Promise<void> {
  for (let number = 0; !course.over; number += 1) {
    const email = `${number}@people.example`
    if ((await ask(course, api, '/auth/v1/otp', { email })) === 200) course.signIns.push(email)
    await pause(SIGN_IN_EVERY_MS)
  }
}

async function keepAsking(course: Course, api: ServerProcess): Promise<void> {
  for (; !course.over; await pause(20)) await ask(course, api, '/v1/leaderboard')
}

/** @returns the status; any but success and "later" is a violation */
async function ask(course: Course, api: ServerProcess, path: string, body?: object): Promise<number> {
  const began = performance.now()
  const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${course.token}` },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  await answer.arrayBuffer()
  course.slowestAnswer = Math.max(course.slowestAnswer, performance.now() - began)
  course.answers.set(answer.status, (course.answers.get(answer.status) ?? 0) + 1)
  const later = answer.status === 503 && answer.headers.get('retry-after') === '5'
  if (answer.status !== 200 && !later) course.violations.push(`${path} was answered ${answer.status}`)
  return answer.status
}

async function check(scenario: Scenario, course: Course): Promise<void> {
  const { sink, followers } = scenario
  await sink.until(
    () => mailsSent(scenario) >= course.opens * FOLLOWERS && course.signIns.every(isNotified(scenario)),
  )
  const worst = (figures: number[]) => Math.round(Math.max(...figures))
  print({
    stalls: course.apiBack.length,
    opens: course.opens,
    mails: mailsSent(scenario),
    repeated: sink.repeats(),
    'sign-in mails': course.signIns.length,
    'calls answered 200': course.answers.get(200) ?? 0,
    'calls answered 503': course.answers.get(503) ?? 0,
    'slowest answer, ms': Math.round(course.slowestAnswer),
    'calls go on after, at most, ms': worst(course.apiBack),
    'mails of positions go on after, at most, ms': worst(course.mailBack),
    'sign-in mails that were owed are sent after, at most, ms': worst(course.codeBack),
    'mails of positions that were owed are sent after, at most, ms': worst(course.allBack),
  })
  assert.deepEqual(course.violations, [])
  for (const address of followers)
    assert.equal(sink.byRecipient.get(address), course.opens, `${address} was left out, or told twice`)
  for (const address of course.signIns)
    assert.equal(sink.byRecipient.get(address), 1, `${address}: not one code`)
  assert.equal(sink.repeats(), 0)
  for (const back of [course.apiBack, course.mailBack, course.codeBack])
    assert.ok(worst(back) < GOES_ON_WITHIN_MS, 'something went on too late after a stall')
}
