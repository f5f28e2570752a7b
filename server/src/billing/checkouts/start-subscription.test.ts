import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import {
  call,
  completePayouts,
  makeTrader,
  moveSubscription,
  readTables,
  subscribe,
} from '../../../test/factories.ts'
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
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { StripeClient } from '../../stripe/sdk.ts'
import { syncCheckoutByStripeId } from './sync-checkout.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const begin = (who: Parameters<typeof call>[1], username: string) =>
  call(testApp, who, 'POST', '/v1/subscriptions/new', { username })

test('subscribing leads to a monthly checkout by card on a page of Stripe', {
  tags: ['SUB-10', 'SUB-17', 'SUB-19', 'API-15'],
}, async () => {
  const { person, trader } = await makePair(scenario)
  const { body, status } = await begin(person, ` ${trader.username.toUpperCase()} `)
  expect([status, Object.keys(body)]).toEqual([200, ['url']])
  expect(new URL(String(body.url)).origin).toBe(sandbox.url)
  const [session] = (await stripe.checkout.sessions.list({ customer: person.customer })).data
  const name = trader.username
  expect(session).toMatchObject({
    mode: 'subscription',
    ui_mode: 'hosted_page',
    allowed_payment_method_types: ['card'],
    customer: person.customer,
    amount_total: 1000,
    currency: 'usd',
    success_url: `${testApp.settings.origin}/payment/success?trader=${name}&session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${testApp.settings.origin}/trader/${name}/subscribe?canceled=1`,
    metadata: { app: 'tradepost', env: 'local', subscriber_id: person.userId, trader_id: trader.userId },
  })
  const { data } = await stripe.checkout.sessions.listLineItems(session?.id ?? '')
  expect(data[0]).toMatchObject({ price: { recurring: { interval: 'month', interval_count: 1 } } })
})

test('a payment makes a subscription, and the money is with the trader less the fee', async () => {
  const { person, trader } = await makePair(scenario)
  const bought = await buy(scenario, person, trader)
  expect(bought).toMatchObject({ status: 'active', price_cents: 1000, currency: 'usd', fee_percent: '10.00' })
  expect(await stripe.subscriptions.retrieve(bought.stripe_subscription_id ?? '')).toMatchObject({
    application_fee_percent: 10,
    transfer_data: { destination: trader.account },
  })
  const paid = await testApp.db
    .selectFrom('invoices')
    .selectAll()
    .where('subscription_id', '=', bought.id)
    .execute()
  expect(paid).toMatchObject([
    { status: 'paid', amount_paid_cents: 1000, transferred_cents: 1000, fee_cents: 100, refunded_cents: 0 },
  ])
  const begun = await testApp.db
    .selectFrom('checkout_sessions')
    .select(['state', 'look_at'])
    .where('subscriber_id', '=', person.userId)
    .execute()
  expect(begun).toEqual([{ state: 'completed', look_at: null }])
})

const REFUSED = [
  ['oneself', 409, 'self_subscription', 'You cannot subscribe to your own account.'],
  ['a trader who is followed', 409, 'already_subscribed', 'You are already subscribed to this user.'],
  ['a trader without payouts', 409, 'not_subscribable', 'Subscribing is not available for this user.'],
  ['a trader left unpaid before', 409, 'not_subscribable', 'Subscribing is not available for this user.'],
  ['a suspended trader', 409, 'not_subscribable', 'Subscribing is not available for this user.'],
  ['a trader, without billing,', 409, 'customer_required', 'Set up billing first.'],
  ['nobody', 404, 'user_not_found', "That user doesn't seem to exist..."],
  ['a name that is none', 404, 'user_not_found', "That user doesn't seem to exist..."],
] as const

test.each(REFUSED)(
  'subscribing to %s is refused in words, and nothing is changed',
  { tags: ['SUB-11', 'SUB-12', 'SUB-13', 'ROLE-07'] },
  async (title, status, code, message) => {
    const trader = await makePaidTrader(scenario)
    const person = title.includes('without billing') ? await signIn(testApp) : await makeCustomer(scenario)
    if (title.includes('is followed')) await subscribe(testApp, person, trader, 'past_due')
    if (title.includes('unpaid')) await subscribe(testApp, person, trader, 'unpaid')
    if (title.includes('suspended'))
      await testApp.pool.query('update users set suspended_at = now() where id = $1', [trader.userId])
    const username = title.includes('without payouts')
      ? (await makeTrader(testApp)).username
      : trader.username
    const who = title === 'oneself' ? trader : person
    const name = title === 'nobody' ? 'nobody' : title.includes('none') ? 'no\0name' : username
    const before = await readTables(testApp)
    const answer = await begin(who, name)
    expect(answer).toEqual({ status, body: { code, message, requestId: expect.any(String) } })
    expect(await readTables(testApp)).toEqual(before)
  },
)

test('two clicks at once, and one later, lead to one page', async () => {
  const { person, trader } = await makePair(scenario)
  const urls = await Promise.all([1, 2, 3].map(() => checkout(scenario, person, trader)))
  urls.push(await checkout(scenario, person, trader))
  expect(new Set(urls).size).toBe(1)
  expect((await stripe.checkout.sessions.list({ customer: person.customer })).data).toHaveLength(1)
})

