/**
 * Two api behind a balancer and three workers on one database with a replica, each restarted twice, one after the other, while a hundred
 * requests a second are asked and an event with 2,000 mails is published every 30 s: no request fails, no mail is lost, none is repeated.
 * `TOPOLOGY_MINUTES` (10) and `TOPOLOGY_PER_SECOND` (100) change the size.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { testSettings } from '../../server/test/build-test-app.ts'
import { type ReplicatedPostgres, runOn, startReplicatedPostgres } from '../../server/test/standby.ts'
import type { WorkerProcess } from '../../server/test/worker-process.ts'
import { signEverybodyIn, type Viewer } from '../feeds/world.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { checkExactlyOnce, everybodyNotified, print } from './delivery-checks.ts'
import { inScenarioOn, type Scenario } from './delivery-scenario.ts'

const MINUTES = Number(process.env.TOPOLOGY_MINUTES ?? 10)
const APIS = 2
const WORKERS = 3
const RESTARTS = 2
const PER_SECOND = Number(process.env.TOPOLOGY_PER_SECOND ?? 100)
const FOLLOWERS = 2000
const EVENT_EVERY_MS = 30_000
/** Of a look at a follower's screen. */
const PATHS = [
  '/v1/positions',
  '/v1/accounts/configuration',
  '/v1/leaderboard',
  '/v1/accounts/profile?username=maria',
  '/v1/accounts/search?username=maria',
  '/v1/subscriptions',
  '/v1/activity/unread',
]

export const runs: Record<string, () => Promise<void>> = {
  'topology-rolling': besideReplica,
}

/** A scenario, and where its api read what others did. */
type World = Scenario & { replica: string }
type Course = { over: boolean; asked: number; failed: Map<string, number>; times: number[]; events: number }

async function besideReplica(): Promise<void> {
  await using postgres = await startReplicatedPostgres()
  const replica = postgres.standby.url
  const run = (scenario: Scenario) => rolling({ ...scenario, replica }, postgres)
  await inScenarioOn(postgres.primary.url, run, { followers: FOLLOWERS })
}

/** @returns how many statements or transactions that server has run, whoever asked */
async function statementsOn(url: string): Promise<number> {
  const [row] = await runOn(url, 'select sum(xact_commit)::int as count from pg_stat_database')
  return Number(row?.count)
}

async function rolling(scenario: World, postgres: ReplicatedPostgres): Promise<void> {
  const viewers = [...(await signEverybodyIn(scenario.database)).values()]
  const balancer = await startBalancer()
  const apis: ServerProcess[] = []
  const workers: WorkerProcess[] = []
  const course: Course = { over: false, asked: 0, failed: new Map(), times: [], events: 0 }
  try {
    for (let nth = 0; nth < APIS; nth += 1) apis.push(await startApi(scenario, balancer))
    for (let nth = 0; nth < WORKERS; nth += 1) workers.push(await scenario.startWorker({ systemClock: true }))
    const asking = keepAsking(course, balancer, viewers)
    const publishing = keepPublishing(course, scenario)
    const restarting = restartAll(scenario, balancer, apis, workers).then(() => {
      course.over = true
    })
    // Whichever fails first ends the run, and what it has started.
    await Promise.all([restarting, asking, publishing])
    await everybodyNotified(scenario, course.events)
    report(course, scenario)
    const [primary, replica] = [
      await statementsOn(postgres.primary.url),
      await statementsOn(scenario.replica),
    ]
    print({ 'statements and transactions of the primary': primary, 'of the replica': replica })
    assert.ok(replica > course.asked / 4, 'the replica was not used')
    assert.deepEqual([...course.failed], [])
    await checkExactlyOnce(scenario, 0, { events: course.events })
  } finally {
    course.over = true
    await Promise.all(apis.map((api) => api.stop()))
    await balancer.close()
  }
}

/** Each process twice, one after the other, evenly over the time that the run takes. */
async function restartAll(
  scenario: World,
  balancer: Balancer,
  apis: ServerProcess[],
  workers: WorkerProcess[],
): Promise<void> {
  const every = (MINUTES * 60_000) / ((APIS + WORKERS) * RESTARTS + 1)
  for (let round = 0; round < RESTARTS; round += 1) {
    for (const [place, api] of apis.entries()) {
      await pause(every)
      await api.stop()
      balancer.remove(api.port)
      apis[place] = await startApi(scenario, balancer)
    }
    for (const [place, worker] of workers.entries()) {
      await pause(every)
      assert.equal(await worker.stop(), 0)
      workers[place] = await scenario.startWorker({ systemClock: true })
    }
  }
  await pause(every)
}

async function startApi(scenario: World, balancer: Balancer): Promise<ServerProcess> {
  const api = await startServer(['--max-semi-space-size=4', MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: scenario.database.url,
    DATABASE_READ_URL: scenario.replica,
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: scenario.sink.url,
    QUOTES_API_BASE: 'http://127.0.0.1:9',
    QUOTES_API_KEY: 'unused',
    DRAIN_SECONDS: '2',
    // All come from one address here.
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  })
  await balancer.add(api.port)
  return api
}

async function keepAsking(course: Course, balancer: Balancer, viewers: Viewer[]): Promise<void> {
  const underway = new Set<Promise<void>>()
  const began = performance.now()
  while (!course.over) {
    const due = ((performance.now() - began) / 1000) * PER_SECOND
    for (; course.asked < due; course.asked += 1) {
      const asking: Promise<void> = ask(course, balancer, viewers).finally(() => underway.delete(asking))
      underway.add(asking)
    }
    await pause(5)
  }
  await Promise.all(underway)
}

async function ask(course: Course, { url }: Balancer, viewers: Viewer[]): Promise<void> {
  const path = PATHS[course.asked % PATHS.length] ?? ''
  const { token = '' } = viewers[course.asked % viewers.length] ?? {}
  const began = performance.now()
  const outcome = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok ? null : `${path} ${answer.status}`
    },
    (error: Error) => `${path} ${(error.cause as Error | undefined)?.message ?? error.message}`,
  )
  course.times.push(performance.now() - began)
  if (outcome !== null) course.failed.set(outcome, (course.failed.get(outcome) ?? 0) + 1)
}

async function keepPublishing(course: Course, scenario: Scenario): Promise<void> {
  for (let next = performance.now(); !course.over; next += EVENT_EVERY_MS) {
    course.events += 1
    await scenario.publish(`S${course.events}`)
    while (!course.over && performance.now() < next + EVENT_EVERY_MS) await pause(100)
  }
}

function report(course: Course, { sink }: Scenario): void {
  const times = course.times.toSorted((one, other) => one - other)
  print({
    minutes: MINUTES,
    restarts: (APIS + WORKERS) * RESTARTS,
    requests: course.asked,
    'requests failed': [...course.failed.values()].reduce((sum, count) => sum + count, 0),
    'answered, p50, ms': Math.round(times[times.length >> 1] ?? Number.NaN),
    'answered, p99, ms': Math.round(times[Math.floor(times.length * 0.99)] ?? Number.NaN),
    events: course.events,
    mails: sink.byMessageId.size,
    repeated: sink.repeats(),
  })
  for (const [what, count] of course.failed) console.log(`   ${count} times: ${what}`)
}
