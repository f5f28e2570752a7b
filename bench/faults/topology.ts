/**
 * Two api behind a balancer and three workers on one database with a replica, each restarted twice, one after the other, while a hundred
 * requests a second are asked (a twentieth of them writes) and an event with 2,000 mails is published every 30 s: no request fails, no
 * mail is lost, none is repeated, and the replica is used. `TOPOLOGY_MINUTES` (10) and `TOPOLOGY_PER_SECOND` (100) change the size.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { testSettings } from '../../server/test/build-test-app.ts'
import {
  type PrimaryAndStandby,
  startReplicatedPostgres,
  startReplicatedSystemPostgres,
} from '../../server/test/database/standby.ts'
import { findSystemPostgres } from '../../server/test/database/system-postgres.ts'
import { addFollowers, makeCrowdTrader } from '../../server/test/followers.ts'
import { type QuoteServer, startQuoteServer } from '../../server/test/prices/quote-server.ts'
import type { WorkerProcess } from '../../server/test/processes/worker-process.ts'
import { signEverybodyIn, type Viewer } from '../feeds/world.ts'
import { MAIN, type ServerProcess, startServer } from '../server-process.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { inScenarioOn, type Scenario } from './delivery-scenario.ts'
import { checkCourse, report, watchReplica } from './topology-checks.ts'
import {
  type Course,
  keepAsking,
  keepSigningIn,
  newCourse,
  openOnce,
  type TradingTrader,
} from './topology-load.ts'

const MINUTES = Number(process.env.TOPOLOGY_MINUTES ?? 10)
/** As docs/operations.md has it; workers are given what this process is. */
const COMPILED = join(import.meta.dirname, '../../.cache/compiled')
const APIS = 2
const WORKERS = 3
const RESTARTS = 2
const PER_SECOND = Number(process.env.TOPOLOGY_PER_SECOND ?? 100)
const FOLLOWERS = 2000
const EVENT_EVERY_MS = 30_000
/** Traders who open and close all the time, and the followers of each. */
const TRADERS = 20
const FOLLOWERS_EACH = 5

export const runs: Record<string, () => Promise<void>> = {
  'topology-rolling': besideReplica,
}

/** @property replica where its api read what others did */
type World = Scenario & { replica: string; quotes: QuoteServer }

async function besideReplica(): Promise<void> {
  const bin = findSystemPostgres()
  await using postgres = await (bin ? startReplicatedSystemPostgres(bin) : startReplicatedPostgres())
  await using quotes = await startQuoteServer()
  const replica = postgres.standby.url
  const run = (scenario: Scenario) => rolling({ ...scenario, replica, quotes }, postgres)
  await inScenarioOn(postgres.primary.url, run, { followers: FOLLOWERS })
}

async function rolling(world: World, postgres: PrimaryAndStandby): Promise<void> {
  const names = await makeTraders(world)
  const viewers = [...(await signEverybodyIn(world.database)).values()]
  const traders = names.map((name, place) => withFollowers(name, place, viewers))
  const maria = viewerOf(viewers, `${world.trader.username}@traders.example`)
  const balancer = await startBalancer()
  const course = newCourse(balancer.url)
  const apis: ServerProcess[] = []
  const workers: WorkerProcess[] = []
  try {
    for (let nth = 0; nth < APIS; nth += 1) apis.push(await startApi(world, balancer))
    for (let nth = 0; nth < WORKERS; nth += 1) workers.push(await startWorker(world))
    const replica = await watchReplica(postgres, APIS)
    const { quotes } = world
    const restarting = restartAll(world, { course, balancer, apis, workers }).then(() => {
      course.over = true
    })
    // Whichever fails first ends the run, and what it has started.
    await Promise.all([
      restarting,
      keepAsking(course, { viewers, traders, quotes, perSecond: PER_SECOND }),
      keepPublishing(course, maria, quotes),
      keepSigningIn(course, world.sink),
    ])
    report(course, { minutes: MINUTES, restarts: (APIS + WORKERS) * RESTARTS })
    await checkCourse(world, course, { traders: names, replica })
  } finally {
    course.over = true
    await Promise.all(apis.map((api) => api.stop()))
    await balancer.close()
  }
}

async function makeTraders({ database }: World): Promise<string[]> {
  const now = new Date()
  const names = Array.from({ length: TRADERS }, (_, nth) => `trade${nth}`)
  for (const name of names) {
    const crowd = await makeCrowdTrader(database.pool, name, now)
    await addFollowers(database.pool, crowd, FOLLOWERS_EACH, now)
  }
  return names
}

function withFollowers(name: string, place: number, viewers: Viewer[]): TradingTrader {
  const followers = viewers.filter(({ email }) => email.endsWith(`@${name}.example`))
  return { place, viewer: viewerOf(viewers, `${name}@traders.example`), followers }
}

function viewerOf(viewers: Viewer[], address: string): Viewer {
  return viewers.find(({ email }) => email === address) ?? assert.fail(`${address} is nobody`)
}

/** Each process twice, one after the other, evenly over the time that the run takes. */
async function restartAll(
  world: World,
  parts: { course: Course; balancer: Balancer; apis: ServerProcess[]; workers: WorkerProcess[] },
): Promise<void> {
  const { apis, balancer, course, workers } = parts
  const every = (MINUTES * 60_000) / ((APIS + WORKERS) * RESTARTS + 1)
  const inTurn = async (what: 'api' | 'worker', restart: () => Promise<void>) => {
    await pause(every)
    course.restarting = what
    await restart()
    course.restarting = null
  }
  for (let round = 0; round < RESTARTS; round += 1) {
    for (const [place, api] of apis.entries())
      await inTurn('api', async () => {
        await api.stop()
        balancer.remove(api.port)
        apis[place] = await startApi(world, balancer)
      })
    for (const [place, worker] of workers.entries())
      await inTurn('worker', async () => {
        assert.equal(await worker.stop(), 0)
        workers[place] = await startWorker(world)
      })
  }
  await pause(every)
}

const startWorker = (world: World) => world.startWorker({ systemClock: true })

async function startApi(world: World, balancer: Balancer): Promise<ServerProcess> {
  const api = await startServer(['--max-semi-space-size=4', MAIN, 'api'], 'Tradepost', {
    NODE_COMPILE_CACHE: COMPILED,
    DATABASE_URL: world.database.url,
    DATABASE_READ_URL: world.replica,
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: world.sink.url,
    QUOTES_API_BASE: world.quotes.provider.base,
    QUOTES_API_KEY: world.quotes.provider.key,
    QUOTES_PER_MINUTE: '60000',
    MARKET_OVERRIDE: 'open',
    DRAIN_SECONDS: '2',
    // All come from one address here.
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  })
  await balancer.add(api.port)
  return api
}

async function keepPublishing(course: Course, trader: Viewer, quotes: QuoteServer): Promise<void> {
  for (let nth = 1, next = performance.now(); !course.over; nth += 1) {
    await openOnce(course, trader, `S${nth}`, quotes)
    next += EVENT_EVERY_MS
    while (!course.over && performance.now() < next) await pause(100)
  }
}
