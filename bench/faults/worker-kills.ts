/**
 * A thousand workers killed (-9) one after the other, two at work at any time, while positions are opened so that there
 * are always mails to send; and again beside a rude mail server and a database whose connections go silent and which
 * stalls; and each on a host that is lost with it. `WORKER_KILLS` changes the size. Prints figures and throws when one of them breaks its bound.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startTcpProxy, type TcpProxy } from '../../server/test/processes/tcp-proxy.ts'
import type { WorkerProcess } from '../../server/test/processes/worker-process.ts'
import { checkExactlyOnce, everybodyNotified, print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'
import { makeRude, type RudeServer } from './rude-server.ts'

const KILLS = Number(process.env.WORKER_KILLS ?? 1000)
const AT_WORK = 2
const FOLLOWERS = 500
/** How long a worker lives after it has reported that it runs: a random time between these. */
const LIFE_MS = { shortest: 20, longest: 500 }
/** The same beside other faults, which a worker meets only if it lives longer. */
const LONG_LIFE_MS = { shortest: 200, longest: 4000 }
/** A quarter of an hour on a quiet machine: nearly all of it is workers starting. */
const LIMIT_MS = 90 * 60_000
const FAULT_EVERY_MS = 5000
const STALL_MS = 5000
/** Mails that a connection sends at most before the database has answered. */
const AHEAD_AT_MOST = 64

export const runs: Record<string, () => Promise<void>> = {
  'R1-thousand-kills': () => inScenario((scenario) => killedAllTheTime(scenario), { followers: FOLLOWERS }),
  'R1-lost-hosts': () => inScenario(withTheirHosts, { followers: FOLLOWERS }),
  'R5-rude-worker-kills': () => inScenario(besideOtherFaults, { followers: FOLLOWERS }),
}

/** How far the run is. `begun`: workers started; `starts`: ms from start to ready of each; `over`: no more opens. */
type Course = { began: number; begun: number; kills: number; opens: number; starts: number[]; over: boolean }

/** How a worker is started, and how many mails a connection may repeat when it is killed. */
type Way = { start(): Promise<WorkerProcess>; repeats: number }

async function besideOtherFaults(scenario: Scenario): Promise<void> {
  const rude = makeRude(scenario.sink)
  await using proxy = await startTcpProxy(scenario.database.url)
  const over = new AbortController()
  const failing = keepFailing(proxy, over.signal)
  const faults: Faults = { rude, databaseUrl: proxy.url, failedStarts: 0 }
  const way = { start: () => startDespite(scenario, faults), repeats: 1 }
  await killedAllTheTime(scenario, way, faults).finally(() => over.abort())
  print({ ...rude.counts(), ...(await failing), 'starts that failed': faults.failedStarts })
}

/** A worker killed together with its notes on its host: mails that it sent since the last statement are sent again. */
async function withTheirHosts(scenario: Scenario): Promise<void> {
  const hosts: string[] = []
  const start = () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-host-'))
    hosts.push(dataDir)
    return scenario.startWorker({ dataDir })
  }
  await killedAllTheTime(scenario, { start, repeats: AHEAD_AT_MOST }).finally(() => {
    for (const host of hosts) rmSync(host, { recursive: true })
  })
}

/** @returns how often connections were frozen and cut, and the database stalled */
async function keepFailing(proxy: TcpProxy, over: AbortSignal): Promise<Record<string, number>> {
  const counts = { 'database: connections gone silent, then cut': 0, 'database: stalled for 5 s': 0 }
  const wait = (milliseconds: number) =>
    pause(milliseconds, undefined, { signal: over }).catch(() => undefined)
  while (!over.aborted) {
    await wait(FAULT_EVERY_MS)
    proxy.freeze()
    await wait(FAULT_EVERY_MS)
    // Without this the server would keep the sessions of dead workers until it runs out of connections.
    proxy.cut()
    counts['database: connections gone silent, then cut'] += 1
    await wait(FAULT_EVERY_MS)
    proxy.stall()
    await wait(STALL_MS)
    proxy.resume()
    counts['database: stalled for 5 s'] += 1
  }
  return counts
}

/** The faulty mail server and the faulty way to the database; `failedStarts` counts workers that could not start. */
type Faults = { rude: RudeServer; databaseUrl: string; failedStarts: number }

async function killedAllTheTime(
  scenario: Scenario,
  way: Way = { start: () => scenario.startWorker(), repeats: 1 },
  faults?: Faults,
): Promise<void> {
  const { sink } = scenario
  const course: Course = { began: performance.now(), begun: 0, kills: 0, opens: 0, starts: [], over: false }
  const silence = faults ? () => Number.NaN : watchSilence(scenario)
  const opening = keepOpening(scenario, course)
  await Promise.all(Array.from({ length: AT_WORK }, () => keepKilling(course, way, faults))).finally(() => {
    course.over = true
  })
  await opening
  const longestSilence = silence()
  await scenario.startWorker()
  faults?.rude.behave(scenario.clockFile)
  await everybodyNotified(scenario, course.opens)
  const bound = scenario.connections * course.kills * way.repeats + (faults?.rude.unsaid() ?? 0)
  const starts = course.starts.sort((a, b) => a - b)
  print({
    kills: course.kills,
    minutes: Math.round((performance.now() - course.began) / 60_000),
    opens: course.opens,
    mails: sink.byMessageId.size,
    lost: course.opens * FOLLOWERS - sink.byMessageId.size,
    repeated: sink.repeats(),
    bound,
    'repeated a connection and kill': sink.repeats() / (scenario.connections * course.kills),
    'start to ready, median, ms': Math.round(starts[starts.length >> 1] ?? Number.NaN),
    'start to ready, p99, ms': Math.round(starts[Math.floor(starts.length * 0.99)] ?? Number.NaN),
    'longest time without a mail, ms': Math.round(longestSilence),
  })
  assert.equal(course.kills, KILLS, 'the run took too long')
  await checkExactlyOnce(scenario, bound, { events: course.opens })
}

async function keepKilling(course: Course, way: Way, faults?: Faults): Promise<void> {
  while (course.begun < KILLS && performance.now() - course.began < LIMIT_MS) {
    course.begun += 1
    const started = performance.now()
    const worker = await way.start()
    course.starts.push(performance.now() - started)
    const { shortest, longest } = faults ? LONG_LIFE_MS : LIFE_MS
    await pause(randomInt(shortest, longest))
    await worker.kill()
    course.kills += 1
    if (course.kills % 100 === 0) console.log(`   ${course.kills} killed …`)
  }
}

/** Starts a worker as a supervisor does: one whose database goes away meanwhile exits, and the next one is started. */
async function startDespite(scenario: Scenario, faults: Faults): Promise<WorkerProcess> {
  for (;;) {
    try {
      return await scenario.startWorker({ databaseUrl: faults.databaseUrl })
    } catch {
      faults.failedStarts += 1
    }
  }
}

/** Opens a position whenever fewer than two opens' mails are waiting. */
async function keepOpening(scenario: Scenario, course: Course): Promise<void> {
  while (!course.over) {
    const waiting = course.opens * FOLLOWERS - scenario.sink.byMessageId.size
    if (waiting >= 2 * FOLLOWERS) await pause(20)
    else {
      await scenario.publish(`K${course.opens}`)
      course.opens += 1
    }
  }
}

/** @returns how to ask for the longest time between two mails so far */
function watchSilence({ sink }: Scenario): () => number {
  let longest = 0
  let last: number | null = null
  sink.script = {
    message() {
      const now = performance.now()
      if (last !== null) longest = Math.max(longest, now - last)
      last = now
      return null
    },
  }
  return () => longest
}
