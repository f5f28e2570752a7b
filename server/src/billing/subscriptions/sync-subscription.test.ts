import { afterAll, expect, test } from 'vitest'
import { press, open as visit } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { call, open, readTables, subscribe } from '../../../test/factories.ts'
import {
  buy,
  findSubscription,
  makePaidTrader,
  makePair,
  makePairWithClock,
  owedMails,
  startBillingScenario,
  subscribeAtStripe,
  takeAlerts,
} from '../../../test/money/billing-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'
import { readSubscription } from '../../stripe/subscriptions.ts'

const quotes = await startQuoteServer()
const scenario = await startBillingScenario({ quotes })
const { sandbox, stripe, testApp } = scenario
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await quotes.close()
})

const positionsOf = async (who: SignedIn) => (await call(testApp, who, 'GET', '/v1/positions')).body.positions
const itemOf = async (who: SignedIn) =>
  ((await call(testApp, who, 'GET', '/v1/subscriptions')).body.subscriptions as object[])[0]

async function audienceOfLast(trader: SignedIn): Promise<number> {
  const { rows } = await testApp.pool.query(
    `select s.id from subscriptions s join traders t using (trader_id) where s.trader_id = $1
       and ((s.entitled_from_event < t.last_event_no
         and (s.entitled_until_event is null or s.entitled_until_event >= t.last_event_no))
       or s.earlier_windows @> t.last_event_no)`,
    [trader.userId],
  )
  return rows.length
}

test('a payment opens the positions, an end in the portal closes them and stops the mails', {
  tags: ['PAY-04'],
}, async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  await open(testApp, quotes, trader, 'AAPL', 5)
  expect(await positionsOf(person)).toEqual([])
  const bought = await buy(scenario, person, trader)
  expect(await positionsOf(person)).toMatchObject([{ stock: 'AAPL' }])

  const manage = await call(testApp, person, 'POST', `/v1/subscriptions/${bought.id}/manage`)
  expect(manage.status).toBe(200)
  await press(await visit(String(manage.body.url)), 'Cancel subscription')
  await scenario.settle()
  const period = bought.current_period_end?.toISOString()
  expect(await itemOf(person)).toMatchObject({ status: 'active', endsAt: period, currentPeriodEnd: period })
  expect(await positionsOf(person)).toMatchObject([{ stock: 'AAPL' }])
  await open(testApp, quotes, trader, 'MSFT', 5)
  expect(await audienceOfLast(trader)).toBe(1)

  await pass(32)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    ended_at: bought.current_period_end,
    end_reason: null,
  })
  expect(await positionsOf(person)).toEqual([])
  await open(testApp, quotes, trader, 'TSLA', 5)
  expect(await audienceOfLast(trader)).toBe(0)
  expect(await owedMails(scenario, person)).toEqual([
    expect.objectContaining({ kind: 'subscription_canceled' }),
    {
      kind: 'subscription_ended',
      cause: bought.stripe_subscription_id,
      facts: { trader: trader.username, why: 'canceled' },
    },
  ])
})

test('an end that was planned can be taken back in the portal', async () => {
  const { person, trader } = await makePair(scenario)
  const bought = await buy(scenario, person, trader)
  const manage = () => call(testApp, person, 'POST', `/v1/subscriptions/${bought.id}/manage`)
  await press(await visit(String((await manage()).body.url)), 'Cancel subscription')
  await scenario.settle()
  await press(await visit(String((await manage()).body.url)), 'Renew subscription')
  await scenario.settle()
  expect(await itemOf(person)).toMatchObject({ status: 'active', endsAt: null })
})

