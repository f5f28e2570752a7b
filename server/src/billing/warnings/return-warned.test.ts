import { afterAll, beforeEach, expect, test } from 'vitest'
import { buy, owedMails, takeAlerts } from '../../../test/money/billing-scenario.ts'
import { makeTrial } from '../../../test/money/empty-month-acts.ts'
import { bothOnce, ENDED, startWarningScenario } from '../../../test/money/warning-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'

const scenario = await startWarningScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { back, debtsOf, hasAccess, mailsOfWarnings, makeMonth, money, pass, sandbox, standsAs } = scenario
const { stripe, subscriptionOf, testApp, warn, warned } = scenario
const { clock, pool } = testApp

/** A month of 31 days, and one of 30 after it. */
function toFirstOfMarch(): void {
  const now = clock.now()
  clock.set(new Date(Date.UTC(now.getUTCFullYear() + 1, 2, 1)))
}

/** Subscriptions of tests before ask for no more money. */
beforeEach(async () => {
  await scenario.endAll()
  await takeAlerts(scenario)
})

test('a payment that its card network warns of comes back whole, and its subscription ends at once', async () => {
  const made = await makeMonth()
  expect([await money(made), await hasAccess(made.person, made.trader)]).toEqual([[0, 900], true])
  clock.advance(5000)
  await warned(made)
  expect(await money(made)).toEqual([1000, 0])
  expect(await standsAs(made)).toEqual(ENDED)
  expect(await hasAccess(made.person, made.trader)).toBe(false)
  expect((await stripe.subscriptions.retrieve(await subscriptionOf(made))).status).toBe('canceled')
  expect(await debtsOf(made.trader)).toEqual([
    ['end fraud_warning', 'settled', null],
    ['void ended', 'settled', null],
    ['refund fraud_warning', 'settled', 1000],
  ])
  const cents = { amountCents: 1000, shareCents: 900, currency: 'usd' }
  const of = { trader: made.trader.username, ...cents, ended: true, more: false }
  const paidAt = new Date(clock.now().getTime() - 5000).toISOString()
  const [toPerson, toTrader] = [
    await owedMails(scenario, made.person),
    await owedMails(scenario, made.trader),
  ]
  expect(toPerson.map(({ facts, kind }) => [kind, facts])).toEqual([
    ['payment_warned', { ...of, paidAt, to: 'subscriber' }],
  ])
  expect(toTrader.map(({ facts, kind }) => [kind, facts])).toEqual([
    ['payment_warned', { ...of, paidAt, to: 'trader' }],
  ])
  expect(await takeAlerts(scenario)).toEqual([])
})

test('whoever was warned of may subscribe again with the same card at once', async () => {
  const made = await makeMonth()
  await warned(made)
  await buy(scenario, made.person, made.trader)
  expect(await standsAs(made)).toEqual(['active', null])
  expect(await money(made)).toEqual([1000, 900])
})

test('the first charge after free days comes back', async () => {
  const made = await makeTrial(scenario)
  await pass(7.1)
  expect(await money(made)).toEqual([0, 1125])
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([[1250, 0], ENDED])
  expect(await mailsOfWarnings(made)).toEqual(bothOnce(1250))
})

test('a renewal comes back, the months before stay paid, and no later one is charged', async () => {
  const made = await makeMonth()
  await pass(31.1)
  expect(await money(made)).toEqual([0, 1800])
  await warned(made)
  await pass(31.1)
  expect([await money(made), await standsAs(made)]).toEqual([[1000, 900], ENDED])
  expect(await scenario.charges(made)).toHaveLength(2)
  expect(await mailsOfWarnings(made)).toEqual(bothOnce(1000))
})

test('a renewal that is a draft when the warning comes is not charged', async () => {
  const made = await makeMonth()
  await pass(31.01)
  expect(await scenario.charges(made)).toHaveLength(1)
  await warned(made)
  await pass(1)
  expect(await scenario.charges(made)).toHaveLength(1)
  expect([await money(made), await standsAs(made)]).toEqual([[1000, 0], ENDED])
})

