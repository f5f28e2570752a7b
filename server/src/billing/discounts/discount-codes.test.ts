import { afterAll, expect, test } from 'vitest'
import { call, makeTrader, readTables, type Trader } from '../../../test/factories.ts'
import {
  findSubscription,
  makeCustomer,
  makePaidTrader,
  makePair,
  makePairWithClock,
  pay,
  startBillingScenario,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'

const scenario = await startBillingScenario()
const { stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const TYPED = { code: 'spring', off: '20 %', months: 1, maxUses: null, lastDay: null, currency: 'usd' }
type Codes = { codes: { id: string; code: string; uses: number }[] }

const addCode = async (who: SignedIn, typed: object = {}) =>
  (await call(testApp, who, 'POST', '/v1/accounts/discount-codes', { ...TYPED, ...typed })) as {
    status: number
    body: Codes
  }
const codesOf = async (who: SignedIn) =>
  (await call(testApp, who, 'GET', '/v1/accounts/discount-codes')).body as Codes
const endCode = (who: SignedIn, id: string) =>
  call(testApp, who, 'POST', `/v1/accounts/discount-codes/${id}/end`)
const look = (who: SignedIn, trader: Trader, code = 'spring') =>
  call(testApp, who, 'GET', `/v1/traders/${trader.username}/discounts/${code}`)
const begin = (who: SignedIn, trader: Trader, more: object = { discountCode: 'spring' }) =>
  call(testApp, who, 'POST', '/v1/subscriptions/new', { username: trader.username, ...more })
const NOT_VALID = {
  status: 404,
  body: { code: 'discount_code_not_found', message: 'That code is not valid here.' },
}
const paidBy = async (customer: string) =>
  (await stripe.invoices.list({ customer, limit: 100 })).data.map(({ amount_paid }) => amount_paid)

async function buyWith(who: SignedIn, trader: Trader, code = 'spring') {
  const { body } = await begin(who, trader, { discountCode: code })
  await pay(String(body.url))
  await scenario.settle()
  return findSubscription(scenario, who, trader)
}

test('a code is added, looked at by somebody who was given it, and ended', async () => {
  const { person, trader } = await makePair(scenario)
  const added = await addCode(trader, { months: 3, maxUses: 50, lastDay: '2026-12-31' })
  const code = {
    id: expect.any(String),
    ...{ code: 'SPRING', percentOff: 20, amountOffCents: null, currency: 'usd', months: 3 },
    ...{ uses: 0, maxUses: 50, lastDay: '2026-12-31' },
  }
  expect(added).toEqual({ status: 200, body: { codes: [code] } })
  expect(await look(person, trader, 'Sp-ring')).toEqual({
    status: 200,
    body: {
      ...{ code: 'SPRING', percentOff: 20, amountOffCents: null, currency: 'usd', months: 3 },
      ...{ discountedCents: 800, priceCents: 1000 },
    },
  })
  expect(await endCode(person, added.body.codes[0]?.id ?? '')).toMatchObject(NOT_VALID)
  expect(await endCode(trader, added.body.codes[0]?.id ?? '')).toEqual({ status: 200, body: { codes: [] } })
  expect(await look(person, trader)).toMatchObject(NOT_VALID)
  expect(await endCode(trader, added.body.codes[0]?.id ?? '')).toMatchObject(NOT_VALID)
})

test.each([
  [1, [800, 1000, 1000, 1000, 1000]],
  [3, [800, 800, 800, 1000, 1000]],
  [null, [800, 800, 800, 800, 800]],
])(
  '20 %% off for %j months is taken off by Stripe for so long, and the trader is paid the rest',
  async (months, paid) => {
    const { pass, person, trader } = await makePairWithClock(scenario)
    await addCode(trader, { months })
    const bought = await buyWith(person, trader)
    expect(bought).toMatchObject({ status: 'active', price_cents: 1000 })
    for (let month = 1; month < 5; month += 1) {
      await pass(31)
      await pass(1)
      await scenario.settle()
    }
    expect((await paidBy(person.customer)).toReversed()).toEqual(paid)
    const fees = paid.reduce((sum, cents) => sum + cents / 10, 0)
    expect(await moneyOf(stripe, trader.account)).toBe(paid.reduce((sum, cents) => sum + cents, 0) - fees)
    expect((await codesOf(trader)).codes).toMatchObject([{ code: 'SPRING', uses: 1 }])
  },
)

test('an amount is taken off, and what is returned of a month is of the price that was paid', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  await addCode(trader, { off: '2.50' })
  await buyWith(person, trader)
  await pass(10)
  await scenario.sandbox.control('close', { id: trader.account })
  await scenario.settle()
  // 21 of March's 31 days of $7.50: 508.06
  const [invoice] = await testApp.db
    .selectFrom('invoices')
    .select(['amount_paid_cents', 'refunded_cents'])
    .where('trader_id', '=', trader.userId)
    .execute()
  expect(invoice).toEqual({ amount_paid_cents: 750, refunded_cents: 509 })
})

test('a code counts once a person, for its trader alone, and for no year', async () => {
  const { person, trader } = await makePair(scenario)
  const other = await makePaidTrader(scenario)
  await call(testApp, trader, 'POST', '/v1/accounts/prices', { monthly: '10', yearly: '', currency: 'usd' })
  await addCode(trader)
  expect(await begin(person, other)).toMatchObject(NOT_VALID)
  expect(await begin(person, trader, { discountCode: 'spring', interval: 'year' })).toMatchObject(NOT_VALID)
  expect(await begin(person, trader, { discountCode: 'autumn' })).toMatchObject(NOT_VALID)
  const bought = await buyWith(person, trader)
  await stripe.subscriptions.cancel(bought.stripe_subscription_id ?? '')
  await scenario.settle()
  expect(await look(person, trader)).toMatchObject(NOT_VALID)
  expect(await begin(person, trader)).toMatchObject(NOT_VALID)
  expect((await begin(person, trader, {})).status).toBe(200)
})

test('two who want the last use of a code at once: one gets it, the other is charged nothing', async () => {
  const { person, trader } = await makePair(scenario)
  const other = await makeCustomer(scenario)
  await addCode(trader, { maxUses: 1 })
  const pages = [await begin(person, trader), await begin(other, trader)].map(({ body }) => String(body.url))
  await pay(pages[0] ?? '')
  await pay(pages[1] ?? '')
  await scenario.settle()
  expect(await paidBy(person.customer)).toEqual([800])
  expect(await paidBy(other.customer)).toEqual([])
  expect(await begin(other, trader)).toMatchObject(NOT_VALID)
  expect((await codesOf(trader)).codes).toEqual([])
})

test('a code ends with its last day in UTC, and its name is free again', async () => {
  const { person, trader } = await makePair(scenario)
  const before = testApp.clock.now()
  await addCode(trader, { lastDay: '2026-03-04' })
  testApp.clock.set(new Date('2026-03-04T23:59:59.999Z'))
  expect((await look(person, trader)).status).toBe(200)
  testApp.clock.set(new Date('2026-03-05T00:00:00.000Z'))
  expect(await look(person, trader)).toMatchObject(NOT_VALID)
  expect((await codesOf(trader)).codes).toEqual([])
  expect((await addCode(trader, { off: '30 %' })).status).toBe(200)
  expect((await look(person, trader)).body).toMatchObject({ percentOff: 30 })
  testApp.clock.set(before)
})

test('ending a code ends the pages that wait with it, and running subscriptions keep it', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  const waiting = await makeCustomer(scenario)
  const { body } = await addCode(trader, { months: null })
  await buyWith(person, trader)
  await begin(waiting, trader)
  await endCode(trader, body.codes[0]?.id ?? '')
  await scenario.settle()
  const { data } = await stripe.checkout.sessions.list({ customer: waiting.customer })
  expect(data.map(({ status }) => status)).toEqual(['expired'])
  const promotions = (await stripe.promotionCodes.list({ active: true, limit: 100 })).data
  expect(promotions.filter(({ metadata }) => metadata?.trader_id === trader.userId)).toEqual([])
  await pass(31)
  await pass(1)
  await scenario.settle()
  expect(await paidBy(person.customer)).toEqual([800, 800])
})

