import { afterAll, beforeEach, expect, test } from 'vitest'
import { TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { call, makeTrader, moveSubscription, subscribe } from '../../../test/factories.ts'
import { addFollowers, makeCrowdTrader } from '../../../test/followers.ts'
import {
  buy,
  makeCustomer,
  makePaidTrader,
  makePair,
  pay,
  startBillingScenario,
} from '../../../test/money/billing-scenario.ts'
import { makeDraw } from '../../../test/prices/trader-population.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'

const HOUR_MS = 3_600_000
const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())
beforeEach(() => testApp.clock.set(TEST_NOW))

type Months = { month: string; gained: number; lost: number }[]
const desk = (who: SignedIn) => look<{ followers: number; months: Months; income: object[] }>(who, '')
const payouts = (who: SignedIn) => look<Record<string, unknown>>(who, '/payouts')

/** As somebody who has just signed in: months pass here, and a session ends sooner. */
async function look<T>(who: SignedIn, path: string): Promise<T> {
  const now = testApp.clock.now()
  const session = testApp.db.updateTable('sessions').where('id', '=', who.sessionId)
  await session.set({ created_at: now, refreshed_at: now }).execute()
  const { body, status } = await call(testApp, who, 'GET', `/v1/accounts/desk${path}`)
  expect(status).toBe(200)
  return body as T
}
/** Months in which something happened. */
const moved = (months: Months) => months.filter(({ gained, lost }) => gained + lost > 0)
const at = (instant: string) => testApp.clock.set(new Date(instant))

test('followers are counted by month in UTC as access begins and ends, for the trader alone', {
  tags: ['API-30'],
}, async () => {
  at('2026-01-31T23:59:59.999Z')
  const trader = await makeTrader(testApp)
  const [one, other, third] = [await signIn(testApp), await signIn(testApp), await signIn(testApp)]
  const first = await subscribe(testApp, one, trader)
  const unpaid = await subscribe(testApp, other, trader, 'incomplete')
  at('2026-02-01T00:00:00.000Z')
  await moveSubscription(testApp, trader, unpaid, 'active')
  await moveSubscription(testApp, trader, unpaid, 'past_due')
  await moveSubscription(testApp, trader, unpaid, 'unpaid')
  at('2026-03-04T15:00:00.000Z')
  await moveSubscription(testApp, trader, unpaid, 'canceled')
  await moveSubscription(testApp, trader, first, 'canceled')
  await subscribe(testApp, one, trader)
  await subscribe(testApp, third, trader, 'canceled')

  const { followers, income, months } = await desk(trader)
  expect(months.map(({ month }) => month)).toEqual([
    ...['2026-03', '2026-02', '2026-01', '2025-12', '2025-11', '2025-10'],
    ...['2025-09', '2025-08', '2025-07', '2025-06', '2025-05', '2025-04'],
  ])
  expect(moved(months)).toEqual([
    { month: '2026-03', gained: 1, lost: 1 },
    { month: '2026-02', gained: 1, lost: 1 },
    { month: '2026-01', gained: 1, lost: 0 },
  ])
  expect([followers, income]).toEqual([1, []])
  const stranger = await desk(one)
  expect([stranger.followers, moved(stranger.months), stranger.income]).toEqual([0, [], []])
})

