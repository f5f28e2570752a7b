import { afterAll, expect, test } from 'vitest'
import { open as visit } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { call, makeTrader, readTables, subscribe } from '../../../test/factories.ts'
import {
  buy,
  checkout,
  makeCustomer,
  makePaidTrader,
  makePair,
  pay,
  startBillingScenario,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

const scenario = await startBillingScenario()
const { stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

type Caller = Parameters<typeof call>[1]
const list = async (who: Caller) => (await call(testApp, who, 'GET', '/v1/subscriptions')).body.subscriptions
const check = (who: Caller, of: string) => call(testApp, who, 'GET', `/v1/subscriptions/${of}`)
const manage = (who: Caller, id: string) => call(testApp, who, 'POST', `/v1/subscriptions/${id}/manage`)
const mail = (who: Caller, id: string, payload: object) =>
  call(testApp, who, 'POST', `/v1/subscriptions/${id}/mail`, payload)

const NOT_FOUND = { message: 'Not found.', code: 'subscription_not_found', requestId: expect.any(String) }

test('the list shows what is paid for, the living first and then the newest', {
  tags: ['SUB-14', 'API-16'],
}, async () => {
  const person = await makeCustomer(scenario)
  expect(await list(person)).toEqual([])
  const traders = [
    await makePaidTrader(scenario),
    await makePaidTrader(scenario),
    await makePaidTrader(scenario),
  ]
  const bought = []
  for (const trader of traders) {
    const { id } = await subscribeAtStripe(scenario, person, trader)
    await scenario.settle()
    bought.push(id)
    testApp.clock.advance(60_000)
  }
  await stripe.subscriptions.cancel(bought[2] ?? '')
  await stripe.subscriptions.update(bought[0] ?? '', { cancel_at_period_end: true })
  await scenario.settle()
  const [first, second, third] = traders.map(({ username }) => username)
  const price = { priceCents: 1000, currency: 'usd', interval: 'month' }
  const rest = { id: expect.any(String), mailEnabled: true, ...price, trialEndsAt: null }
  expect(await list(person)).toEqual([
    {
      ...rest,
      username: second,
      status: 'active',
      endsAt: null,
      startedAt: '2026-03-04T15:01:00.000Z',
      currentPeriodEnd: '2026-04-04T15:01:00.000Z',
      withdrawUntil: '2026-03-18T15:01:00.000Z',
    },
    {
      ...rest,
      username: first,
      status: 'active',
      endsAt: '2026-04-04T15:00:00.000Z',
      startedAt: '2026-03-04T15:00:00.000Z',
      currentPeriodEnd: '2026-04-04T15:00:00.000Z',
      withdrawUntil: '2026-03-18T15:00:00.000Z',
    },
    {
      ...rest,
      username: third,
      status: 'canceled',
      endsAt: null,
      startedAt: '2026-03-04T15:02:00.000Z',
      currentPeriodEnd: '2026-04-04T15:02:00.000Z',
      withdrawUntil: null,
    },
  ])
  expect(await list(await signIn(testApp))).toEqual([])
})

test('the check answers by username, in any case, whether the caller is subscribed to a trader', {
  tags: ['API-17'],
}, async () => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  const no = { subscribed: false, id: null, status: null, trialDays: null }
  expect(await check(person, trader.username)).toEqual({ status: 200, body: no })
  const id = await subscribe(testApp, person, trader, 'past_due')
  const yes = { subscribed: true, id, status: 'past_due' }
  expect(await check(person, trader.username.toUpperCase())).toEqual({
    status: 200,
    body: { ...yes, trialDays: null },
  })
  expect(await check(person, id)).toEqual({ status: 200, body: yes })
  expect(await check(trader, trader.username)).toEqual({ status: 200, body: no })
})

test.each([
  ['unpaid', { subscribed: false, status: 'unpaid' }],
  ['paused', { subscribed: false, status: 'paused' }],
  ['incomplete', { subscribed: false, status: 'incomplete' }],
  ['trialing', { subscribed: true, status: 'trialing' }],
  ['canceled', { subscribed: false, id: null, status: null }],
] as const)('the check of a subscription that is %s answers its status', async (status, answer) => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  const id = await subscribe(testApp, person, trader, status)
  for (const of of [id, trader.username]) expect((await check(person, of)).body).toMatchObject(answer)
})