test('ten codes are live at most, and none of a name twice', async () => {
  const trader = await makePaidTrader(scenario)
  for (let nth = 0; nth < 10; nth += 1)
    expect((await addCode(trader, { code: `code${nth}` })).status).toBe(200)
  expect(await addCode(trader, { code: 'more' })).toMatchObject({
    status: 409,
    body: { code: 'too_many_discount_codes', message: 'You have 10 codes already. End one of them first.' },
  })
  await endCode(trader, (await codesOf(trader)).codes[0]?.id ?? '')
  expect(await addCode(trader, { code: 'CODE-0' })).toMatchObject({
    status: 409,
    body: { code: 'discount_code_taken', message: 'You have a code of that name already.' },
  })
  const [one, other] = await Promise.all([addCode(trader, { code: 'a1b' }), addCode(trader, { code: 'a2b' })])
  expect([one.status, other.status].toSorted()).toEqual([200, 409])
})

test.each([
  ['a name that is none', { code: 'a!' }, 422, 'discount_code_invalid'],
  ['text', { off: 'half' }, 422, 'discount_invalid'],
  ['more than the price', { off: '10' }, 409, 'discount_too_large'],
  ['another currency', { currency: 'eur' }, 422, 'price_currency'],
  ['a day that is over', { lastDay: '2026-03-03' }, 422, 'discount_last_day'],
  ['no use', { maxUses: 0 }, 422, 'discount_uses'],
  ['two months', { months: 2 }, 400, 'bad_request'],
])('%s is refused in its sentence, and nothing is changed', async (_, typed, status, code) => {
  const trader = await makePaidTrader(scenario)
  const before = await readTables(testApp)
  expect(await addCode(trader, typed)).toMatchObject({ status, body: { code } })
  expect(await readTables(testApp)).toEqual(before)
})

