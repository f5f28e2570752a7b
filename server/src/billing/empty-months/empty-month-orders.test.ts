import assert from 'node:assert/strict'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startEmptyMonthScenario } from '../../../test/money/empty-month-scenario.ts'
import { startCrashingProcess } from '../../../test/processes/crashing-process.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { lookAtSubscription } from '../subscriptions/subscriptions.jobs.ts'
import { catchUpEvents } from '../webhooks/webhooks.jobs.ts'
import { judgeEmptyMonths } from './judge-months.ts'

const scenario = await startEmptyMonthScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const {
  back,
  checkCents,
  has,
  judge,
  makeMonth,
  makeYear,
  owed,
  pass,
  row,
  sandbox,
  speak,
  stripe,
  told,
  testApp,
} = scenario
const { clock, db, pool } = testApp

const DAY_MS = 86_400_000
type Made = Awaited<ReturnType<typeof makeMonth>>
const subscriptionOf = async ({ person, trader }: Made) =>
  (await row(person, trader)).stripe_subscription_id ?? assert.fail()

/** A month that ends with itself, so that later ones of the file are not charged for it. */
async function makeLastMonth(): Promise<Made> {
  const made = await makeMonth()
  await stripe.subscriptions.update(await subscriptionOf(made), { cancel_at_period_end: true })
  await scenario.settle()
  return made
}

const owes = (state: string, cents: number | null) => [
  { cause: expect.stringMatching(/^empty_\d{4}-\d\d-\d\d$/), state, amount_cents: cents },
]

test('a refund that Stripe refuses at the end of the month is made once it is taken, and told once', async () => {
  const { person, trader } = await makeLastMonth()
  await pass(31.1)
  await sandbox.control('fault', {
    kind: 'refuse',
    status: 402,
    method: 'POST',
    path: '/v1/refunds',
    times: 100,
  })
  await judgeEmptyMonths(db, { returnEmptyMonths: true }).run(clock.now())
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  expect(await owed(trader)).toEqual(owes('open', null))
  expect(await told(person)).toEqual([])
  await sandbox.control('calm')
  clock.advance(6 * 3_600_000)
  await scenario.settle()
  expect(await owed(trader)).toEqual(owes('settled', 1000))
  expect([await back(person), await has(trader)]).toEqual([1000, 0])
  expect(await told(person)).toHaveLength(1)
})

test('what came back while the refund was refused is not returned a second time', async () => {
  const { person, trader } = await makeLastMonth()
  await pass(31.1)
  await sandbox.control('fault', {
    kind: 'refuse',
    status: 402,
    method: 'POST',
    path: '/v1/refunds',
    times: 100,
  })
  await judgeEmptyMonths(db, { returnEmptyMonths: true }).run(clock.now())
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  await sandbox.control('calm')
  const [charge] = (await stripe.charges.list({ customer: person.customer })).data
  const part = { amount: 600, reverse_transfer: true, refund_application_fee: true }
  await stripe.refunds.create({ charge: charge?.id ?? '', ...part })
  clock.advance(6 * 3_600_000)
  await scenario.settle()
  expect(await owed(trader)).toEqual(owes('settled', 400))
  expect([await back(person), await has(trader)]).toEqual([1000, 0])
})

test('a debt that the operator gives up comes back by nothing', async () => {
  const { person, trader } = await makeLastMonth()
  await pass(31.1)
  await judgeEmptyMonths(db, { returnEmptyMonths: true }).run(clock.now())
  const { rows } = await pool.query<{ id: string }>(
    "select id from debts where kind = 'empty_month' and trader_id = $1",
    [trader.userId],
  )
  expect(await runOperator(testApp, 'debts')).toContain('empty_month')
  await runOperator(testApp, 'debts', 'drop', rows[0]?.id ?? '', 'Paid by hand.')
  await judge()
  await pass(3)
  await judge()
  expect(await owed(trader)).toEqual(owes('dropped', null))
  expect(await back(person)).toBe(0)
  expect(await told(person)).toEqual([])
})

test('workers that were away for six weeks return both months that passed, once each', async () => {
  const { person, trader } = await makeMonth()
  clock.advance(32 * DAY_MS)
  await sandbox.control('advance', { seconds: 0 })
  clock.advance(31 * DAY_MS)
  await pass(0)
  for (let nth = 0; nth < 2; nth += 1) await judge()
  expect((await owed(trader)).map(({ amount_cents: cents }) => cents)).toEqual([1000, 1000])
  expect(await back(person)).toBe(2000)
  expect(await told(person)).toHaveLength(2)
  await stripe.subscriptions.cancel(await subscriptionOf({ person, trader }))
  await scenario.settle()
})

