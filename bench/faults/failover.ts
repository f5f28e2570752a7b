/**
 * The database's server is killed (-9), and in a second run goes silent with every connection to it; its synchronous standby takes its
 * place, as an address that leads to another server from then on. Two api and two workers open, close, mail and feed an open page all
 * the time and are not restarted: answered orders stand, everybody is notified of them, and all of it goes on within 15 s of the
 * promotion. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { testSettings } from '../../server/test/build-test-app.ts'
import {
  type ReplicatedPostgres,
  runOn,
  startReplicatedPostgres,
} from '../../server/test/database/standby.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/prices/quote-server.ts'
import { startTcpProxy, type TcpProxy } from '../../server/test/processes/tcp-proxy.ts'
import type { WorkerProcess } from '../../server/test/processes/worker-process.ts'
import { signEverybodyIn } from '../feeds/world.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { print } from './delivery-checks.ts'
import { inScenarioOn, type Scenario } from './delivery-scenario.ts'
import { askEventsAgain, BACK_WITHIN_MS, type Course, checkAfter } from './failover-checks.ts'
import { readFeed } from './feed-reader.ts'
import { keepTrading, newTrading } from './trading.ts'

const PROCESSES = 2
const FOLLOWERS = 50
/** Of trading, before the fault and after everything is back. */
const LOAD_MS = 6000
/** Until a watcher of the database has seen it and promotes the standby. */
const NOTICED_AFTER_MS = 3000

type Fault = (postgres: ReplicatedPostgres, proxy: TcpProxy) => Promise<void>

export const runs: Record<string, () => Promise<void>> = {
  'failover-killed': () => failedOver(killed),
  'failover-silent': () => failedOver(silent),
}

function killed(postgres: ReplicatedPostgres): Promise<void> {
  return postgres.killPrimary()
}

/** It lives, and cannot know that it is not the one any more: nothing that leads to it may answer. */
async function silent(_postgres: ReplicatedPostgres, proxy: TcpProxy): Promise<void> {
  proxy.redirect(null)
  proxy.freeze()
}

async function failedOver(fault: Fault): Promise<void> {
  await using postgres = await startReplicatedPostgres()
  await waitForStandby(postgres)
  await using proxy = await startTcpProxy(postgres.primary.url)
  const quotes = await startQuoteServer()
  try {
    await inScenarioOn(proxy.url, (scenario) => underLoad({ scenario, postgres, proxy, quotes, fault }), {
      followers: FOLLOWERS,
    })
  } finally {
    await quotes.close()
  }
}

/** From now on a commit is answered when the standby has it too. */
async function waitForStandby({ primary }: ReplicatedPostgres): Promise<void> {
  await runOn(
    primary.url,
    "alter system set synchronous_standby_names = 'standby'",
    'select pg_reload_conf()',
  )
  const isSynchronous = "select from pg_stat_replication where sync_state = 'sync'"
  while ((await runOn(primary.url, isSynchronous)).length === 0) await pause(50)
}

type Parts = {
  scenario: Scenario
  postgres: ReplicatedPostgres
  proxy: TcpProxy
  quotes: QuoteServer
  fault: Fault
}

async function underLoad(parts: Parts): Promise<void> {
  const { scenario, quotes } = parts
  const balancer = await startBalancer()
  const apis: ServerProcess[] = []
  const viewers = [...(await signEverybodyIn(scenario.database)).values()]
  const tokenOf = (email = '') => viewers.find((viewer) => viewer.email === email)?.token ?? ''
  let course: Course | null = null
  try {
    for (let nth = 0; nth < PROCESSES; nth += 1) {
      const api = await startApi(scenario, quotes)
      apis.push(api)
      await balancer.add(api.port)
    }
    const page = readFeed(apis[0]?.port ?? 0, tokenOf(scenario.followers[0]), () => askEventsAgain(scenario))
    course = { ...newTrading(), api: behind(balancer), mails: [], page, faultAt: 0, promotedAt: 0 }
    const workers: WorkerProcess[] = []
    for (let nth = 0; nth < PROCESSES; nth += 1) workers.push(await scenario.startWorker())
    noteMails(scenario, course)
    while (!page.ready) await pause(20)
    const trading = keepTrading(course, tokenOf(`${scenario.trader.username}@traders.example`), quotes)
    await failOver(parts, course)
    course.over = true
    await trading
    await checkAfter(scenario, course, workers.length)
    // None had to be started again.
    for (const api of apis) assert.ok((await fetch(`http://127.0.0.1:${api.port}/readyz`)).ok)
    for (const worker of workers) assert.equal(await worker.stop(), 0)
  } finally {
    if (course) course.over = true
    await course?.page.close()
    await Promise.all(apis.map((api) => api.stop()))
    await balancer.close()
  }
}

function startApi(
  { database, sink, clockFile }: Scenario,
  { provider }: QuoteServer,
): Promise<ServerProcess> {
  return startServer([MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: database.url,
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: sink.url,
    CLOCK_FILE: clockFile,
    QUOTES_API_BASE: provider.base,
    QUOTES_API_KEY: provider.key,
    QUOTES_PER_MINUTE: '60000',
    MARKET_OVERRIDE: 'open',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  })
}

/** The balancer, as whom the traders ask. */
function behind({ url }: Balancer): ServerProcess {
  const nothing = async () => undefined
  return { port: Number(new URL(url).port), pid: 0, stop: nothing, kill: nothing }
}

function noteMails({ sink }: Scenario, course: Course): void {
  sink.script = {
    message() {
      course.mails.push(performance.now())
      return null
    },
  }
}

async function failOver({ postgres, proxy, fault }: Parts, course: Course): Promise<void> {
  await pause(LOAD_MS)
  const before = course.opened.length + course.closed.length
  assert.ok(before > 0 && course.mails.length > 0, 'nothing happened before the fault')
  course.faultAt = performance.now()
  await fault(postgres, proxy)
  await pause(NOTICED_AFTER_MS)
  const atPromotion = performance.now()
  await runOn(postgres.standby.url, 'select pg_promote()')
  course.promotedAt = performance.now()
  proxy.redirect(postgres.standby.url)
  const [opened, closed] = [course.opened.length, course.closed.length]
  const back = (is: () => boolean) => backAfter(course, is)
  const [openedAfter, closedAfter, mailedAfter, shownAfter] = await Promise.all([
    back(() => course.opened.length > opened),
    back(() => course.closed.length > closed),
    back(() => course.mails.some((mail) => mail > course.promotedAt)),
    back(() => course.page.lastAt > course.promotedAt),
  ])
  print({
    'opens and closes before the fault': before,
    'promotion took, ms': Math.round(course.promotedAt - atPromotion),
    'first open answered after, ms': openedAfter,
    'first close answered after, ms': closedAfter,
    'first mail sent after, ms': mailedAfter,
    'open page told after, ms': shownAfter,
  })
  await pause(LOAD_MS)
}

/** @returns how long after the promotion it was so, ms */
async function backAfter({ promotedAt }: Course, is: () => boolean): Promise<number> {
  while (!is()) {
    assert.ok(performance.now() - promotedAt < BACK_WITHIN_MS, 'not back within 15 s of the promotion')
    await pause(10)
  }
  return Math.round(performance.now() - promotedAt)
}