test('a code can be added once payouts are set up', async () => {
  expect(await addCode(await makeTrader(testApp))).toMatchObject({
    status: 409,
    body: { code: 'onboarding_incomplete' },
  })
})

test.each([
  ['the coupon', '/v1/coupons'],
  ['the promotion code', '/v1/promotion_codes'],
  ['the page', '/v1/checkout/sessions'],
])(
  'when Stripe loses its answer twice at %s, the next try leads to one page with the discount',
  async (_, path) => {
    const { person, trader } = await makePair(scenario)
    await addCode(trader)
    for (let nth = 0; nth < 2; nth += 1)
      await scenario.sandbox.control('fault', { kind: 'lost-answer', method: 'POST', path })
    expect((await begin(person, trader)).status).toBe(503)
    await buyWith(person, trader)
    expect(await paidBy(person.customer)).toEqual([800])
  },
)

test('free days come before a code, which takes its part off the first payment behind them', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  await addCode(trader)
  const prices = { monthly: '10', yearly: null, currency: 'usd', trialDays: 7 }
  expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
  const { body } = await begin(person, trader, { discountCode: 'spring', trialDays: 7 })
  await pay(String(body.url))
  await scenario.settle()
  const trial = await findSubscription(scenario, person, trader)
  expect(trial).toMatchObject({ status: 'trialing', renewal_cents: 800 })
  const [item] = (await call(testApp, person, 'GET', '/v1/subscriptions')).body.subscriptions as {
    discount: { until: string }
  }[]
  expect(item?.discount).toMatchObject({ cents: 800, thenCents: 1000, code: 'SPRING' })
  expect(trial.renewal_cents_until?.toISOString()).toBe(item?.discount.until)
  expect(trial.renewal_cents_until?.getUTCDate()).toBe(trial.trial_ends_at?.getUTCDate())
  await pass(7)
  await scenario.settle()
  // The first payment is a draft, and has the code: the next one has none.
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    renewal_cents: null,
  })
  for (const days of [1, 31, 1]) {
    await pass(days)
    await scenario.settle()
  }
  expect((await paidBy(person.customer)).toReversed()).toEqual([0, 800, 1000])
})