test('of an earlier payment that is warned of, the unused days of the running month come back, too', async () => {
  toFirstOfMarch()
  const made = await makeMonth()
  await pass(31)
  await pass(10)
  await warned(made, 0)
  // $10 of March, and 20 of 30 days of April, rounded up; the fee goes back alike.
  const debts = await debtsOf(made.trader)
  expect(debts.slice(2)).toEqual([
    ['refund fraud_warning', 'settled', 1000],
    ['refund fraud_warning_rest', 'settled', 667],
  ])
  expect(await money(made)).toEqual([1667, 300])
  const [mail] = await owedMails(scenario, made.person)
  expect(mail?.facts).toMatchObject({ amountCents: 1000, more: true })
  await warned(made, 1)
  expect(await money(made)).toEqual([2000, 0])
  expect(await mailsOfWarnings(made)).toEqual([
    ['subscriber', 1000],
    ['subscriber', 333],
    ['trader', 1000],
    ['trader', 333],
  ])
})

test('a year comes back whole', async () => {
  const made = await scenario.makeYear()
  await pass(40)
  expect(await money(made)).toEqual([0, 11_250])
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([[12_500, 0], ENDED])
  expect(await mailsOfWarnings(made)).toEqual(bothOnce(12_500))
})

test('the payment of a subscription that had ended comes back, and the mail says so', async () => {
  const made = await makeMonth()
  await stripe.subscriptions.cancel(await subscriptionOf(made))
  await pass(2)
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([
    [1000, 0],
    ['canceled', null],
  ])
  const mails = await owedMails(scenario, made.person)
  expect(mails.map(({ kind }) => kind)).toEqual(['subscription_ended', 'payment_warned'])
  expect(mails[1]?.facts).toMatchObject({ ended: false, more: false })
})

test('what a withdrawal has not returned comes back, also where both are still owed', async () => {
  toFirstOfMarch()
  const [settled, owed] = [await makeMonth(), await makeMonth()]
  for (const made of [settled, owed]) await scenario.speak(made.trader)
  await pass(10)
  await scenario.withdraws(settled)
  await scenario.settle()
  // 21 of 31 days, rounded up.
  expect(await back(settled.person)).toBe(678)
  await scenario.withdraws(owed)
  const { rows } = await pool.query('update debts set due_at = $2 where trader_id = $1 returning id', [
    owed.trader.userId,
    new Date(clock.now().getTime() + 60_000),
  ])
  expect(rows).toHaveLength(3)
  for (const made of [settled, owed]) await warned(made)
  clock.advance(61_000)
  await scenario.settle()
  for (const made of [settled, owed]) {
    expect([await money(made), await standsAs(made)]).toEqual([
      [1000, 0],
      ['canceled', 'withdrawn'],
    ])
    expect(await mailsOfWarnings(made)).toEqual(bothOnce(322))
  }
})

test('where the operator gives up the refund of a withdrawal, that of the warning returns all that is left', async () => {
  toFirstOfMarch()
  const made = await makeMonth()
  await scenario.speak(made.trader)
  await pass(10)
  await scenario.withdraws(made)
  await pool.query('update debts set due_at = $2 where trader_id = $1', [
    made.trader.userId,
    new Date(clock.now().getTime() + 60_000),
  ])
  await scenario.refuseRefunds()
  await warn(made)
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  const { rows } = await pool.query<{ id: string }>(
    "select id from debts where trader_id = $1 and kind = 'refund' and cause = 'withdrawn'",
    [made.trader.userId],
  )
  await runOperator(testApp, 'debts', 'drop', rows[0]?.id ?? '', 'The warning returns it.')
  await sandbox.control('calm')
  clock.advance(6 * 3_600_000)
  await scenario.settle()
  expect(await money(made)).toEqual([1000, 0])
})

test('what was returned in part before is not returned again', async () => {
  const made = await makeMonth()
  const [charge = ''] = await scenario.charges(made)
  await stripe.refunds.create({ charge, amount: 400, reverse_transfer: true, refund_application_fee: true })
  await scenario.settle()
  await warned(made)
  expect([await money(made), await mailsOfWarnings(made)]).toEqual([[1000, 0], bothOnce(600)])
})

test('a payment that came back whole ends nothing when it is warned of', async () => {
  const made = await makeMonth()
  const [charge = ''] = await scenario.charges(made)
  await stripe.refunds.create({ charge, reverse_transfer: true, refund_application_fee: true })
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([
    [1000, 0],
    ['active', null],
  ])
  expect([await mailsOfWarnings(made), await scenario.warnedAt(made)]).toEqual([[], [expect.any(Date)]])
})