test('a checkout that is over is followed by a new one', async () => {
  const { person, trader } = await makePair(scenario)
  const first = await checkout(scenario, person, trader)
  const [session] = (await stripe.checkout.sessions.list({ customer: person.customer })).data
  await stripe.checkout.sessions.expire(session?.id ?? '')
  const second = await checkout(scenario, person, trader)
  expect(second).not.toBe(first)
  await scenario.settle()
  const rows = await testApp.db
    .selectFrom('checkout_sessions')
    .select('state')
    .where('subscriber_id', '=', person.userId)
    .orderBy('id')
    .execute()
  expect(rows.map(({ state }) => state)).toEqual(['expired', 'open'])
})

test('the checkout of another deployment is not followed, even by a copy of its database', async () => {
  const { person, trader } = await makePair(scenario)
  await checkout(scenario, person, trader)
  const [session] = (await stripe.checkout.sessions.list({ customer: person.customer })).data
  await stripe.checkout.sessions.expire(session?.id ?? '')
  const { clock, db, settings } = testApp
  const follow = (deployment: string) => {
    const own = { ...settings, stripe: { ...settings.stripe, deployment } }
    return syncCheckoutByStripeId(
      { db, stripe: new StripeClient(stripe), log: silentLog, settings: own },
      session?.id ?? '',
      clock.now(),
    )
  }
  const states = () =>
    db.selectFrom('checkout_sessions').select('state').where('subscriber_id', '=', person.userId).execute()
  expect(await follow('staging')).toBe('ignored')
  expect(await states()).toEqual([{ state: 'open' }])
  expect(await follow('local')).toBe('done')
  expect(await states()).toEqual([{ state: 'expired' }])
})

test('a person who has just paid is not led to a second payment, even before Stripe has reported', async () => {
  const { person, trader } = await makePair(scenario)
  await pay(await checkout(scenario, person, trader))
  expect(await begin(person, trader.username)).toMatchObject({
    status: 409,
    body: { code: 'already_subscribed' },
  })
  await scenario.work()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
})

test('a person who is subscribed while their checkout is about to begin is led to no payment', async () => {
  const { person, trader } = await makePair(scenario)
  const holding = await testApp.pool.connect()
  try {
    // Reading goes on, writing waits: the checkout stands between its first look at the pair and its second.
    await holding.query('begin; lock table checkout_sessions in share mode')
    const beginning = begin(person, trader.username)
    while ((await countWaiting(testApp)) === 0);
    await subscribe(testApp, person, trader)
    await holding.query('commit')
    expect(await beginning).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
  } finally {
    holding.release()
  }
  const { rowCount } = await testApp.pool.query('select from checkout_sessions where subscriber_id = $1', [
    person.userId,
  ])
  expect(rowCount).toBe(0)
})

test('following again after the end is another subscription', async () => {
  const { person, trader } = await makePair(scenario)
  const first = await buy(scenario, person, trader)
  await stripe.subscriptions.cancel(first.stripe_subscription_id ?? '')
  await scenario.settle()
  const second = await buy(scenario, person, trader)
  expect(second).toMatchObject({ status: 'active' })
  expect(second.id).not.toBe(first.id)
})

test('a customer that Stripe has lost is made again', async () => {
  const { person, trader } = await makePair(scenario)
  await stripe.customers.del(person.customer)
  await pay(await checkout(scenario, person, trader))
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  expect((await stripe.subscriptions.list({ customer: person.customer, status: 'all' })).data).toEqual([])
})

test('a price that Stripe has lost is made again', async () => {
  const { person, trader } = await makePair(scenario)
  await testApp.pool.query("update trader_prices set stripe_price_id = 'price_gone' where trader_id = $1", [
    trader.userId,
  ])
  await pay(await checkout(scenario, person, trader))
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    price_cents: 1000,
  })
})

test('a trader whom Stripe does not pay cannot be subscribed to, whatever is stored here', async () => {
  const [trader, person] = [await makeTrader(testApp), await makeCustomer(scenario)]
  await completePayouts(testApp, trader)
  expect(await begin(person, trader.username)).toMatchObject({
    status: 409,
    body: { code: 'not_subscribable' },
  })
  await scenario.work()
  const profile = await call(testApp, person, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  expect(profile.body).toMatchObject({ canSubscribe: false })
})

test.each(['restrict', 'close'])(
  'a trader of whom Stripe has just decided to %s the account cannot be subscribed to either',
  async (action) => {
    const { person, trader } = await makePair(scenario)
    await scenario.sandbox.control(action, { id: trader.account })
    expect(await begin(person, trader.username)).toMatchObject({
      status: 409,
      body: { code: 'not_subscribable' },
    })
  },
)

test('a pair that ended unpaid may begin again', async () => {
  const { person, trader } = await makePair(scenario)
  const id = await subscribe(testApp, person, trader, 'unpaid')
  await moveSubscription(testApp, trader, id, 'canceled')
  expect((await begin(person, trader.username)).status).toBe(200)
})