test('income is the payments less the fee, in the month of each, and refunds are taken off', {
  tags: ['ACC-17'],
}, async () => {
  at('2026-02-10T12:00:00.000Z')
  const { trader, person } = await makePair(scenario)
  const other = await makeCustomer(scenario)
  const bought = await buy(scenario, person, trader)
  await buy(scenario, other, trader)
  const usd = { currency: 'usd' }
  expect((await desk(trader)).income).toEqual([
    { ...usd, thisMonthCents: 1800, lastMonthCents: 0, allCents: 1800 },
  ])
  const [charge] = (await stripe.charges.list({ customer: person.customer })).data
  await stripe.refunds.create({
    charge: charge?.id ?? '',
    amount: 400,
    reverse_transfer: true,
    refund_application_fee: true,
  })
  await scenario.settle()
  expect((await desk(trader)).income).toEqual([
    { ...usd, thisMonthCents: 1440, lastMonthCents: 0, allCents: 1440 },
  ])

  // The next month: one renews, the other ends.
  await stripe.subscriptions.cancel(bought.stripe_subscription_id ?? '')
  at('2026-03-10T14:00:00.000Z')
  await sandbox.control('advance', { seconds: 1 })
  await scenario.settle()
  const { followers, income, months } = await desk(trader)
  expect(income).toEqual([{ ...usd, thisMonthCents: 900, lastMonthCents: 1440, allCents: 2340 }])
  expect([followers, moved(months)]).toEqual([
    1,
    [
      { month: '2026-03', gained: 0, lost: 1 },
      { month: '2026-02', gained: 2, lost: 0 },
    ],
  ])
  const { balance, coming } = await payouts(trader)
  expect([balance, coming]).toEqual([[{ ...usd, availableCents: 0, pendingCents: 900 }], []])
})

test('a payment counts in the month in which it was made, not in that of its invoice', async () => {
  at('2026-01-26T12:00:00.000Z')
  const { trader, person } = await makePair(scenario)
  const bought = await buy(scenario, person, trader)
  // The renewal fails, and its next try, three days later, is of March.
  await sandbox.control('fail-next', { id: bought.stripe_subscription_id })
  at('2026-02-26T14:00:00.000Z')
  await sandbox.control('advance', { seconds: 1 })
  await scenario.settle()
  expect((await desk(trader)).income).toMatchObject([{ thisMonthCents: 0, allCents: 900 }])
  at('2026-03-01T14:00:00.000Z')
  await sandbox.control('advance', { seconds: 1 })
  await scenario.settle()
  expect((await desk(trader)).income).toEqual([
    { currency: 'usd', thisMonthCents: 900, lastMonthCents: 0, allCents: 1800 },
  ])
})

test('while Stripe is away the desk is answered all the same', async () => {
  const { trader, person } = await makePair(scenario)
  await buy(scenario, person, trader)
  await sandbox.control('fault', { kind: 'error', times: 4 })
  expect((await payouts(trader)).state).toBe('unreadable')
  expect(await desk(trader)).toMatchObject({ followers: 1, income: [{ allCents: 900 }] })
  await sandbox.control('calm')
})

test('after any history those who came less those who left are those who follow', async () => {
  const draw = makeDraw(11)
  const trader = await makePaidTrader(scenario)
  const people = await Promise.all(Array.from({ length: 4 }, () => signIn(testApp)))
  const live = new Map<SignedIn, string>()
  const statuses = ['incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled'] as const
  for (let step = 0; step < 150; step += 1) {
    testApp.clock.advance(draw.uniform() * 200 * HOUR_MS)
    const person = people[Math.floor(draw.uniform() * people.length)] ?? trader
    const status = statuses[Math.floor(draw.uniform() * statuses.length)] ?? 'active'
    const id = live.get(person)
    if (id) await moveSubscription(testApp, trader, id, status)
    else live.set(person, await subscribe(testApp, person, trader, status))
    if (status === 'canceled') live.delete(person)
    const { rows } = await testApp.pool.query(
      `select (select coalesce(sum(gained - lost), 0) from trader_follower_months where trader_id = $1)::int as left,
         (select count(*) from subscriptions where trader_id = $1 and status in ('trialing', 'active', 'past_due'))::int as live`,
      [trader.userId],
    )
    expect(rows[0]?.left).toBe(rows[0]?.live)
  }
  const { followers, months } = await desk(trader)
  const { rows } = await testApp.pool.query(
    `select sum(gained - lost)::int as earlier from trader_follower_months where trader_id = $1 and month < $2`,
    [trader.userId, `${months.at(-1)?.month}-01`],
  )
  expect(months.reduce((sum, { gained, lost }) => sum + gained - lost, rows[0]?.earlier)).toBe(followers)
})