test('a subscription of nobody, or of somebody else, is not found', async () => {
  const [trader, person, other] = [await makeTrader(testApp), await signIn(testApp), await signIn(testApp)]
  const id = await subscribe(testApp, person, trader)
  for (const of of [id, '019a0000-0000-7000-8000-000000000000'])
    expect(await check(other, of)).toEqual({ status: 404, body: NOT_FOUND })
  for (const of of ['nobody-here', '%00', 'a', "x'or'1", encodeURIComponent('../new')])
    expect(await check(other, of)).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
})

test('a person who comes back before Stripe has reported is found by the check that the page repeats', async () => {
  const { person, trader } = await makePair(scenario)
  const url = await checkout(scenario, person, trader)
  for (const { id } of (await stripe.webhookEndpoints.list()).data)
    await stripe.webhookEndpoints.update(id, { disabled: true })
  await pay(url)
  expect((await check(person, trader.username)).body).toMatchObject({ subscribed: false })
  await scenario.work()
  expect((await check(person, trader.username)).body).toMatchObject({ subscribed: true, status: 'active' })
  for (const { id } of (await stripe.webhookEndpoints.list()).data)
    await stripe.webhookEndpoints.update(id, { disabled: false })
})

test('managing leads into the portal of Stripe, to the end of a subscription that renews', async () => {
  const { person, trader } = await makePair(scenario)
  const bought = await buy(scenario, person, trader)
  const renewing = await manage(person, bought.id)
  expect([renewing.status, Object.keys(renewing.body)]).toEqual([200, ['url']])
  expect((await visit(String(renewing.body.url))).html).toContain('Cancel subscription')
  await stripe.subscriptions.update(bought.stripe_subscription_id ?? '', { cancel_at_period_end: true })
  await scenario.settle()
  const ending = await manage(person, bought.id)
  expect((await visit(String(ending.body.url))).html).toContain('Renew subscription')
  await stripe.subscriptions.cancel(bought.stripe_subscription_id ?? '')
  await scenario.settle()
  expect((await manage(person, bought.id)).status).toBe(200)
})

test('only the subscriber manages a subscription, and nothing is changed by others', {
  tags: ['ROLE-05'],
}, async () => {
  const [trader, person, other] = [
    await makePaidTrader(scenario),
    await makeCustomer(scenario),
    await makeCustomer(scenario),
  ]
  const bought = await buy(scenario, person, trader)
  const before = await readTables(testApp)
  for (const id of [bought.id, '019a0000-0000-7000-8000-000000000000', trader.username, 'new']) {
    for (const who of [other, trader]) {
      expect(await manage(who, id)).toEqual({ status: 404, body: NOT_FOUND })
      expect(await mail(who, id, { enabled: false })).toEqual({ status: 404, body: NOT_FOUND })
    }
  }
  expect(await readTables(testApp)).toEqual(before)
  expect(await manage(person, bought.id)).toMatchObject({ status: 200, body: { url: expect.any(String) } })
})

test('the switch and the link in a mail stop the same mails, and the switch starts them again', async () => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  const id = await subscribe(testApp, person, trader)
  const shown = async () => ((await list(person)) as { mailEnabled: boolean }[])[0]?.mailEnabled
  expect(await mail(person, id, { enabled: false })).toEqual({ status: 200, body: { mailEnabled: false } })
  expect(await mail(person, id, { enabled: false })).toEqual({ status: 200, body: { mailEnabled: false } })
  expect(await shown()).toBe(false)
  expect(await mail(person, id, { enabled: true })).toEqual({ status: 200, body: { mailEnabled: true } })
  expect(await shown()).toBe(true)
  const { unsubscribe_token: token } = await testApp.db
    .selectFrom('subscriptions')
    .select('unsubscribe_token')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await testApp.app.inject({ method: 'POST', url: `/mail/unsubscribe/${token}` })
  expect(await shown()).toBe(false)
  expect((await check(person, id)).body).toMatchObject({ subscribed: true })
  for (const wrong of [{}, { enabled: 'yes' }, { enabled: 1 }])
    expect((await mail(person, id, wrong)).status).toBe(400)
})
