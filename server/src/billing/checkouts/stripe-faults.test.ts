import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { call, type Trader } from '../../../test/factories.ts'
import {
  checkout,
  findSubscription,
  makeCustomer,
  makePaidTrader,
  makePair,
  pay,
  startBillingScenario,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { FAULTS, type Faults } from '../../../test/money/payments-scenario.ts'
import { StripeClient } from '../../stripe/sdk.ts'
import { startSubscription } from './start-subscription.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

async function spoil(faults: Faults, method: string, path: string): Promise<void> {
  for (const fault of faults) await sandbox.control('fault', { ...fault, method, path })
}

const begin = (who: Parameters<typeof call>[1], trader: Trader) =>
  call(testApp, who, 'POST', '/v1/subscriptions/new', { username: trader.username })

const UNAVAILABLE = {
  status: 503,
  body: {
    code: 'payment_provider_error',
    message: 'Payments are unavailable right now, please try again.',
    requestId: expect.any(String),
  },
}

const CALLS = [
  ['the product', 'POST', '/v1/products'],
  ['the price', 'POST', '/v1/prices'],
  ['the page', 'POST', '/v1/checkout/sessions'],
  ['the page that is open', 'GET', '/v1/checkout/sessions'],
] as const

test.each(
  FAULTS.flatMap(([title, faults]) => CALLS.map(([what, ...one]) => [title, what, faults, ...one] as const)),
)('Stripe %s for %s, and a try later all is well', async (_title, what, faults, method, path) => {
  const { person, trader } = await makePair(scenario)
  if (what === 'the page that is open') await checkout(scenario, person, trader)
  else await testApp.pool.query('delete from trader_prices where trader_id = $1', [trader.userId])
  await spoil(faults, method, path)
  expect(await begin(person, trader)).toEqual(UNAVAILABLE)
  await sandbox.control('calm')
  await pay(await checkout(scenario, person, trader))
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  expect((await stripe.charges.list({ customer: person.customer })).data).toHaveLength(1)
  const prices = await stripe.prices.list({ lookup_keys: [`local:trader:${trader.userId}:monthly`] })
  expect(prices.data).toHaveLength(1)
  const { rows } = await testApp.pool.query(
    "select from checkout_sessions where subscriber_id = $1 and state = 'open'",
    [person.userId],
  )
  expect(rows).toEqual([])
})

test('a Stripe that does not answer in time is reported in the same words', async () => {
  const { person, trader } = await makePair(scenario)
  const patience = { timeout: 200, maxNetworkRetries: 0 }
  const hasty = scenario.makeClient(patience)
  await sandbox.control('fault', { kind: 'slow', ms: 1500, method: 'POST', path: '/v1/checkout/sessions' })
  const deps = { db: testApp.db, settings: testApp.settings, log: silentLog, stripe: new StripeClient(hasty) }
  await expect(startSubscription(deps, person, trader, testApp.clock.now())).rejects.toMatchObject({
    code: 'payment_provider_error',
  })
  await pay(await checkout(scenario, person, trader))
  await scenario.settle()
  expect((await stripe.charges.list({ customer: person.customer })).data).toHaveLength(1)
})

/** Calls of jobs: one that only looks fails in one way, one that changes something in every way. */
const look = (path: string) => [['GET', path, 'is asked too often', FAULTS[0][1]]] as const
const change = (method: string, path: string) =>
  FAULTS.map(([title, faults]) => [method, path, title, faults] as const)

/** Deals with what waits while Stripe fails so; a minute later what failed is tried again. */
async function workUnder(faults: Faults, method: string, path: string): Promise<void> {
  await sandbox.control('calm', { settle: true })
  await spoil(faults, method, path)
  await scenario.work()
  await sandbox.control('calm')
  testApp.clock.advance(60_000)
  await scenario.settle()
  const { rows: waiting } = await testApp.pool.query("select from stripe_events where state = 'received'")
  expect(waiting).toEqual([])
}

const paidTrader = makePaidTrader(scenario)
test.each([
  ...look('/v1/subscriptions'),
  ...look('/v1/invoices'),
  ...look('/v1/payment_intents/'),
  ...look('/v1/refunds'),
  ...change('POST', '/v1/subscriptions/'),
  ...change('DELETE', '/v1/subscriptions/'),
  ...change('POST', '/v1/refunds'),
])('when %s %s %s, a second payment is returned once', async (method, path, _title, faults) => {
  const [trader, person] = [await paidTrader, await makeCustomer(scenario)]
  await subscribeAtStripe(scenario, person, trader)
  testApp.clock.advance(1000)
  await subscribeAtStripe(scenario, person, trader)
  await workUnder(faults, method, path)
  const rows = await testApp.db
    .selectFrom('subscriptions')
    .select(['status', 'end_reason'])
    .where('subscriber_id', '=', person.userId)
    .orderBy('started_at')
    .execute()
  expect(rows).toEqual([
    { status: 'active', end_reason: null },
    { status: 'canceled', end_reason: 'double' },
  ])
  const { data } = await stripe.charges.list({ customer: person.customer })
  expect(data.map((charge) => charge.amount_refunded).toSorted()).toEqual([0, 1000])
})

test.each([
  ...look('/v1/disputes'),
  ...look('/v1/invoice_payments'),
  ...look('/v1/transfers'),
  ...change('POST', '/v1/transfers'),
])('when %s %s %s, a dispute is settled once', async (method, path, _title, faults) => {
  const { person, trader } = await makePair(scenario)
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  const [charge] = (await stripe.charges.list({ customer: person.customer })).data
  await sandbox.control('dispute', { id: charge?.id })
  await workUnder(faults, method, path)
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ end_reason: 'dispute' })
  expect(await moneyOf(stripe, trader.account)).toBe(0)
})