test('every row that is written counts in its month, whichever statement writes it', async () => {
  await using database = await openTestDatabase()
  const { pool } = database
  const maria = await makeCrowdTrader(pool, 'maria', new Date('2025-12-31T12:00:00.000Z'))
  await addFollowers(pool, maria, 3, new Date('2025-12-31T23:00:00.000Z'))
  await pool.query(
    `update subscriptions set status = 'canceled', entitled_until_event = 0, synced_at = '2026-02-03 10:00Z' where mail_no = 2`,
  )
  const pay = (id: string, currency: string, transferred: number, fee: number) =>
    pool.query(
      `insert into invoices (trader_id, invoice_id, subscription_id, status, amount_due_cents, amount_paid_cents,
         transferred_cents, fee_cents, currency, created_at, synced_at)
       select trader_id, $1, id, 'paid', $3, $3, $3, $4, $2, '2026-01-05 10:00Z', '2026-01-05 10:00Z'
       from subscriptions where mail_no = 1`,
      [id, currency, transferred, fee],
    )
  await pay('in_1', 'usd', 1000, 100)
  await pay('in_2', 'eur', 490, 49)
  await pay('in_3', 'usd', 1000, 100)
  await pool.query(
    `update invoices set reversed_cents = 1000, fee_refunded_cents = 100 where invoice_id = 'in_1'`,
  )
  const jonas = await makeCrowdTrader(pool, 'jonas', new Date('2026-02-04T00:00:00.000Z'))
  await addFollowers(pool, jonas, 500, new Date('2026-02-04T00:00:00.000Z'))

  const months = await pool.query(
    `select to_char(month, 'YYYY-MM') as month, gained, lost from trader_follower_months order by 1, 2`,
  )
  expect(months.rows).toEqual([
    { month: '2025-12', gained: 3, lost: 0 },
    { month: '2026-02', gained: 0, lost: 1 },
    { month: '2026-02', gained: 500, lost: 0 },
  ])
  const income = await pool.query(
    `select to_char(month, 'YYYY-MM') as month, currency, cents::int from trader_income_months order by 2`,
  )
  expect(income.rows).toEqual([
    { month: '2026-01', currency: 'eur', cents: 441 },
    { month: '2026-01', currency: 'usd', cents: 900 },
  ])
})

test('followers are counted by price, and what a month brings from now on is theirs who renew, less the fee', async () => {
  const { person, trader } = await makePair(scenario)
  const set = (monthly: string, yearly: string | null) =>
    call(testApp, trader, 'POST', '/v1/accounts/prices', { monthly, yearly, currency: 'usd' })
  const figures = async () => {
    const { ahead, prices } = (await call(testApp, trader, 'GET', '/v1/accounts/desk')).body
    return { ahead, prices }
  }
  expect(await figures()).toEqual({ ahead: [], prices: [] })
  await buy(scenario, person, trader)
  await set('12.50', '99.99')
  const ending = await makeCustomer(scenario)
  const { stripe_subscription_id: id } = await buy(scenario, ending, trader)
  await stripe.subscriptions.update(id ?? '', { cancel_at_period_end: true })
  await buy(scenario, await makeCustomer(scenario), trader)
  const yearly = await makeCustomer(scenario)
  const wanted = { username: trader.username, interval: 'year' }
  await pay(String((await call(testApp, yearly, 'POST', '/v1/subscriptions/new', wanted)).body.url))
  await scenario.settle()
  // $9.00, $11.25, and of $89.99 a twelfth, $7.50.
  expect(await figures()).toEqual({
    ahead: [{ currency: 'usd', cents: 2775 }],
    prices: [
      { priceCents: 1250, currency: 'usd', interval: 'month', followers: 2, ending: 1 },
      { priceCents: 9999, currency: 'usd', interval: 'year', followers: 1, ending: 0 },
      { priceCents: 1000, currency: 'usd', interval: 'month', followers: 1, ending: 0 },
    ],
  })
})
