import { afterAll, expect, test } from 'vitest'
import { call, makeTrader, readTables, type Trader } from '../../../test/factories.ts'
import {
  buy,
  checkout,
  findSubscription,
  makeCustomer,
  makePaidTrader,
  makePair,
  pay,
  startBillingScenario,
} from '../../../test/money/billing-scenario.ts'
import { rounds } from '../../../test/rounds.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'

const scenario = await startBillingScenario()
const { stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const setPrices = (who: SignedIn, monthly: string, yearly: string | null = null, currency = 'usd') =>
  call(testApp, who, 'POST', '/v1/accounts/prices', { monthly, yearly, currency })
const prices = (who: SignedIn) => call(testApp, who, 'GET', '/v1/accounts/prices')
const begin = (who: SignedIn, trader: Trader, more: object = {}) =>
  call(testApp, who, 'POST', '/v1/subscriptions/new', { username: trader.username, ...more })
const BOUNDS = { minCents: 300, maxCents: 50_000 }

/** The prices at Stripe that new subscriptions could begin with, as `month 1250`. */
async function activeAtStripe(trader: Trader): Promise<string[]> {
  const { data } = await stripe.prices.list({
    product: `prod_local_${trader.userId.replaceAll('-', '')}`,
    active: true,
    limit: 100,
  })
  return data.map(({ recurring, unit_amount }) => `${recurring?.interval} ${unit_amount}`).toSorted()
}

test('a trader names a price, and everybody who may subscribe sees it', async () => {
  const { person, trader } = await makePair(scenario)
  const product = {
    ...{ currency: 'usd', monthlyCents: 1000, yearlyCents: null, isDefault: true },
    ...{ trialDays: null, ...BOUNDS },
  }
  expect((await prices(trader)).body).toEqual(product)
  const own = {
    ...{ currency: 'usd', monthlyCents: 1250, yearlyCents: 12_500, isDefault: false },
    ...{ trialDays: null, followersBelow: 0, followersAgreed: 0, ...BOUNDS },
  }
  expect(await setPrices(trader, '12.50', '')).toEqual({ status: 200, body: own })
  expect((await prices(trader)).body).toEqual(own)
  // Free days alone leave the prices as they are, and half of the prices is none.
  const choose = (body: object) =>
    call(testApp, trader, 'POST', '/v1/accounts/prices', { currency: 'usd', ...body })
  expect(await choose({ trialDays: 14 })).toEqual({ status: 200, body: { ...own, trialDays: 14 } })
  expect((await choose({ monthly: '9', trialDays: 7 })).status).toBe(400)
  expect(await choose({ trialDays: null })).toEqual({ status: 200, body: own })
  const shown = { priceCents: 1250, yearlyCents: 12_500, currency: 'usd' }
  const name = trader.username
  const look = (path: string) => call(testApp, person, 'GET', `${path}?username=${name}`)
  expect((await look('/v1/accounts/profile')).body).toMatchObject(shown)
  expect((await look('/v1/accounts/search')).body).toMatchObject(shown)
  await setPrices(trader, '15')
  const profile = (await look('/v1/accounts/profile')).body
  expect(profile).toMatchObject({ priceCents: 1500, currency: 'usd' })
  expect(profile).not.toHaveProperty('yearlyCents')
})

test('a search names no price where nobody can subscribe', async () => {
  const { person } = await makePair(scenario)
  const { username } = await makeTrader(testApp)
  const found = await call(testApp, person, 'GET', `/v1/accounts/search?username=${username}`)
  expect(found.body).toMatchObject({ canSubscribe: false })
  expect(found.body).not.toHaveProperty('priceCents')
})

test('the suggestions beside a search name the price', async () => {
  const { person, trader } = await makePair(scenario)
  await setPrices(trader, '20')
  await testApp.pool.query(
    'insert into trader_stats (trader_id, closed_count, open_count, gain_sum) values ($1, 1, 0, 2)',
    [trader.userId],
  )
  const text = trader.username.slice(0, -1)
  const { body } = await call(testApp, person, 'GET', `/v1/accounts/suggestions?username=${text}`)
  const { traders } = body as { traders: { username: string }[] }
  expect(traders.find(({ username }) => username === trader.username)).toMatchObject({
    priceCents: 2000,
    currency: 'usd',
  })
})

test.each([
  ['nothing', '', null, 'usd', 'price_invalid', 'Type an amount such as 12 or 12.50.'],
  ['a negative one', '-5', null, 'usd', 'price_invalid', 'Type an amount such as 12 or 12.50.'],
  ['three decimals', '5.505', null, 'usd', 'price_invalid', 'Type an amount such as 12 or 12.50.'],
  ['zero', '0', null, 'usd', 'price_out_of_bounds', 'Choose a price from $3.00 to $500.00 a month.'],
  ['too much', '500.01', null, 'usd', 'price_out_of_bounds', 'Choose a price from $3.00 to $500.00 a month.'],
  ['a dear year', '5', '61', 'usd', 'yearly_out_of_bounds', 'Choose a price from $5.00 to $60.00 a year.'],
  ['another sign', '€5', null, 'usd', 'price_currency', 'Prices are in USD here.'],
  ['another currency', '5', null, 'eur', 'price_currency', 'Prices are in USD here.'],
])(
  '%s is refused in its sentence, and nothing is changed',
  async (_, monthly, yearly, currency, code, message) => {
    const trader = await makePaidTrader(scenario)
    const before = await readTables(testApp)
    expect(await setPrices(trader, monthly, yearly, currency)).toEqual({
      status: 422,
      body: { code, message, requestId: expect.any(String) },
    })
    expect(await readTables(testApp)).toEqual(before)
  },
)

test('a price can be named once payouts are set up', async () => {
  const trader = await makeTrader(testApp)
  expect(await setPrices(trader, '12')).toMatchObject({
    status: 409,
    body: { code: 'onboarding_incomplete' },
  })
})

test('ten changes count a day; the same prices again are none', async () => {
  testApp.clock.advance(2 * DAY_MS)
  const trader = await makePaidTrader(scenario)
  for (let nth = 0; nth < 10; nth += 1) {
    expect((await setPrices(trader, String(10 + nth))).status).toBe(200)
    expect((await setPrices(trader, String(10 + nth))).status).toBe(200)
  }
  expect(await setPrices(trader, '30')).toMatchObject({
    status: 429,
    body: { code: 'too_many_price_changes' },
  })
  expect((await prices(trader)).body).toMatchObject({ monthlyCents: 1900 })
  testApp.clock.advance(DAY_MS)
  expect((await setPrices(trader, '30')).status).toBe(200)
})

test('a month and a year are paid at the trader’s own prices, and the money is with the trader less the fee', async () => {
  const { person, trader } = await makePair(scenario)
  await setPrices(trader, '12.50', '99.99')
  expect(await buy(scenario, person, trader)).toMatchObject({
    status: 'active',
    price_cents: 1250,
    billing_interval: 'month',
  })
  const other = await makeCustomer(scenario)
  const { body } = await begin(other, trader, { interval: 'year', priceCents: 9999 })
  await pay(String(body.url))
  await scenario.settle()
  const bought = await findSubscription(scenario, other, trader)
  expect(bought).toMatchObject({ status: 'active', price_cents: 9999, billing_interval: 'year' })
  const [invoice] = await testApp.db
    .selectFrom('invoices')
    .selectAll()
    .where('subscription_id', '=', bought?.id ?? '')
    .execute()
  expect(invoice).toMatchObject({ amount_paid_cents: 9999, transferred_cents: 9999, fee_cents: 1000 })
  const days = ((invoice?.period_end?.getTime() ?? 0) - (invoice?.period_start?.getTime() ?? 0)) / DAY_MS
  expect([365, 366]).toContain(days)
  const listed = await call(testApp, other, 'GET', '/v1/subscriptions')
  expect(listed.body.subscriptions).toMatchObject([{ priceCents: 9999, interval: 'year' }])
})

test('a year that is not offered is refused, and so is a price that is not true any more', async () => {
  const { person, trader } = await makePair(scenario)
  expect(await begin(person, trader, { interval: 'year' })).toMatchObject({
    status: 409,
    body: { code: 'yearly_not_offered', message: 'This trader cannot be paid by the year.' },
  })
  await setPrices(trader, '12.50', '')
  expect(await begin(person, trader, { priceCents: 1000 })).toMatchObject({
    status: 409,
    body: {
      code: 'subscription_price_changed',
      message: 'The price has changed. Look at it again. Nothing has been charged.',
    },
  })
  expect((await begin(person, trader, { priceCents: 1250 })).status).toBe(200)
  await setPrices(trader, '12.50')
  expect(await begin(person, trader, { interval: 'year' })).toMatchObject({
    body: { code: 'yearly_not_offered' },
  })
})

test('another choice at the checkout ends the page of the first, and a new price ends those that wait', async () => {
  const { person, trader } = await makePair(scenario)
  await setPrices(trader, '12.50', '')
  const byMonth = await checkout(scenario, person, trader)
  const byYear = String((await begin(person, trader, { interval: 'year' })).body.url)
  expect(byYear).not.toBe(byMonth)
  const sessions = async () =>
    (await stripe.checkout.sessions.list({ customer: person.customer })).data.map(
      ({ amount_total, status }) => `${amount_total} ${status}`,
    )
  expect(await sessions()).toEqual(['12500 open', '1250 expired'])
  await setPrices(trader, '20', '')
  await scenario.settle()
  expect(await sessions()).toEqual(['12500 expired', '1250 expired'])
  const rows = await testApp.db
    .selectFrom('checkout_sessions')
    .select('state')
    .where('subscriber_id', '=', person.userId)
    .execute()
  expect(rows).toEqual([{ state: 'expired' }, { state: 'expired' }])
})

test('a checkout that was paid is not begun again for a year', async () => {
  const { person, trader } = await makePair(scenario)
  await setPrices(trader, '12.50', '')
  await pay(await checkout(scenario, person, trader))
  expect(await begin(person, trader, { interval: 'year' })).toMatchObject({
    status: 409,
    body: { code: 'already_subscribed' },
  })
})

test('after forty changes there is one price an interval that could be charged', async () => {
  const trader = await makePaidTrader(scenario)
  for (let nth = 0; nth < 40; nth += 1) {
    if (nth % 10 === 0) testApp.clock.advance(DAY_MS)
    expect((await setPrices(trader, String(10 + (nth % 7)), nth % 3 === 0 ? null : '')).status).toBe(200)
    if (nth % 5 === 0) await scenario.settle()
  }
  await scenario.settle()
  expect(await activeAtStripe(trader)).toEqual(['month 1400'])
  testApp.clock.advance(DAY_MS)
  await setPrices(trader, '11', '110')
  await scenario.settle()
  expect(await activeAtStripe(trader)).toEqual(['month 1100', 'year 11000'])
})

test('of two changes at once, and a checkout beside them, all agree in the end', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const { person, trader } = await makePair(scenario)
    const answers = await Promise.all([
      setPrices(trader, '11', ''),
      begin(person, trader),
      setPrices(trader, '12', ''),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    await scenario.settle()
    const { monthlyCents } = (await prices(trader)).body as { monthlyCents: number }
    expect([1100, 1200]).toContain(monthlyCents)
    expect(await activeAtStripe(trader)).toEqual([`month ${monthlyCents}`, `year ${10 * monthlyCents}`])
    const open = (await stripe.checkout.sessions.list({ customer: person.customer })).data
      .filter(({ status }) => status === 'open')
      .map(({ amount_total }) => amount_total)
    expect([[], [monthlyCents]]).toContainEqual(open)
  }
})

test('prices in a currency that is not the product’s any more give way to the configured one', async () => {
  const { person, trader } = await makePair(scenario)
  await setPrices(trader, '12.50', '')
  const before = testApp.settings.subscriptionCurrency
  Object.assign(testApp.settings, { subscriptionCurrency: 'eur' })
  try {
    const profile = await call(testApp, person, 'GET', `/v1/accounts/profile?username=${trader.username}`)
    expect(profile.body).toMatchObject({ priceCents: 1000, currency: 'eur' })
    expect((await prices(trader)).body).toMatchObject({ currency: 'eur', isDefault: true, yearlyCents: null })
  } finally {
    Object.assign(testApp.settings, { subscriptionCurrency: before })
  }
})
