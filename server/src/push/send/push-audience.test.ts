import { expect, test } from 'vitest'
import { call, makeTrader, moveSubscription, NOTES, subscribe } from '../../../test/factories.ts'
import { startPushScenario } from '../../../test/pushes/push-scenario.ts'
import { bearer, signIn, tokenOf } from '../../../test/sign-in/sign-in.ts'

test('people who are mailed a position get it on each device, and nobody else: not strangers, the suspended, those who left or those who turned it off', {
  tags: ['PUSH-04'],
}, async () => {
  await using scenario = await startPushScenario()
  const { testApp, service } = scenario
  const trader = await makeTrader(testApp, 'maria')
  const people = {
    follows: await signIn(testApp),
    'past due': await signIn(testApp),
    'without mails': await signIn(testApp),
    'without notifications': await signIn(testApp),
    ended: await signIn(testApp),
    suspended: await signIn(testApp),
    stranger: await signIn(testApp),
  }
  const browsers = new Map<string, string>()
  const subscriptions = new Map<string, string>()
  for (const [name, person] of Object.entries(people)) {
    browsers.set(name, (await scenario.turnOn(person)).id)
    if (name !== 'stranger') subscriptions.set(name, await subscribe(testApp, person, trader))
  }
  const id = (name: string) => subscriptions.get(name) ?? ''
  await moveSubscription(testApp, trader, id('past due'), 'past_due')
  await moveSubscription(testApp, trader, id('ended'), 'canceled')
  const noMails = `/v1/subscriptions/${id('without mails')}/mail`
  await call(testApp, people['without mails'], 'POST', noMails, { enabled: false })
  const noPush = `/v1/subscriptions/${id('without notifications')}/push`
  const off = await call(testApp, people['without notifications'], 'POST', noPush, { enabled: false })
  expect(off).toEqual({ status: 200, body: { pushEnabled: false } })
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [
    people.suspended.userId,
    testApp.clock.now(),
  ])
  await scenario.delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  await scenario.untilNothingIsLeft()
  const expected = ['follows', 'past due', 'without mails'].map((name) => browsers.get(name))
  expect(scenario.told()).toEqual(expected.toSorted())
  const { sink } = scenario.delivery
  // Mails and notifications do not wait for each other. Mails of an event go in the order of subscribing.
  await sink.until(() => sink.byRecipient.has(people['without notifications'].email))
  expect([...sink.byRecipient.keys()]).not.toContain(people['without mails'].email)

  service.taken.length = 0
  await call(testApp, people['without notifications'], 'POST', noPush, { enabled: true })
  await scenario.publish(trader, 'MSFT')
  await scenario.untilNothingIsLeft()
  const after = [...expected, browsers.get('without notifications')]
  expect(scenario.told()).toEqual(after.toSorted())
})

test('a message names the trader, the event and the item of Activity, and neither price nor notes', {
  tags: ['PUSH-05'],
}, async () => {
  await using scenario = await startPushScenario()
  const { testApp, service } = scenario
  const trader = await makeTrader(testApp, 'jonas')
  const fan = await signIn(testApp)
  const { id: browser, token } = await scenario.turnOn(fan)
  await subscribe(testApp, fan, trader)
  await scenario.delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  await service.until(() => service.taken.length === 1)
  const [taken] = service.taken
  const at = testApp.clock.now().getTime()
  expect(taken).toMatchObject({ browser, ttl: 7200 })
  expect(taken?.message).toEqual({
    kind: 'opened',
    trader: 'jonas',
    symbol: 'AAPL',
    id: 'jonas.1',
    tag: taken?.topic,
    at,
    off: token,
  })
  expect(taken?.text).not.toContain('187')
  expect(taken?.text).not.toContain(NOTES)
  // All texts are of one length.
  expect(taken?.text).toHaveLength(384)
})

test.for([
  ['is signed out', '/auth/v1/logout?scope=local'],
  ['signs out everywhere', '/auth/v1/logout?scope=global'],
])('a device goes with its session: when that %s', async ([, path = '']) => {
  await using scenario = await startPushScenario()
  const { testApp, service } = scenario
  const trader = await makeTrader(testApp)
  const fan = await signIn(testApp)
  await scenario.turnOn(fan)
  await subscribe(testApp, fan, trader)
  const headers = bearer(await tokenOf(testApp, fan))
  const answer = await testApp.app.inject({ method: 'POST', url: path, headers })
  expect(answer.statusCode).toBe(204)
  expect((await testApp.pool.query('select from push_devices')).rowCount).toBe(0)
  await scenario.delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  await scenario.untilNothingIsLeft()
  expect(service.asked.size).toBe(0)
})

test('a message that is planned goes nowhere once the session has ended, run out, or the trader was turned off', async () => {
  await using scenario = await startPushScenario()
  const { testApp, service, delivery } = scenario
  const trader = await makeTrader(testApp)
  const people = [
    await signIn(testApp),
    await signIn(testApp),
    await signIn(testApp),
    await signIn(testApp),
  ] as const
  const [out, idle, muted, stays] = people
  service.script = (_, nth) => (nth === 0 ? { status: 503 } : null)
  const devices = []
  const subscriptions = []
  for (const person of people) {
    devices.push(await scenario.turnOn(person))
    subscriptions.push(await subscribe(testApp, person, trader))
  }
  await delivery.startWorker()
  await scenario.publish(trader, 'AAPL')
  await service.until(() => service.asked.size === people.length)
  await scenario.untilNothingIsDue()
  await testApp.pool.query('update sessions set revoked_at = $2 where id = $1', [
    out.sessionId,
    testApp.clock.now(),
  ])
  await testApp.pool.query(
    "update sessions set refreshed_at = refreshed_at - interval '31 days' where id = $1",
    [idle.sessionId],
  )
  await call(testApp, muted, 'POST', `/v1/subscriptions/${subscriptions[2]}/push`, { enabled: false })
  await delivery.advance(10_000)
  await scenario.untilNothingIsLeft()
  expect(scenario.told()).toEqual([devices[3]?.id])
  expect(stays.userId).toBeTruthy()
})
