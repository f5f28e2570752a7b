import { afterAll, afterEach, expect, test } from 'vitest'
import { call, makeTrader, type Trader } from '../../../test/factories.ts'
import {
  buy,
  checkout,
  findSubscription,
  makeCustomer,
  makePaidTrader,
  makePair,
  pay,
  startBillingScenario,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { enqueue } from '../../work/jobs.ts'
import { prepareTraderPrice } from '../prices/prices.jobs.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())
afterEach(() => sandbox.control('calm'))

const DAY_MS = 86_400_000
const REFUSED = {
  status: 409,
  body: {
    code: 'payment_refused',
    message: 'Stripe refuses this, and trying again will not help. Nothing has been charged.',
    requestId: expect.any(String),
  },
}
const CONFLICT = {
  status: 409,
  body: {
    code: 'currency_conflict',
    message:
      'You pay for another subscription in a different currency, and Stripe takes only one from each person. You can subscribe here once it has ended.',
    requestId: expect.any(String),
  },
}

const begin = (who: SignedIn, { username }: Pick<Trader, 'username'>) =>
  call(testApp, who, 'POST', '/v1/subscriptions/new', { username })
const setUpBilling = (who: SignedIn) => call(testApp, who, 'POST', '/v1/accounts/customer')
const takeNotices = () => takeMails(testApp, ['operator_notice'], { operatorEmail: 'operator@example.com' })

const refuse = (status: number, path: string, times = 1) =>
  sandbox.control('fault', { kind: 'refuse', status, method: 'POST', path, times })

/** Runs with another currency of the product's, as after a restart with another SUBSCRIPTION_CURRENCY. */
async function inEuros(work: () => Promise<void>): Promise<void> {
  const { settings } = testApp
  const before = settings.subscriptionCurrency
  Object.assign(settings, { subscriptionCurrency: 'eur' })
  try {
    await work()
  } finally {
    Object.assign(settings, { subscriptionCurrency: before })
  }
}

const KINDS: [status: number, kind: string][] = [
  [400, 'StripeInvalidRequestError balance_insufficient'],
  [401, 'StripeAuthenticationError'],
  [403, 'StripePermissionError secret_key_required'],
]

test.each(
  KINDS.flatMap(([status, kind]) =>
    ['/v1/products', '/v1/prices', '/v1/checkout/sessions'].map((path) => ({ status, kind, path })),
  ),
)(
  'a $status of $path is answered as lasting, and the operator is mailed of its kind once a day',
  async ({ status, kind, path }) => {
    testApp.clock.advance(2 * DAY_MS)
    const { person, trader } = await makePair(scenario)
    await testApp.pool.query('delete from trader_prices where trader_id = $1', [trader.userId])
    await takeNotices()
    await refuse(status, path, 3)
    expect(await begin(person, trader)).toEqual(REFUSED)
    expect(await begin(person, trader)).toEqual(REFUSED)
    const [notice, ...others] = await takeNotices()
    expect(others).toEqual([])
    expect(notice?.subject).toBe(`Tradepost: payments: Stripe refuses a request (${kind})`)
    expect(notice?.text).toMatch(/: req_\w+\n/)
    const mailed = JSON.stringify(notice)
    for (const secret of [person.email, trader.username, 'asked for by a test', 'sk_test'])
      expect(mailed).not.toContain(secret)
    testApp.clock.advance(DAY_MS)
    expect(await begin(person, trader)).toEqual(REFUSED)
    expect(await takeNotices()).toHaveLength(1)
    expect((await begin(person, trader)).status).toBe(200)
  },
)

test('billing that Stripe refuses to set up is answered as lasting too', async () => {
  testApp.clock.advance(2 * DAY_MS)
  await takeNotices()
  const person = await signIn(testApp)
  await refuse(400, '/v1/customers')
  expect(await setUpBilling(person)).toEqual(REFUSED)
  expect(await takeNotices()).toHaveLength(1)
  expect((await setUpBilling(person)).status).toBe(200)
})

test.each([
  ['locked', { kind: 'refuse', status: 409 }],
  ['failing', { kind: 'error' }],
  ['asked too often', { kind: 'rate-limit' }],
])('a Stripe that is %s asks for another try, and no operator', async (_title, fault) => {
  testApp.clock.advance(2 * DAY_MS)
  const { person, trader } = await makePair(scenario)
  await takeNotices()
  await sandbox.control('fault', { ...fault, method: 'POST', path: '/v1/checkout/sessions', times: 2 })
  expect(await begin(person, trader)).toMatchObject({
    status: 503,
    body: { code: 'payment_provider_error', message: expect.stringContaining('please try again') },
  })
  expect(await takeNotices()).toEqual([])
})

test('a price that Stripe refuses is not asked for again by its job, and the operator is notified', async () => {
  testApp.clock.advance(2 * DAY_MS)
  const trader = await makeTrader(testApp)
  await takeNotices()
  await refuse(400, '/v1/prices')
  await enqueue(testApp.db, prepareTraderPrice, { traderId: trader.userId })
  await scenario.work()
  expect(await takeNotices()).toHaveLength(1)
  const { rows } = await testApp.pool.query("select from work where name = 'prepare-trader-price'")
  expect(rows).toEqual([])
})

test('a subscriber who pays in the old currency is answered why they cannot pay in the new one, and the operator is notified', async () => {
  testApp.clock.advance(2 * DAY_MS)
  const { person, trader } = await makePair(scenario)
  const another = await makePaidTrader(scenario)
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  await takeNotices()
  await inEuros(async () => {
    expect(await begin(person, another)).toEqual(CONFLICT)
    expect(await begin(person, another)).toEqual(CONFLICT)
    expect((await takeNotices()).map(({ subject }) => subject)).toEqual([
      'Tradepost: payments: Stripe takes no second currency from a customer',
    ])
    const { rows } = await testApp.pool.query(
      "select from checkout_sessions where subscriber_id = $1 and state = 'open'",
      [person.userId],
    )
    expect(rows).toEqual([])

    const [old] = (await stripe.subscriptions.list({ customer: person.customer })).data
    await stripe.subscriptions.cancel(old?.id ?? '')
    await scenario.settle()
    expect(await buy(scenario, person, another)).toMatchObject({ status: 'active', currency: 'eur' })
  })
})

test('a checkout in the old currency that was left open keeps nobody from one in the new', async () => {
  const [left, wanted] = [await makePaidTrader(scenario), await makePaidTrader(scenario)]
  const person = await makeCustomer(scenario)
  await checkout(scenario, person, left)
  await inEuros(async () => {
    await checkout(scenario, person, wanted)
  })
  const sessions = (await stripe.checkout.sessions.list({ customer: person.customer })).data
  expect(sessions.map(({ currency, status }) => `${currency} ${status}`).toSorted()).toEqual([
    'eur open',
    'usd expired',
  ])
})

test('a checkout in the old currency that has just been paid is in the way, and becomes a subscription', async () => {
  testApp.clock.advance(2 * DAY_MS)
  const [paid, wanted] = [await makePaidTrader(scenario), await makePaidTrader(scenario)]
  const person = await makeCustomer(scenario)
  await pay(await checkout(scenario, person, paid))
  await inEuros(async () => {
    expect(await begin(person, wanted)).toEqual(CONFLICT)
  })
  await scenario.settle()
  expect(await findSubscription(scenario, person, paid)).toMatchObject({ status: 'active', currency: 'usd' })
})
