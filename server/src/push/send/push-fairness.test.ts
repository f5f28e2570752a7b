import { expect, test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { makeTrader, subscribe } from '../../../test/factories.ts'
import { type PushScenario, startPushScenario } from '../../../test/pushes/push-scenario.ts'
import { mostAtOnce, startPushService } from '../../../test/pushes/push-service.ts'
import { insertSession, type SignedIn, signIn, tokenOf } from '../../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { newId } from '../../platform/ids.ts'
import { renewPush } from '../devices/renew-push.ts'
import { pushReader } from './plan-pushes.ts'
import { type SendDeps, sendPush } from './send-push.ts'
import type { Push } from './sending.queries.ts'

const SECOND_MS = 1000

/** The same person in another browser. */
async function elsewhere({ testApp }: PushScenario, person: SignedIn): Promise<SignedIn> {
  const now = testApp.clock.now()
  const there = { ...person, sessionId: newId() }
  const times = { created_at: now, refreshed_at: now }
  await insertSession(testApp.db, {
    id: there.sessionId,
    user_id: person.userId,
    aal: 'aal1',
    amr: '[]',
    ...times,
  })
  return { ...there, token: await tokenOf(testApp, there) }
}

/** Followers of a trader with a device each, at these push services in turn. @returns the browsers */
async function follow(scenario: PushScenario, trader: SignedIn, count: number, at = [scenario.service]) {
  const browsers = new Set<string>()
  for (let index = 0; index < count; index += 1) {
    const fan = await signIn(scenario.testApp)
    await subscribe(scenario.testApp, fan, trader)
    browsers.add((await scenario.turnOn(fan, at[index % at.length])).id)
  }
  return browsers
}

/** Plans the messages of a trader's events from a number on, before workers look. */
async function planned({ testApp }: PushScenario, trader: SignedIn, eventNo: number): Promise<void> {
  await pushReader(testApp.db).handle(
    {
      traderId: trader.userId,
      eventNo,
      positionId: newId(),
      kind: 'opened',
      createdAt: testApp.clock.now(),
      requestId: null,
    },
    testApp.clock.now(),
  )
}

const leased = async ({ testApp }: PushScenario, trader: SignedIn) => {
  const text = 'select from push_deliveries where lease_owner is not null and trader_id = $1'
  return (await testApp.pool.query(text, [trader.userId])).rowCount
}

test.for([1, 2])(
  'while forty devices of one trader’s followers never answer, another’s are notified, and two are under way (%i workers)',
  async (workers) => {
    await using scenario = await startPushScenario()
    const { delivery, service, testApp } = scenario
    const [loud, other] = [await makeTrader(testApp), await makeTrader(testApp)]
    const silent = await follow(scenario, loud, 40)
    const [notified] = await follow(scenario, other, 1)
    service.script = (browser) => (silent.has(browser) ? 'silent' : null)
    for (let nth = 0; nth < workers; nth += 1) await delivery.startWorker()
    await scenario.publish(loud, 'AAPL')
    await service.until(() => service.asked.size === 2)
    testApp.clock.advance(SECOND_MS)
    await scenario.publish(other, 'MSFT')
    await service.until(() => service.taken.length === 1)
    expect(scenario.told()).toEqual([notified])
    // Places that become free are taken at once, and no more of them.
    await service.until(() => service.asked.size >= 6)
    expect(mostAtOnce(service, silent)).toBe(2)
  },
)

test('a trader has four under way to devices that are new, however many hosts there are', async () => {
  await using scenario = await startPushScenario()
  const { delivery, testApp } = scenario
  const services = await Promise.all(Array.from({ length: 6 }, () => startPushService()))
  const asked = () => services.reduce((sum, { asked: { size } }) => sum + size, 0)
  for (const service of services) service.script = () => 'silent'
  const [loud, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const silent = await follow(scenario, loud, 24, services)
  await follow(scenario, other, 1)
  await delivery.startWorker()
  await scenario.publish(loud, 'AAPL')
  await expect.poll(asked).toBeGreaterThanOrEqual(4)
  testApp.clock.advance(SECOND_MS)
  await scenario.publish(other, 'MSFT')
  await scenario.service.until(() => scenario.service.taken.length === 1)
  const most = services.map((service) => mostAtOnce(service, silent))
  expect(Math.max(...most)).toBeLessThanOrEqual(2)
  expect(await leased(scenario, loud)).toBeLessThanOrEqual(4)
  await Promise.all(services.map((service) => service.close()))
})

test('devices that took their last message share sixty-four places of their trader’s, which silent ones do not take from them', async () => {
  await using scenario = await startPushScenario()
  const { delivery, service, testApp } = scenario
  const [trader, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const proven = await follow(scenario, trader, 70)
  const [notified] = await follow(scenario, other, 1)
  await delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  await service.until(() => service.taken.length === 70)
  await scenario.untilNothingIsLeft()
  // Followers who come later, at the same host.
  const silent = await follow(scenario, trader, 10)
  service.script = (browser) => (silent.has(browser) ? 'silent' : null)
  await scenario.publish(trader, 'MSFT')
  await service.until(() => service.taken.length === 140 && mostAtOnce(service, silent) >= 2)
  expect(mostAtOnce(service, silent)).toBe(2)
  // All of them silent at once: nobody else waits.
  service.script = (browser) => (browser === notified ? null : 'silent')
  const askedOf = () => [...proven].reduce((sum, browser) => sum + (service.asked.get(browser) ?? 0), 0)
  await scenario.publish(trader, 'TSLA')
  await service.until(() => askedOf() >= 140 + 64)
  testApp.clock.advance(SECOND_MS)
  await scenario.publish(other, 'NVDA')
  await service.until(() => service.taken.length === 141)
  expect(mostAtOnce(service, new Set([...proven, ...silent]))).toBeLessThanOrEqual(64)
})

test('a person with ten devices who follows five traders has four under way, and others are not held up', async () => {
  await using scenario = await startPushScenario()
  const { delivery, service, testApp } = scenario
  const traders: SignedIn[] = []
  for (let nth = 0; nth < 5; nth += 1) traders.push(await makeTrader(testApp))
  const person = await signIn(testApp)
  const silent = new Set([(await scenario.turnOn(person)).id])
  while (silent.size < 10) silent.add((await scenario.turnOn(await elsewhere(scenario, person))).id)
  for (const trader of traders) await subscribe(testApp, person, trader)
  // Behind all devices of the person, with the same traders and the same host.
  const others: string[] = []
  for (const trader of traders) others.push(...(await follow(scenario, trader, 1)))
  service.script = (browser) => (silent.has(browser) ? 'silent' : null)
  await (await delivery.startWorker()).stop()
  for (const trader of traders) await scenario.publish(trader, 'AAPL')
  await testApp.pool.query('delete from event_work')
  for (const trader of traders) await planned(scenario, trader, 1)
  await testApp.pool.query(
    "update push_deliveries set due_at = due_at - interval '1 second' where user_id = $1",
    [person.userId],
  )
  await delivery.startWorker()
  await service.until(() => service.taken.length === 5 && mostAtOnce(service, silent) >= 4)
  expect(mostAtOnce(service, silent)).toBe(4)
  expect(scenario.told()).toEqual(others.sort())
})

test('a first try is given up after 3 s, and one that was answered in between is as good as new', async () => {
  await using scenario = await startPushScenario()
  const { delivery, service, testApp } = scenario
  const trader = await makeTrader(testApp)
  await follow(scenario, trader, 1)
  service.script = (_, nth) => (nth === 0 ? 'silent' : nth === 1 ? null : { status: 500 })
  await delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  const row = async () => (await testApp.pool.query('select fault from push_deliveries')).rows
  await expect.poll(row, { timeout: 20_000 }).toEqual([{ fault: 'no answer in 3 s' }])
  const failed = async () =>
    (await testApp.pool.query('select standing, failing_since from push_devices')).rows
  expect(await failed()).toEqual([{ standing: 2, failing_since: null }])
  await delivery.advance(8 * SECOND_MS)
  await scenario.untilNothingIsLeft()
  expect(await failed()).toEqual([{ standing: 0, failing_since: null }])
})

test('a later try of a message has ten seconds', async () => {
  const limits: number[] = []
  const key = { traderId: newId(), eventNo: 1, deviceId: newId(), createdAt: TEST_NOW }
  const push: Push = {
    ...key,
    kind: 'opened',
    trader: 'maria',
    symbol: 'AAPL',
    endpoint: 'https://push.example/send',
    p256dh: Buffer.alloc(65),
    authSecret: Buffer.alloc(16),
    pushKeyId: newId(),
    tokenSecretKeyId: 'none',
  }
  const deps = {
    secret: makeSecretKey('a secret of the tests and of nobody else'),
    clock: makeTestClock(TEST_NOW),
    keys: {
      given: () => Promise.reject(new Error('unused')),
      find: async () => ({ publicKey: '', privateKey: '' }),
    },
    sealer: { seal: () => ({ endpoint: push.endpoint, headers: {}, body: Buffer.alloc(0) }) },
    wire: {
      post: async (_: unknown, limitMs: number) => {
        limits.push(limitMs)
        return { status: 500, waitMs: 0 }
      },
      close: () => undefined,
    },
  } as unknown as SendDeps
  for (const tries of [0, 1, 5]) await sendPush(deps, { ...key, tries }, push)
  expect(limits).toEqual([3 * SECOND_MS, 10 * SECOND_MS, 10 * SECOND_MS])
})

test('devices that failed at their last two tries, whatever the messages, are tried after all others', async () => {
  await using scenario = await startPushScenario()
  const { delivery, service, testApp } = scenario
  const trader = await makeTrader(testApp)
  const bad = await follow(scenario, trader, 2)
  service.script = () => ({ status: 500 })
  const worker = await delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  await scenario.publish(trader, 'MSFT')
  await service.until(() => [...service.asked.values()].reduce((sum, count) => sum + count, 0) === 4)
  await scenario.untilNothingIsDue()
  await worker.stop()
  // The messages that are due the longest are theirs, and so are some of the later ones.
  await scenario.publish(trader, 'TSLA')
  await planned(scenario, trader, 3)
  testApp.clock.advance(SECOND_MS)
  const good = await follow(scenario, trader, 3)
  await scenario.publish(trader, 'NVDA')
  await planned(scenario, trader, 4)
  await testApp.pool.query('delete from event_work')
  service.script = () => null
  service.course.length = 0
  // Two are under way at once, and of two that are leased together either may arrive first: the third of the good ones and one after it,
  // which has no answer before that, so that no other one takes its place.
  service.hold = async (browser) => {
    if (bad.has(browser)) await service.until(() => [...good].every((one) => service.asked.has(one)))
  }
  await delivery.startWorker()
  await service.until(() => service.taken.length === 7)
  const begun = service.course.filter(({ step }) => step === 1).map(({ browser }) => browser)
  for (const browser of begun.slice(0, 2)) expect(good).toContain(browser)
  expect(begun.slice(0, 4)).toEqual(expect.arrayContaining([...good]))
  for (const browser of begun.slice(4)) expect(bad).toContain(browser)
})

test('a device that is subscribed again is not among the last any more, and its messages go by its new host', async () => {
  await using scenario = await startPushScenario()
  const { delivery, service, testApp } = scenario
  const trader = await makeTrader(testApp)
  const fan = await signIn(testApp)
  await subscribe(testApp, fan, trader)
  const device = await scenario.turnOn(fan)
  service.script = () => ({ status: 500 })
  const worker = await delivery.startWorker()
  const messages = async () =>
    (await testApp.pool.query('select endpoint_host, share from push_deliveries')).rows
  await scenario.publish(trader, 'AAPL')
  await service.until(() => service.asked.size === 1)
  await scenario.untilNothingIsDue()
  await delivery.advance(8 * SECOND_MS)
  const { host } = new URL(service.origin)
  await expect.poll(messages).toEqual([{ endpoint_host: host, share: 2 }])
  await worker.stop()
  const there = await startPushService()
  const { subscription } = there.subscribe(device.subscription.publicKey)
  await renewPush({ db: testApp.db, loopback: true }, device.token, subscription)
  expect(await messages()).toEqual([{ endpoint_host: new URL(there.origin).host, share: 1 }])
  await there.close()
})

test('a host is the same in capitals and with its port', async () => {
  await using database = await openTestDatabase()
  const { rows } = await database.pool.query(
    "select host_of_endpoint('https://Push.Example:443/a:443') as named, host_of_endpoint('https://push.example/') as plain",
  )
  expect(rows).toEqual([{ named: 'push.example', plain: 'push.example' }])
})
