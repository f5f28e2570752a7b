import { afterAll, expect, test } from 'vitest'
import { call, type Trader } from '../../../test/factories.ts'
import {
  findSubscription,
  makePairWithClock,
  owedMails,
  pay,
  startBillingScenario,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'
import { lookAtLostPayouts } from './subscriptions.jobs.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
const BEGAN = testApp.clock.now()
afterAll(() => scenario[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const balanceOf = (account: string) => moneyOf(stripe, account)
const invoicesOf = (traderId: string) =>
  testApp.db
    .selectFrom('invoices')
    .select(['amount_paid_cents', 'refunded_cents', 'period_start', 'period_end'])
    .where('trader_id', '=', traderId)
    .orderBy('period_start')
    .execute()

async function payYear(person: SignedIn, trader: Trader): Promise<void> {
  const body = { username: trader.username, interval: 'year', priceCents: 12_500 }
  const { body: answer } = await call(testApp, person, 'POST', '/v1/subscriptions/new', body)
  await pay(String(answer.url))
  await scenario.settle()
}

/** A pair of whom one has paid the other for a year: $125, of which 10 % is the platform's. @param since UTC */
async function makeYearly(since: Date) {
  testApp.clock.set(since)
  const made = await makePairWithClock(scenario)
  const prices = { monthly: '12.50', yearly: '', currency: 'usd' }
  expect((await call(testApp, made.trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
  await payYear(made.person, made.trader)
  expect(await balanceOf(made.trader.account)).toBe(11_250)
  return made
}

/** 364, 335 and 1 of 365 days of $125, each rounded up to the cent; of the year with a 29th of February 365, 336 and 1 of 366. */
test.each([
  ['2026-03-04T15:00:00Z', 1, 12_466, 31],
  ['2026-03-04T15:00:00Z', 30, 11_473, 924],
  ['2026-03-04T15:00:00Z', 364, 35, 11_219],
  ['2028-02-01T00:00:00Z', 1, 12_466, 31],
  ['2028-02-01T00:00:00Z', 30, 11_476, 922],
  ['2028-02-01T00:00:00Z', 365, 35, 11_219],
  ['2028-02-29T12:00:00Z', 364, 35, 11_219],
])(
  'of a year that began at %s the unused part goes back after %i days: %i cents',
  async (since, days, cents, left) => {
    const { pass, person, trader } = await makeYearly(new Date(since))
    await pass(days)
    await sandbox.control('close', { id: trader.account })
    await scenario.settle()
    expect(await findSubscription(scenario, person, trader)).toMatchObject({
      status: 'canceled',
      end_reason: 'trader_unavailable',
    })
    expect(await invoicesOf(trader.userId)).toMatchObject([
      { amount_paid_cents: 12_500, refunded_cents: cents },
    ])
    expect(await balanceOf(trader.account)).toBe(left)
    expect(await owedMails(scenario, person)).toMatchObject([
      { kind: 'trader_unavailable', facts: { amountCents: cents, currency: 'usd' } },
    ])
  },
)

test('a year is charged once a year, on the day of the first payment, also after a 29th of February', async () => {
  const { pass, trader } = await makeYearly(new Date('2028-02-29T12:00:00Z'))
  // A renewal is charged an hour after its draft.
  for (const days of [364, 1, 365, 1]) {
    await pass(days)
    await scenario.settle()
  }
  const day = (at: Date | null) => at?.toISOString().slice(0, 10)
  const periods = (await invoicesOf(trader.userId)).map(
    ({ amount_paid_cents: cents, period_end, period_start }) =>
      `${day(period_start)} ${day(period_end)} ${cents}`,
  )
  expect(periods).toEqual([
    '2028-02-29 2029-02-28 12500',
    '2029-02-28 2030-02-28 12500',
    '2030-02-28 2031-02-28 12500',
  ])
  expect(await balanceOf(trader.account)).toBe(33_750)
})

test('a pause within a year costs nobody anything; one over a renewal leaves that year unpaid', async () => {
  const { pass, person, trader } = await makeYearly(BEGAN)
  await pass(100)
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  await pass(20)
  await sandbox.control('restore', { id: trader.account })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ paused_since: null })
  expect(await balanceOf(trader.account)).toBe(11_250)
  await pass(240)
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  await pass(10)
  await scenario.settle()
  const { data } = await stripe.invoices.list({ customer: person.customer })
  expect(data.map(({ amount_due, status }) => `${amount_due} ${status}`)).toEqual([
    '12500 void',
    '12500 paid',
  ])
  expect(await balanceOf(trader.account)).toBe(11_250)
})

test('thirty days after payouts were lost the rest of the year goes back', async () => {
  const { pass, person, trader } = await makeYearly(BEGAN)
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  await pass(10)
  testApp.clock.set(new Date(BEGAN.getTime() + 30 * DAY_MS))
  await scenario.runScheduled(lookAtLostPayouts)
  await scenario.settle()
  testApp.clock.set(BEGAN)
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    end_reason: 'trader_unavailable',
  })
  // 355 of 365 days: 12157.5
  expect(await invoicesOf(trader.userId)).toMatchObject([{ refunded_cents: 12_158 }])
})

test('a year that is disputed ends, and the trader gives it back', async () => {
  const { person, trader } = await makeYearly(BEGAN)
  const [charge] = (await stripe.charges.list({ customer: person.customer })).data
  await sandbox.control('dispute', { id: charge?.id ?? '' })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'dispute',
  })
  expect(await balanceOf(trader.account)).toBe(0)
})

test('of a month and a year that were both paid the newer goes back whole', async () => {
  const { pass, person, trader } = await makeYearly(BEGAN)
  await pass(1)
  const by = { customer: person.customer, status: 'active' } as const
  const [year] = (await stripe.subscriptions.list(by)).data
  const month = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  expect(await stripe.subscriptions.retrieve(month.id)).toMatchObject({ status: 'canceled' })
  expect((await stripe.subscriptions.list(by)).data.map(({ id }) => id)).toEqual([year?.id])
  expect(await balanceOf(trader.account)).toBe(11_250)
})
