import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { subscribeAtStripe, takeAlerts } from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { bothOnce, ENDED, startWarningScenario } from '../../../test/money/warning-scenario.ts'
import { startCrashingProcess } from '../../../test/processes/crashing-process.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { catchUpEvents } from '../webhooks/webhooks.jobs.ts'

const scenario = await startWarningScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { debtsOf, hasAccess, mailsOfWarnings, makeMonth, money, sandbox, setWebhooksDisabled, standsAs } =
  scenario
const { stripe, subscriptionOf, testApp, warn, warned } = scenario
const { clock, db } = testApp

/** Subscriptions of tests before ask for no more money. */
beforeEach(async () => {
  await scenario.endAll()
  await takeAlerts(scenario)
})

test('a refund that Stripe refuses stays owed, access ends all the same, and both are told once', async () => {
  const made = await makeMonth()
  await scenario.refuseRefunds()
  await warn(made)
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  expect([await money(made), await standsAs(made)]).toEqual([[0, 900], ENDED])
  expect(await runOperator(testApp, 'debts')).toMatch(/refund {2}\$10\.00 {2}fraud_warning {2}in_/)
  expect(await takeAlerts(scenario)).toEqual(['Tradepost: payments: Stripe refused a refund'])
  await sandbox.control('calm')
  clock.advance(6 * 3_600_000)
  await scenario.settle()
  expect([await money(made), await mailsOfWarnings(made)]).toEqual([[1000, 0], bothOnce(1000)])
})

test('of a disputed payment the dispute decides, and nobody is told of the warning', async () => {
  const made = await makeMonth()
  const [id] = await scenario.charges(made)
  await sandbox.control('dispute', { id })
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([
    [0, 0],
    ['canceled', 'dispute'],
  ])
  expect([await mailsOfWarnings(made), await scenario.warnedAt(made)]).toEqual([[], [expect.any(Date)]])
})

test('a dispute of which nothing has arrived here decides all the same', async () => {
  const made = await makeMonth()
  const [id] = await scenario.charges(made)
  await setWebhooksDisabled(true)
  await sandbox.control('dispute', { id })
  await setWebhooksDisabled(false)
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([
    [0, 0],
    ['canceled', 'dispute'],
  ])
  expect(await mailsOfWarnings(made)).toEqual([])
})

test('a dispute that overtakes the refund of a warning returns the payment once', async () => {
  const made = await makeMonth()
  await scenario.refuseRefunds()
  const id = await warn(made)
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  await sandbox.control('calm')
  await sandbox.control('dispute', { id })
  await scenario.settle()
  clock.advance(6 * 3_600_000)
  await scenario.settle()
  // The bank has the money now, and took it from the trader; the refund waits for what the bank decides.
  expect([await money(made), await standsAs(made)]).toEqual([[0, 0], ENDED])
  const { data } = await stripe.disputes.list({ charge: id, limit: 1 })
  await stripe.disputes.close(data[0]?.id ?? '')
  clock.advance(6 * 3_600_000)
  await scenario.settle()
  expect(await money(made)).toEqual([0, 0])
  expect((await debtsOf(made.trader))[2]).toEqual(['refund fraud_warning', 'settled', 0])
  expect(await mailsOfWarnings(made)).toEqual(bothOnce(1000))
})

test('a payment whose dispute is won after the warning goes back once, and the trader keeps nothing of it', async () => {
  const made = await makeMonth()
  const before = await moneyOf(stripe, null)
  await scenario.refuseRefunds()
  const id = await warn(made)
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  await sandbox.control('calm')
  await sandbox.control('dispute', { id })
  await scenario.settle()
  const { data } = await stripe.disputes.list({ charge: id, limit: 1 })
  await stripe.disputes.update(data[0]?.id ?? '', { evidence: { uncategorized_text: 'winning_evidence' } })
  await scenario.settle()
  for (let round = 0; round < 3; round += 1) {
    clock.advance(6 * 3_600_000)
    await scenario.settle()
  }
  // The platform gives up its fee.
  expect([await money(made), (await moneyOf(stripe, null)) - before]).toEqual([[1000, 0], -100])
  expect(await standsAs(made)).toEqual(ENDED)
  expect(await mailsOfWarnings(made)).toEqual(bothOnce(1000))
})