test('an end that Stripe sends by its flag alone is that of the period', async () => {
  const { person, trader } = await makePair(scenario)
  const { stripe_subscription_id: id } = await buy(scenario, person, trader)
  const there = await stripe.subscriptions.update(id ?? '', { cancel_at_period_end: true })
  const { cancelAt, currentPeriodEnd } = readSubscription({ ...there, cancel_at: null })
  expect(cancelAt).toEqual(new Date('2026-04-04T15:00:00.000Z'))
  expect(currentPeriodEnd).toEqual(cancelAt)
  expect(readSubscription({ ...there, cancel_at_period_end: false, cancel_at: null }).cancelAt).toBeNull()
})

test('a renewal that is not paid keeps access and asks by mail, once; paid, all is well again', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  const bought = await buy(scenario, person, trader)
  await sandbox.control('fail-next', { id: bought.stripe_subscription_id })
  await pass(32)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'past_due',
    past_due_since: bought.current_period_end,
    entitled_until_event: null,
  })
  const { latest_invoice: invoice } = await stripe.subscriptions.retrieve(bought.stripe_subscription_id ?? '')
  const mail = {
    kind: 'payment_problem',
    cause: `${invoice}:1`,
    facts: { trader: trader.username, amountCents: 1000, currency: 'usd', problem: 'declined' },
  }
  expect(await owedMails(scenario, person)).toEqual([mail])
  await pass(4)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    past_due_since: null,
  })
  expect(await owedMails(scenario, person)).toEqual([mail])
})

test('when every try has failed the subscription is over', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  const { id } = await subscribeAtStripe(scenario, person, trader)
  const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: person.customer })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  await pass(32)
  await scenario.settle()
  await pass(20)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'canceled' })
  const mails = await owedMails(scenario, person)
  expect(mails.at(-1)).toMatchObject({ kind: 'subscription_ended', facts: { why: 'unpaid' } })
  // Nobody may pay for what they do not get any more, in the portal or by the invoice's own page.
  const [owed] = (await stripe.invoices.list({ subscription: id, limit: 1 })).data
  expect(owed?.status).toBe('void')
  await expect(stripe.invoices.pay(owed?.id ?? '', { payment_method: 'pm_card_visa' })).rejects.toThrow()
  const here = await testApp.db
    .selectFrom('invoices')
    .select('status')
    .where('invoice_id', '=', owed?.id ?? '')
    .execute()
  expect(here).toEqual([{ status: 'void' }])
})

test('a card that wants a confirmation is distinguished from one that is declined', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  const { id } = await subscribeAtStripe(scenario, person, trader)
  const card = await stripe.paymentMethods.attach('pm_card_authenticationRequired', {
    customer: person.customer,
  })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  await pass(32)
  await scenario.settle()
  expect((await owedMails(scenario, person))[0]?.facts).toMatchObject({ problem: 'action_required' })
})

test('a second subscription of a pair ends at once and is paid back whole, whichever is reported first', {
  tags: ['SUB-18'],
}, async () => {
  for (const later of ['first', 'last'] as const) {
    const { person, trader } = await makePair(scenario)
    const older = await subscribeAtStripe(scenario, person, trader)
    if (later === 'last') await scenario.settle()
    testApp.clock.advance(2000)
    const newer = await subscribeAtStripe(scenario, person, trader)
    await scenario.settle()
    const rows = await testApp.db
      .selectFrom('subscriptions')
      .select(['stripe_subscription_id', 'status', 'end_reason'])
      .where('subscriber_id', '=', person.userId)
      .orderBy('started_at')
      .execute()
    expect(rows).toEqual([
      { stripe_subscription_id: older.id, status: 'active', end_reason: null },
      { stripe_subscription_id: newer.id, status: 'canceled', end_reason: 'double' },
    ])
    const invoices = await testApp.db
      .selectFrom('invoices')
      .select(['refunded_cents', 'reversed_cents', 'fee_refunded_cents'])
      .where('trader_id', '=', trader.userId)
      .orderBy('refunded_cents')
      .execute()
    expect(invoices).toEqual([
      { refunded_cents: 0, reversed_cents: 0, fee_refunded_cents: 0 },
      { refunded_cents: 1000, reversed_cents: 1000, fee_refunded_cents: 100 },
    ])
    for (const [who, to] of [
      [person, 'subscriber'],
      [trader, 'trader'],
    ] as const)
      expect(await owedMails(scenario, who)).toEqual([
        {
          kind: 'double_payment_returned',
          cause: newer.id,
          facts: { trader: trader.username, amountCents: 1000, currency: 'usd', to },
        },
      ])
  }
})

