/**
 * One open, 10,000 followers, into a counting mail server on the same machine: undisturbed, with the worker killed five
 * times, asked to stop in the middle, with 1 % refused for good; and 100,000 with the mail server away for an hour. Prints
 * figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { allRangesDone, checkExactlyOnce, everybodyNotified, print, timesOf } from './delivery-checks.ts'
import { FOLLOWERS, inScenario, type Scenario } from './delivery-scenario.ts'
import { runTests } from './run-tests.ts'

const KILLS = 5
const HOUR_S = 3600
const STEP_S = 10
const QUEUED = 10 * FOLLOWERS
const GROWTH_LIMIT_MB = 16
const DRAIN_LIMIT_MS = 5000

export const runs: Record<string, () => Promise<void>> = {
  'P1-delivery': () => inScenario(undisturbed),
  'R1-delivery': () => inScenario(killed),
  'R5-delivery': () => inScenario(refusedForGood),
  'R6-delivery': () => inScenario(awayForAnHour, { followers: QUEUED }),
  'R10-delivery': () => inScenario(stoppedInTheMiddle),
  'mail-sessions': async () => runTests(['mail/broadcast/delivery-sessions'], { MAIL_SESSIONS: 'all' }, 30),
  'mail-refusals': async () => runTests(['mail/broadcast/refused-mails'], { MAIL_REFUSALS: 'all' }, 240),
}

async function undisturbed(scenario: Scenario): Promise<void> {
  const worker = await scenario.startWorker()
  const before = worker.peakMemory()
  const committed = await scenario.publish()
  await everybodyNotified(scenario)
  const { first, last } = timesOf(scenario.sink)
  print({
    'mails/s': Math.round((FOLLOWERS / (last - committed)) * 1000),
    'first mail after, ms': Math.round(first - committed),
    'last mail after, ms': Math.round(last - committed),
    'worker peak memory before, MB': Math.round(before),
    'worker peak memory after, MB': Math.round(worker.peakMemory()),
    'exit code': await worker.stop(),
  })
  await checkExactlyOnce(scenario, 0)
}

async function killed(scenario: Scenario): Promise<void> {
  const committed = await scenario.publish()
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const worker = await scenario.startWorker()
    await scenario.sink.until(() => scenario.sink.total() >= (kill * FOLLOWERS) / (KILLS + 1))
    await worker.kill()
  }
  await scenario.startWorker()
  await everybodyNotified(scenario)
  const bound = scenario.connections * KILLS
  print({
    kills: KILLS,
    lost: FOLLOWERS - scenario.sink.byMessageId.size,
    repeated: scenario.sink.repeats(),
    bound,
    'last mail after, ms (starts included)': Math.round(timesOf(scenario.sink).last - committed),
  })
  await checkExactlyOnce(scenario, bound)
}

async function refusedForGood(scenario: Scenario): Promise<void> {
  const { sink, followers } = scenario
  const gone = new Set(followers.filter((_, index) => index % 100 === 42))
  sink.script = { recipient: (address) => (gone.has(address) ? '550 5.1.1 no such user' : null) }
  await scenario.startWorker()
  const committed = await scenario.publish()
  await sink.until(() => sink.byMessageId.size === FOLLOWERS - gone.size)
  await allRangesDone(scenario)
  print({
    refused: gone.size,
    suppressed: await scenario.ask('select count(*) from suppressions'),
    'mails/s': Math.round((sink.total() / (timesOf(sink).last - committed)) * 1000),
    repeated: sink.repeats(),
  })
  // Nobody is believed gone for one answer (ADR 0089); after a minute each is asked once more.
  for (const address of gone) assert.ok((sink.asked.get(address) ?? 0) >= 1)
  assert.equal(await scenario.ask('select count(*) from suppressions'), 0)
  assert.equal(
    await scenario.ask("select count(*) from delivery_exceptions where state = 'retry' and refusals >= 1"),
    gone.size,
  )
  await checkExactlyOnce(scenario, 0, { except: gone })
}

async function awayForAnHour(scenario: Scenario): Promise<void> {
  const { sink } = scenario
  const worker = await scenario.startWorker()
  await scenario.publish()
  // The server sends its goodbye between two mails, as a server that is shut down does, so every repeat is ours.
  sink.script = { sender: () => (sink.total() >= FOLLOWERS ? '421 closing' : null) }
  await sink.until(() => sink.total() >= FOLLOWERS)
  await pause(200)
  await sink.down()
  const held = sink.total()
  const before = worker.peakMemory()
  for (let second = 0; second <= HOUR_S; second += STEP_S) {
    writeFileSync(scenario.clockFile, String(second * 1000))
    await pause(50)
  }
  const after = worker.peakMemory()
  sink.script = {}
  await sink.up()
  const back = performance.now()
  await sink.until(() => sink.total() > held)
  const firstAfter = performance.now() - back
  await everybodyNotified(scenario)
  print({
    'told before it went': held,
    'queued meanwhile': scenario.followers.length - held,
    'first mail after its return, ms': Math.round(firstAfter),
    'last mail after its return, s': Math.round((timesOf(sink).last - back) / 1000),
    'worker peak memory before the hour, MB': Math.round(before),
    'worker peak memory after the hour, MB': Math.round(after),
    'worker peak memory at the end, MB': Math.round(worker.peakMemory()),
    repeated: sink.repeats(),
  })
  assert.ok(firstAfter <= 5000, 'the first mail came later than 5 s after the return')
  assert.ok(after - before <= GROWTH_LIMIT_MB, 'the worker grew while the mail server was away')
  await checkExactlyOnce(scenario, 0)
}

async function stoppedInTheMiddle(scenario: Scenario): Promise<void> {
  const { sink } = scenario
  await scenario.publish()
  let slowest = 0
  for (const share of [0.2, 0.4, 0.6]) {
    const worker = await scenario.startWorker()
    await sink.until(() => sink.total() >= FOLLOWERS * share)
    const asked = performance.now()
    assert.equal(await worker.stop(), 0)
    slowest = Math.max(slowest, performance.now() - asked)
  }
  await scenario.startWorker()
  await everybodyNotified(scenario)
  print({ stops: 3, 'slowest exit, ms': Math.round(slowest), repeated: sink.repeats() })
  assert.ok(slowest <= DRAIN_LIMIT_MS)
  await checkExactlyOnce(scenario, 0)
}
