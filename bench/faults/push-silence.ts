/**
 * Push services that never answer, and names that never resolve, while a trader opens positions (ADR 0085): how soon the follower
 * of another trader is notified, and how soon everything else of the process goes on. Prints figures and throws when one of them breaks
 * its bound.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../server/src/platform/clock.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { pushReader } from '../../server/src/push/send/plan-pushes.ts'
import { startPushes } from '../../server/src/push/send/pushes.ts'
import { openWorkSession } from '../../server/src/work/work-session.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { addFollowers, type Crowd, makeCrowdTrader, publish } from '../../server/test/followers.ts'
import { startNameServer } from '../../server/test/mails/name-server.ts'
import { addDevices } from '../../server/test/pushes/push-crowd.ts'
import { mostAtOnce, type PushService, startPushService } from '../../server/test/pushes/push-service.ts'
import { print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'
import { startOtherWork } from './other-work.ts'

const ROUNDS = 20
const BETWEEN_MS = 250
/** At once, and from then on as many as price checks a minute allow. */
const OPENINGS = 57
const OPENING_EVERY_MS = 2000
/** Beyond a half more than without, so much is the machine's: both medians are of a few milliseconds. */
const NOISE_MS = 60
/** As many as fill the 128 places of a worker with the four that each has for devices that are new. */
const TRADERS = 32
const NAMES_OF_ONE = 10

export const runs: Record<string, () => Promise<void>> = {
  'R4-push-silence-12': () => inScenario(silent, { followers: 12 }),
  'R4-push-silence-200': () => inScenario(silent, { followers: 200 }),
  'R4-push-names': () => inScenario(unresolved, { followers: 1 }),
}

async function silent(scenario: Scenario): Promise<void> {
  const { database, trader } = scenario
  const service = await startPushService()
  const loud = new Set(await addDevices(database, trader, service, new Date()))
  // Their mails are not what is measured.
  await database.pool.query('update subscriptions set mail_muted_at = now() where trader_id = $1', [
    trader.traderId,
  ])
  const other = await addOther(scenario, service)
  service.script = (browser) => (loud.has(browser) ? 'silent' : null)
  await scenario.startWorker({ systemClock: true })
  await timed(scenario, service, other, 'W')
  const without = await timed(scenario, service, other, 'A')
  let over = false
  const opening = (async () => {
    for (let nth = 0; nth < OPENINGS; nth += 1)
      await publish(database.db, trader, { symbol: `L${nth}` }, new Date())
    for (let nth = 0; !over; nth += 1, await pause(OPENING_EVERY_MS))
      await publish(database.db, trader, { symbol: `M${nth}` }, new Date())
  })()
  await service.until(() => [...loud].some((browser) => service.asked.has(browser)))
  // From the flood's first seconds to when its first tries failed and come again.
  const beside = [
    ...(await timed(scenario, service, other, 'B')),
    ...(await timed(scenario, service, other, 'C')),
    ...(await timed(scenario, service, other, 'D')),
  ]
  over = true
  await opening
  const most = mostAtOnce(service, loud)
  print({
    'silent devices': loud.size,
    'messages to them': await scenario.ask(
      `select count(*) from push_deliveries where trader_id = '${trader.traderId}'`,
    ),
    'under way to them, at most': most,
    'notified after, without them, median, ms': median(without),
    'notified after, without them, at most, ms': Math.round(Math.max(...without)),
    'notified after, beside them, median, ms': median(beside),
    'notified after, beside them, at most, ms': Math.round(Math.max(...beside)),
  })
  await service.close()
  assert.equal(most, 2)
  within(median(beside), median(without), 'notified')
}

/** Another trader with a follower who has a device. */
async function addOther({ database }: Scenario, service: PushService): Promise<Crowd> {
  const other = await makeCrowdTrader(database.pool, 'victor', new Date())
  await addFollowers(database.pool, other, 1, new Date())
  await addDevices(database, other, service, new Date())
  return other
}

/** @returns milliseconds from the commit of an opening to the message at the device */
async function timed(
  { database }: Scenario,
  service: PushService,
  other: Crowd,
  prefix: string,
): Promise<number[]> {
  const lasted: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = service.taken.length
    const { committedAt } = await publish(database.db, other, { symbol: `${prefix}${round}` }, new Date())
    await service.until(() => service.taken.length > before)
    lasted.push(performance.now() - committedAt)
    await pause(BETWEEN_MS)
  }
  return lasted
}

async function unresolved(scenario: Scenario): Promise<void> {
  const { database } = scenario
  const service = await startPushService()
  await using nameServer = await startNameServer({})
  await using work = await startOtherWork(scenario)
  const without = await work.timed(ROUNDS)
  const now = new Date()
  for (let nth = 0; nth < TRADERS; nth += 1) {
    const trader = await makeCrowdTrader(database.pool, `silent${nth}`, now)
    await addFollowers(database.pool, trader, NAMES_OF_ONE, now)
    await addDevices(database, trader, service, now)
    await publish(database.db, trader, { symbol: 'AAPL' }, now)
    await database.pool.query(
      "update push_devices set endpoint = 'https://push-' || id || '.example/send' where endpoint like 'http:%'",
    )
    const event = { traderId: trader.traderId, eventNo: 1, positionId: '', kind: 'opened' as const }
    await pushReader(database.db).handle({ ...event, createdAt: now, requestId: null }, now)
  }
  const given = { ...database, databaseUrl: database.url, clock: systemClock, log: makeLog('silent', false) }
  const session = openWorkSession(given)
  const pushes = startPushes({ ...given, session, settings: testSettings() }, [nameServer.address])
  await nameServer.until(() => nameServer.asked.size >= 2 * TRADERS)
  const beside = await work.timed(ROUNDS)
  const names = nameServer.asked.size
  await pushes.stop()
  await session.end()
  await service.close()
  print({ 'names without an answer': names })
  for (const [name, figures] of Object.entries(beside)) {
    const alone = median(without[name] ?? [])
    print({ [`${name}, alone, median, ms`]: alone, [`${name}, beside them, median, ms`]: median(figures) })
    within(median(figures), alone, name)
  }
}

function median(figures: number[]): number {
  return Math.round(figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN)
}

function within(beside: number, without: number, name: string): void {
  const bound = Math.max(1.5 * without, without + NOISE_MS)
  assert.ok(beside <= bound, `${name} after ${beside} ms, at most ${bound} may be`)
}
