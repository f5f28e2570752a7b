import { expect, test } from 'vitest'
import { makeTrader, subscribe } from '../../../test/factories.ts'
import { openMetricsPort } from '../../../test/processes/metrics-port.ts'
import { startPushScenario } from '../../../test/pushes/push-scenario.ts'
import type { PushScript } from '../../../test/pushes/push-service.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

/** One follower with one device, and a position that is published to it under the script. */
async function pushOnce(script: PushScript) {
  const scenario = await startPushScenario()
  const metrics = await openMetricsPort(scenario.testApp)
  const before = await metrics.scrape()
  const trader = await makeTrader(scenario.testApp)
  const fan = await signIn(scenario.testApp)
  const device = await scenario.turnOn(fan)
  await subscribe(scenario.testApp, fan, trader)
  scenario.service.script = script
  await scenario.delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  await scenario.service.until(() => scenario.service.asked.size === 1)
  await scenario.untilNothingIsDue()
  const asked = () => scenario.service.asked.get(device.id)
  const row = async () => {
    const { rows } = await scenario.testApp.pool.query(
      'select tries, ended_as, fault, due_at from push_deliveries',
    )
    return rows[0] as { tries: number; ended_as: string | null; fault: string; due_at: Date } | undefined
  }
  const failing = async () =>
    (await scenario.testApp.pool.query('select from push_devices where failing_since is not null'))
      .rowCount === 1
  /** The tries that were counted since the test began. */
  const counted = () => metrics.since(before, 'tradepost_pushes_total')
  return {
    ...scenario,
    trader,
    fan,
    device,
    asked,
    row,
    failing,
    counted,
    async [Symbol.asyncDispose]() {
      await metrics[Symbol.asyncDispose]()
      await scenario[Symbol.asyncDispose]()
    },
  }
}

test.for([404, 410])(
  'a device that its push service does not know any more (%i) is forgotten',
  async (status) => {
    await using run = await pushOnce(() => ({ status }))
    expect((await run.testApp.pool.query('select from push_devices')).rowCount).toBe(0)
    await expect.poll(() => run.counted()).toEqual({ '{outcome="gone"}': 1 })
    await run.publish(run.trader, 'MSFT')
    await run.untilNothingIsLeft()
    expect(run.asked()).toBe(1)
  },
)

test.for([
  ['500', { status: 500 }],
  ['503', { status: 503 }],
  ['429', { status: 429 }],
  ['half an answer', 'half'],
  ['what is no HTTP', 'rude'],
] as const)('what a push service could not take (%s) is sent again, and arrives', async ([, act]) => {
  await using run = await pushOnce((_, nth) => (nth < 2 ? act : null))
  expect(run.asked()).toBe(1)
  expect(await run.row()).toMatchObject({ tries: 1, ended_as: null })
  await run.delivery.advance(8 * SECOND_MS)
  await run.service.until(() => run.asked() === 2)
  await run.untilNothingIsDue()
  await run.delivery.advance(23 * SECOND_MS)
  await run.untilNothingIsLeft()
  expect(await run.row()).toMatchObject({ tries: 3, ended_as: 'sent', fault: null })
  await expect.poll(() => run.counted()).toEqual({ '{outcome="later"}': 2, '{outcome="sent"}': 1 })
  expect(run.told()).toEqual([run.device.id])
  expect(await run.failing()).toBe(false)
})

test('a push service that asks to wait is asked again no earlier', async () => {
  const headers = { 'retry-after': '600' }
  await using run = await pushOnce((_, nth) => (nth === 0 ? { status: 429, headers } : null))
  const due = (await run.row())?.due_at.getTime() ?? 0
  expect(due - run.testApp.clock.now().getTime()).toBe(600 * SECOND_MS)
  await run.delivery.advance(599 * SECOND_MS)
  await run.untilNothingIsDue()
  expect(run.asked()).toBe(1)
  await run.delivery.advance(SECOND_MS)
  await run.untilNothingIsLeft()
  expect(run.told()).toEqual([run.device.id])
})

