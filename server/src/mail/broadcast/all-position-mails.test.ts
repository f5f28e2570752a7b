import { expect, test } from 'vitest'
import { inShort, readActivity } from '../../../test/activity.ts'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader, open, subscribe } from '../../../test/factories.ts'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { openFeed } from '../../../test/open-feed.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'

const switchAll = (testApp: TestApp, who: SignedIn, enabled: boolean) =>
  call(testApp, who, 'POST', '/v1/accounts/position-mails', { enabled })

const OFF = { status: 200, body: { positionMails: false } }
const ON = { status: 200, body: { positionMails: true } }

test('while mails of all traders are off nothing is mailed, of a trader followed since either, and the rest goes on', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const [maria, jose] = [await makeTrader(testApp, 'maria'), await makeTrader(testApp, 'jose')]
  const [ann, bob] = [await signIn(testApp), await signIn(testApp)]
  for (const person of [ann, bob]) await subscribe(testApp, person, maria)
  const worker = await scenario.startWorker()
  for (const _press of ['one', 'another']) expect(await switchAll(testApp, ann, false)).toEqual(OFF)
  for (const person of [ann, bob]) await subscribe(testApp, person, jose)
  await open(testApp, quotes, maria, 'AAPL', 10)
  testApp.clock.advance(1000)
  await open(testApp, quotes, jose, 'MSFT', 10)
  await scenario.untilNothingIsLeft()
  expect(sink.byRecipient).toEqual(new Map([[bob.email, 2]]))

  const { body } = await call(testApp, ann, 'GET', '/v1/subscriptions')
  expect(body).toMatchObject({
    positionMails: false,
    subscriptions: [
      { username: 'jose', status: 'active', mailEnabled: true },
      { username: 'maria', status: 'active', mailEnabled: true },
    ],
  })
  const activity = await readActivity(testApp, ann)
  expect(inShort(activity)).toEqual(['opened MSFT', 'opened AAPL'])
  expect(activity.items.map(({ mailedAfterSeconds }) => mailedAfterSeconds)).toEqual([undefined, undefined])

  for (const _press of ['one', 'another']) expect(await switchAll(testApp, ann, true)).toEqual(ON)
  testApp.clock.advance(1000)
  await open(testApp, quotes, maria, 'NVDA', 10)
  await scenario.untilNothingIsLeft()
  await worker.stop()
  expect(sink.byRecipient).toEqual(
    new Map([
      [bob.email, 3],
      [ann.email, 1],
    ]),
  )
  const items = (await readActivity(testApp, ann)).items
  expect(items.map(({ mailedAfterSeconds }) => mailedAfterSeconds)).toEqual([0, undefined, undefined])
})

test('switched on again, mails go out about later events alone, also where those of before waited for the mail server', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const maria = await makeTrader(testApp, 'maria')
  const [ann, bob] = [await signIn(testApp), await signIn(testApp)]
  for (const person of [ann, bob]) await subscribe(testApp, person, maria)
  await sink.down()
  await scenario.startWorker()
  await open(testApp, quotes, maria, 'AAPL', 10)
  await switchAll(testApp, ann, false)
  await open(testApp, quotes, maria, 'MSFT', 10)
  await switchAll(testApp, ann, true)
  await open(testApp, quotes, maria, 'NVDA', 10)
  await sink.up()
  await scenario.advanceUntil(5000, () => sink.total() >= 4)
  await scenario.untilNothingIsLeft()
  expect(sink.byRecipient).toEqual(
    new Map([
      [bob.email, 3],
      [ann.email, 1],
    ]),
  )
  const toAnn = sink.kept.filter(({ recipients }) => recipients.includes(ann.email))
  expect(toAnn.map(({ raw }) => /\r\nSubject: (.*)\r\n/.exec(raw)?.[1])).toEqual([
    '@maria opened NVDA at $10.00',
  ])
})

