import { afterAll, expect, test } from 'vitest'
import { call, type Trader } from '../../../test/factories.ts'
import {
  findSubscription,
  makeCustomer,
  makePair,
  makePairWithClock,
  pay,
  startBillingScenario,
} from '../../../test/money/billing-scenario.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'

const scenario = await startBillingScenario()
const { stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const addCode = async (trader: SignedIn, typed: object) => {
  const code = { code: 'spring', off: '20 %', months: null, maxUses: null, lastDay: null, currency: 'usd' }
  const { status } = await call(testApp, trader, 'POST', '/v1/accounts/discount-codes', { ...code, ...typed })
  expect(status).toBe(200)
}
const begin = async (who: SignedIn, trader: Trader, code: string) => {
  const wanted = { username: trader.username, discountCode: code }
  const { body, status } = await call(testApp, who, 'POST', '/v1/subscriptions/new', wanted)
  expect(status).toBe(200)
  return String(body.url)
}
const paidBy = async (customer: string) =>
  (await stripe.invoices.list({ customer, limit: 100 })).data.map(({ amount_paid }) => amount_paid)

test('a page that waited past the last day of its code charges nobody, neither with the code nor without', async () => {
  const { person, trader } = await makePair(scenario)
  const day = testApp.clock.now().toISOString().slice(0, 10)
  await addCode(trader, { lastDay: day })
  testApp.clock.set(new Date(`${day}T23:50:00.000Z`))
  const url = await begin(person, trader, 'spring')
  testApp.clock.advance(20 * 60_000)
  await pay(url)
  await scenario.settle()
  expect(await paidBy(person.customer)).toEqual([])
  const { body } = await call(testApp, person, 'GET', `/v1/subscriptions/${trader.username}`)
  expect(body).toMatchObject({ subscribed: false })
})

test('a code that counts once is used up in whichever spelling it was typed', async () => {
  const { person, trader } = await makePair(scenario)
  await addCode(trader, { code: 'SPRING', maxUses: 1 })
  await pay(await begin(person, trader, ' sp-Ring '))
  await scenario.settle()
  expect(await paidBy(person.customer)).toEqual([800])
  expect((await call(testApp, trader, 'GET', '/v1/accounts/discount-codes')).body).toEqual({ codes: [] })
  expect((await call(testApp, person, 'GET', `/v1/traders/${trader.username}/discounts/SPRING`)).status).toBe(
    404,
  )
})

test('a code that takes off more than a lower price of later begins a subscription that costs nothing', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  await addCode(trader, { off: '8.00', months: 3 })
  const prices = { monthly: '5', yearly: null, currency: 'usd' }
  expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
  await scenario.settle()
  await pay(await begin(person, trader, 'spring'))
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    price_cents: 500,
    renewal_cents: 0,
  })
  await pass(31)
  await pass(1)
  await scenario.settle()
  expect(await paidBy(person.customer)).toEqual([0, 0])
})

test.each([
  {
    maxUses: null,
    uses: 1,
    title: 'a code without a limit is not used where free days were refused',
    refused: 200,
  },
  {
    maxUses: 2,
    uses: 1,
    title: 'a code of so many uses has lost one where free days were refused, as at Stripe',
    refused: 404,
  },
])('$title', async ({ maxUses, refused, uses }) => {
  const { person, trader } = await makePair(scenario)
  await addCode(trader, { maxUses })
  const prices = { monthly: '10', yearly: null, currency: 'usd', trialDays: 7 }
  expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
  const ask = (more: object) =>
    call(testApp, person, 'POST', '/v1/subscriptions/new', {
      username: trader.username,
      discountCode: 'spring',
      ...more,
    })
  const { body } = await ask({ trialDays: 7 })
  // Somebody else has free days with the same card before.
  const other = await makeCustomer(scenario)
  const elsewhere = await call(testApp, other, 'POST', '/v1/subscriptions/new', {
    username: trader.username,
    trialDays: 7,
  })
  await pay(String(elsewhere.body.url))
  await scenario.settle()
  await pay(String(body.url))
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'trial_used',
  })
  const again = await ask({})
  expect(again.status).toBe(refused)
  if (refused === 200) {
    await pay(String(again.body.url))
    await scenario.settle()
    expect((await paidBy(person.customer)).toReversed()).toEqual([0, 800])
  }
  const { codes } = (await call(testApp, trader, 'GET', '/v1/accounts/discount-codes')).body as {
    codes: { uses: number }[]
  }
  expect(codes).toMatchObject([{ uses }])
  testApp.clock.advance(40 * 86_400_000)
})