test('a push service that asks to wait beyond the life of a notification is not asked again', async () => {
  const headers = { 'retry-after': String((2 * HOUR_MS) / SECOND_MS) }
  await using run = await pushOnce(() => ({ status: 429, headers }))
  expect(await run.row()).toMatchObject({ ended_as: 'given up', fault: 'answered 429' })
  await expect.poll(() => run.counted()).toEqual({ '{outcome="given up"}': 1 })
  expect(await run.failing()).toBe(true)
})

test.for([400, 401, 403, 413, 301])('what would be refused again (%i) is not sent again', async (status) => {
  await using run = await pushOnce((_, nth) => (nth === 0 ? { status } : null))
  expect(await run.row()).toMatchObject({ tries: 1, ended_as: 'refused', fault: `answered ${status}` })
  await expect.poll(() => run.counted()).toEqual({ '{outcome="refused"}': 1 })
  expect(await run.failing()).toBe(true)
  await run.publish(run.trader, 'MSFT')
  await run.untilNothingIsLeft()
  expect(run.told()).toEqual([run.device.id])
  expect(await run.failing()).toBe(false)
})

test('a push service that fails for hours is given up', async () => {
  await using run = await pushOnce(() => ({ status: 500 }))
  while ((run.asked() ?? 0) < 7) {
    await run.delivery.advance(60 * SECOND_MS)
    // A clock that runs ahead of a slow machine makes what a worker has in hand look abandoned.
    await run.untilNothingIsDue()
  }
  await run.delivery.advance(2 * HOUR_MS)
  await run.untilNothingIsLeft()
  expect(await run.row()).toMatchObject({ ended_as: 'given up' })
  await expect.poll(() => run.counted()).toMatchObject({ '{outcome="given up"}': 1 })
  expect(run.asked()).toBeLessThanOrEqual(8)
  expect(await run.failing()).toBe(true)
})

test('an event of hours ago wakes nobody, and one of an hour ago is kept for a device for another hour', async () => {
  await using scenario = await startPushScenario()
  const { service, testApp } = scenario
  const trader = await makeTrader(testApp)
  const fan = await signIn(testApp)
  await scenario.turnOn(fan)
  await subscribe(testApp, fan, trader)
  // Readers are registered when a worker starts: from then on events wait for them.
  await (await scenario.delivery.startWorker()).stop()
  await scenario.publish(trader, 'OLD')
  testApp.clock.advance(HOUR_MS)
  await scenario.publish(trader, 'LATE')
  testApp.clock.advance(HOUR_MS)
  await scenario.delivery.startWorker()
  await scenario.untilNothingIsLeft()
  expect(service.taken.map(({ message, ttl }) => [message.symbol, ttl])).toEqual([['LATE', 3600]])
})

test('while the keys cannot be read messages wait, and the worker goes on', async () => {
  await using scenario = await startPushScenario()
  const { delivery, testApp } = scenario
  const trader = await makeTrader(testApp)
  const fan = await signIn(testApp)
  const device = await scenario.turnOn(fan)
  await subscribe(testApp, fan, trader)
  await testApp.pool.query('alter table push_keys rename to hidden')
  await delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  const faults = async () => (await testApp.pool.query('select fault from push_deliveries')).rows
  await expect.poll(faults).toEqual([{ fault: 'its key cannot be opened' }])
  await testApp.pool.query('alter table hidden rename to push_keys')
  await delivery.advance(8 * SECOND_MS)
  await scenario.untilNothingIsLeft()
  expect(scenario.told()).toEqual([device.id])
})

test('an answer that gets lost has the message come again under the same topic and tag, so that one is seen', async () => {
  await using run = await pushOnce((_, nth) => (nth === 0 ? 'taken in silence' : null))
  await run.delivery.advance(10 * SECOND_MS)
  await run.untilNothingIsLeft()
  expect(run.service.taken).toHaveLength(2)
  await expect.poll(() => run.counted()).toEqual({ '{outcome="later"}': 1, '{outcome="sent"}': 1 })
  const [first, second] = run.service.taken
  expect(second?.topic).toBe(first?.topic)
  expect(second?.message).toEqual(first?.message)
})