test('who stops while the mails of an event go out gets none that is not on its way yet; everybody else gets one', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp, connections: 2 })
  const { sink } = scenario
  const [maria, jose] = [await makeTrader(testApp, 'maria'), await makeTrader(testApp, 'jose')]
  const people: SignedIn[] = []
  for (let nth = 0; nth < 7; nth += 1) people.push(await signIn(testApp))
  for (const person of people) await subscribe(testApp, person, maria)
  const witness = await signIn(testApp)
  await subscribe(testApp, witness, jose)
  const [begun, pressed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const [first, next, , fourth, fifth, , last] = people.map(({ email }) => email)
  sink.script = {
    message({ recipient }) {
      if (recipient !== first) return null
      begun.resolve()
      return { until: pressed.promise }
    },
  }
  await scenario.startWorker()
  await open(testApp, quotes, maria, 'AAPL', 10)
  await begun.promise

  for (const person of people)
    if ([next, fourth, last].includes(person.email))
      expect(await switchAll(testApp, person, false)).toEqual(OFF)
  // The switch of the trader is heard of in the same way.
  const { body } = await call(testApp, people[4] as SignedIn, 'GET', '/v1/subscriptions')
  const id = (body.subscriptions as { id: string }[])[0]?.id
  await call(testApp, people[4] as SignedIn, 'POST', `/v1/subscriptions/${id}/mail`, { enabled: false })
  // Notifications arrive in their order: when this mail goes, those of the presses have come.
  await open(testApp, quotes, jose, 'MSFT', 10)
  await sink.until(() => sink.byRecipient.has(witness.email))
  pressed.resolve()
  await scenario.untilNothingIsLeft()
  expect([...sink.byRecipient.keys()]).not.toContain(fifth)
  expect(sink.byRecipient).toEqual(
    new Map([witness.email, first, people[2]?.email, people[5]?.email].map((address) => [address, 1])),
  )
  const { rows } = await testApp.pool.query(
    'select sent_count, done_at is not null as done from delivery_ranges where trader_id = $1',
    [maria.userId],
  )
  expect(rows).toEqual([{ sent_count: 3, done: true }])
})

test('a whole range of people who want no mails ends, and those behind it are mailed; sign-in codes go out to all', async () => {
  await using testApp = await buildTestApp()
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink, clock } = scenario
  const crowd = await makeCrowdTrader(testApp.pool, 'maria', clock.now())
  const addresses = await addFollowers(testApp.pool, crowd, 300, clock.now())
  await testApp.pool.query('update users set position_mails_off_at = $2 where email = any ($1)', [
    addresses.slice(0, 250),
    clock.now(),
  ])
  await scenario.startWorker()
  await publish(testApp.db, crowd, { symbol: 'AAPL' }, clock.now())
  await scenario.untilNothingIsLeft()
  expect(sink.byRecipient).toEqual(new Map(addresses.slice(250).map((address) => [address, 1])))
  const { statusCode } = await testApp.app.inject({
    method: 'POST',
    url: '/auth/v1/otp',
    payload: { email: addresses[0], create_user: true },
  })
  expect(statusCode).toBe(200)
  await sink.until(() => sink.byRecipient.has(addresses[0] ?? ''))
})

test('one press stops the mails of fifty traders, and another one starts them', async () => {
  await using testApp = await buildTestApp()
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink, clock } = scenario
  const person = await signIn(testApp)
  const crowds = []
  for (let nth = 0; nth < 50; nth += 1) {
    const crowd = await makeCrowdTrader(testApp.pool, `trader-${nth}`, clock.now())
    await subscribe(testApp, person, { ...person, userId: crowd.traderId })
    await addFollowers(testApp.pool, crowd, 1, clock.now())
    crowds.push(crowd)
  }
  await scenario.startWorker()
  expect(await switchAll(testApp, person, false)).toEqual(OFF)
  for (const crowd of crowds) await publish(testApp.db, crowd, { symbol: 'AAPL' }, clock.now())
  await scenario.untilNothingIsLeft()
  expect([sink.total(), sink.byRecipient.get(person.email)]).toEqual([50, undefined])
  expect(await switchAll(testApp, person, true)).toEqual(ON)
  for (const crowd of crowds) await publish(testApp.db, crowd, { symbol: 'MSFT' }, clock.now())
  await scenario.untilNothingIsLeft()
  expect([sink.total(), sink.byRecipient.get(person.email)]).toEqual([150, 50])
})

test('another open page hears of the switch, and reads it; presses at once end as the last one did', async () => {
  await using testApp = await buildTestApp()
  const [maria, person, other] = [
    await makeTrader(testApp, 'maria'),
    await signIn(testApp),
    await signIn(testApp),
  ]
  await subscribe(testApp, person, maria)
  const read = async (who: SignedIn) =>
    (await call(testApp, who, 'GET', '/v1/subscriptions')).body.positionMails
  const feed = await openFeed(testApp, person)
  const hears = async () => {
    for (let message = await feed.next(); ; message = await feed.next())
      if (message.type === 'changed' && message.what === 'subscriptions') return
  }
  for (const enabled of [false, true]) {
    await switchAll(testApp, person, enabled)
    await hears()
    expect(await read(person)).toBe(enabled)
  }
  feed.close()
  await Promise.all([false, true, false, true, false].map((enabled) => switchAll(testApp, person, enabled)))
  await switchAll(testApp, person, false)
  expect([await read(person), await read(other)]).toEqual([false, true])
  expect(
    (
      await testApp.app.inject({
        method: 'POST',
        url: '/v1/accounts/position-mails',
        payload: { enabled: false },
      })
    ).statusCode,
  ).toBe(401)
  expect((await call(testApp, person, 'POST', '/v1/accounts/position-mails', { enabled: 'no' })).status).toBe(
    400,
  )
})