test('a subscription to oneself that came to be at Stripe is ended and paid back, and the operator mailed', async () => {
  const trader = await makePaidTrader(scenario)
  const { body } = await call(testApp, trader, 'POST', '/v1/accounts/customer')
  expect(body).toEqual({ configured: true })
  const { stripe_customer_id: customer } = await testApp.db
    .selectFrom('customers')
    .select('stripe_customer_id')
    .where('user_id', '=', trader.userId)
    .executeTakeFirstOrThrow()
  await takeAlerts(scenario)
  const { id } = await subscribeAtStripe(scenario, { ...trader, customer: customer ?? '' }, trader)
  await scenario.settle()
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' })
  const [charge] = (await stripe.charges.list({ customer: customer ?? '' })).data
  expect(charge).toMatchObject({ refunded: true })
  expect(await takeAlerts(scenario)).toEqual(['Tradepost: payments: a subscription to oneself was ended'])
})

test.each([
  ['without our mark', { app: '' }, 0],
  ['of another deployment', { env: 'elsewhere' }, 0],
  ["that another person's card pays", { subscriber_id: '019a0000-0000-7000-8000-000000000000' }, 1],
  ['of a trader whom nobody knows', { trader_id: '019a0000-0000-7000-8000-000000000000' }, 1],
  ['whose metadata are broken', { trader_id: 'nobody' }, 1],
] as const)('a subscription %s changes nothing here', async (_title, metadata, alerts) => {
  const { person, trader } = await makePair(scenario)
  await takeAlerts(scenario)
  const tables = ['subscriptions', 'invoices', 'checkout_sessions', 'customers']
  const read = async () =>
    Object.entries(await readTables(testApp)).filter(([name]) => tables.includes(name.split('.')[1] ?? ''))
  const before = await read()
  const own = { app: 'tradepost', env: 'local', subscriber_id: person.userId, trader_id: trader.userId }
  const { id } = await subscribeAtStripe(scenario, person, trader, { metadata: { ...own, ...metadata } })
  await scenario.settle()
  expect(await read()).toEqual(before)
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
  expect(await takeAlerts(scenario)).toHaveLength(alerts)
})

test('a first payment that never came leaves a subscription that never began', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  await subscribeAtStripe(scenario, person, trader, { payment_behavior: 'default_incomplete' })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'incomplete',
    entitled_from_event: null,
  })
  await pass(1)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'canceled' })
  expect(await owedMails(scenario, person)).toEqual([])
})

test('when Stripe deletes a customer, the subscriptions end here too', async () => {
  const { person, trader } = await makePair(scenario)
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  await stripe.customers.del(person.customer)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'canceled' })
  expect((await call(testApp, person, 'GET', '/v1/accounts/customer')).body).toEqual({ configured: false })
})

test('a subscription that was not bought here is never touched, and a person who has it pays for no second one', async () => {
  const { person, trader } = await makePair(scenario)
  const id = await subscribe(testApp, person, trader)
  await testApp.pool.query('update subscriptions set stripe_subscription_id = null where id = $1', [id])
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  const rows = await testApp.db
    .selectFrom('subscriptions')
    .select(['id', 'status', 'end_reason'])
    .where('subscriber_id', '=', person.userId)
    .orderBy('end_reason', 'desc')
    .execute()
  expect(rows.toSorted((one) => (one.id === id ? -1 : 1))).toMatchObject([
    { id, status: 'active', end_reason: null },
    { status: 'canceled', end_reason: 'double' },
  ])
})