test('several workers at once owe and return a month once', async () => {
  const { person, trader } = await makeLastMonth()
  await pass(31.1)
  const sweep = judgeEmptyMonths(db, { returnEmptyMonths: true })
  await Promise.all(Array.from({ length: 8 }, () => sweep.run(clock.now())))
  await Promise.all([scenario.settle(), scenario.settle()])
  expect(await owed(trader)).toEqual(owes('settled', 1000))
  expect(await back(person)).toBe(1000)
})

test('a payment that is heard of only after its month is judged then', async () => {
  const { person, trader } = await makeMonth()
  await sandbox.control('chaos', { seed: 1, drop: 1 })
  clock.advance(20 * DAY_MS)
  await speak(trader)
  clock.advance(45 * DAY_MS)
  await sandbox.control('advance', { seconds: 0 })
  // The second month is over too, and nobody here has heard that it was paid.
  await judgeEmptyMonths(db, { returnEmptyMonths: true }).run(clock.now())
  expect(await owed(trader)).toEqual([])
  await sandbox.control('calm')
  await scenario.runScheduled(catchUpEvents)
  await scenario.settle()
  await judge()
  await judge()
  expect(await owed(trader)).toEqual(owes('settled', 1000))
  expect(await back(person)).toBe(1000)
  await stripe.subscriptions.cancel(await subscriptionOf({ person, trader }))
  await scenario.settle()
})

test('switched on again, months count that begin from then on; switched off, what is owed stays owed', async () => {
  const before = await makeLastMonth()
  await pass(10)
  await judge({ on: false })
  await pass(0.5)
  await judge()
  const later = await makeLastMonth()
  await pass(21)
  await judge()
  expect(await owed(before.trader)).toEqual([])
  await pass(10.2)
  await judgeEmptyMonths(db, { returnEmptyMonths: true }).run(clock.now())
  await judge({ on: false })
  expect(await owed(later.trader)).toEqual(owes('settled', 1000))
  expect(await back(before.person)).toBe(0)
  await judge()
  expect(await owed(before.trader)).toEqual([])
})

test('while it is off nothing is judged and nobody is told', async () => {
  await judge({ on: false })
  const { person, trader } = await makeLastMonth()
  await pass(31.1)
  await judge({ on: false })
  expect(await owed(trader)).toEqual([])
  expect(await told(person)).toEqual([])
  await judge()
  expect(await owed(trader)).toEqual([])
})

test('whenever the process dies while a month is returned, it comes back once', async () => {
  for (let at = 0; ; at += 1) {
    const made = await makeLastMonth()
    await pass(31.1)
    await judgeEmptyMonths(db, { returnEmptyMonths: true }).run(clock.now())
    const crashing = await startCrashingProcess(scenario)
    onTestFinished(() => crashing[Symbol.asyncDispose]())
    const subscriptionId = await subscriptionOf(made)
    const lived = await crashing.dieAfter(at, 'changes', () =>
      crashing.runJob(lookAtSubscription.name, { subscriptionId }),
    )
    await pass(0.1)
    await judge()
    expect(await owed(made.trader)).toEqual(owes('settled', 1000))
    expect([await back(made.person), await has(made.trader)]).toEqual([1000, 0])
    expect(await told(made.person)).toHaveLength(1)
    if (!lived) continue
    // The refund is the one change.
    expect(at).toBe(1)
    return
  }
})

test('twelve empty months of a year come back to the cent, and the trader’s account closed between returns the rest', async () => {
  const [whole, left] = [await makeYear(), await makeYear()]
  for (let month = 0; month < 2; month += 1) {
    await pass(30.5)
    await judge()
  }
  await pass(9)
  // Two months and some days of $125 are used, of which one month has come back.
  await sandbox.control('close', { id: left.trader.account })
  await scenario.settle()
  for (let month = 0; month < 10; month += 1) {
    await pass(31)
    await judge()
  }
  await stripe.subscriptions.cancel(await subscriptionOf(whole))
  await scenario.settle()
  expect([await back(whole.person), await has(whole.trader)]).toEqual([12_500, 11_250])
  expect((await owed(whole.trader)).map(({ amount_cents: cents }) => cents)).toEqual([
    ...Array.from({ length: 11 }, () => 1041),
    1049,
  ])
  expect([await back(left.person), await has(left.trader)]).toEqual([12_500, 0])
  expect(await told(left.person)).toHaveLength(3)
})

test('not a cent is missing behind all of it', () => checkCents())