test('a warning that arrives before its payment is known here ends what it paid for', async () => {
  const { person, trader } = await makeMonth()
  await stripe.subscriptions.cancel(await subscriptionOf({ person, trader }))
  await scenario.settle()
  await setWebhooksDisabled(true)
  await subscribeAtStripe(scenario, person, trader)
  await setWebhooksDisabled(false)
  const made = { person, trader }
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([[1000, 900], ENDED])
  expect(await hasAccess(person, trader)).toBe(false)
  expect(await mailsOfWarnings(made)).toEqual(bothOnce(1000))
})

test('a warning whose event is lost is caught up within the hour', async () => {
  const made = await makeMonth()
  await setWebhooksDisabled(true)
  await warned(made)
  await setWebhooksDisabled(false)
  expect(await standsAs(made)).toEqual(['active', null])
  await scenario.runScheduled(catchUpEvents)
  await scenario.settle()
  expect([await money(made), await standsAs(made)]).toEqual([[1000, 0], ENDED])
})

test('an event that comes twice, and a second warning of one payment, return it once', async () => {
  const made = await makeMonth()
  await sandbox.control('duplicate')
  await warn(made)
  await warn(made)
  await scenario.settle()
  await warned(made)
  expect([await money(made), await mailsOfWarnings(made)]).toEqual([[1000, 0], bothOnce(1000)])
  expect((await debtsOf(made.trader)).filter(([debt]) => debt.startsWith('refund'))).toHaveLength(1)
})

test('a warning that Stripe does not show is tried again, and nobody is told', async () => {
  const made = await makeMonth()
  await sandbox.control('fault', { kind: 'error', path: '/v1/radar/', times: 100 })
  await warn(made)
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  expect([await standsAs(made), await mailsOfWarnings(made)]).toEqual([['active', null], []])
  await sandbox.control('calm')
  clock.advance(10_000)
  await scenario.settle()
  expect([await money(made), await standsAs(made)]).toEqual([[1000, 0], ENDED])
})

test('a payment that is none of ours is left alone', async () => {
  const { person } = await makeMonth()
  const product = await stripe.products.create({ name: 'Another product' })
  const { id: price } = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 700,
    recurring: { interval: 'month' },
  })
  await stripe.subscriptions.create({
    customer: person.customer,
    items: [{ price }],
    default_payment_method: 'pm_card_visa',
  })
  const [charge] = (await stripe.charges.list({ customer: person.customer, limit: 1 })).data
  await sandbox.control('warn-of-fraud', { id: charge?.id })
  await scenario.settle()
  expect((await stripe.charges.retrieve(charge?.id ?? '')).refunded).toBe(false)
  expect(
    await db
      .selectFrom('stripe_events')
      .select('state')
      .where('type', 'like', 'radar.%')
      .orderBy('received_at', 'desc')
      .executeTakeFirst(),
  ).toEqual({ state: 'ignored' })
})

test('whenever the process dies while a payment is returned, it comes back once', async () => {
  for (let at = 0; ; at += 1) {
    const made = await makeMonth()
    await warn(made)
    await sandbox.control('chaos', { settle: true })
    const { event_id: eventId } = await db
      .selectFrom('stripe_events')
      .select('event_id')
      .where('type', '=', 'radar.early_fraud_warning.created')
      .where('state', '=', 'received')
      .executeTakeFirstOrThrow()
    const crashing = await startCrashingProcess(scenario)
    onTestFinished(() => crashing[Symbol.asyncDispose]())
    const lived = await crashing.dieAfter(at, 'changes', () => crashing.handleEvent(eventId))
    clock.advance(60_000)
    await scenario.settle()
    expect([await money(made), await standsAs(made)]).toEqual([[1000, 0], ENDED])
    expect(await mailsOfWarnings(made)).toEqual(bothOnce(1000))
    if (!lived) continue
    // The reason, the end and the refund are changes at Stripe.
    expect(at).toBe(3)
    return
  }
})
