import { afterAll, beforeEach, expect, test } from 'vitest'
import { owedMails } from '../../../test/money/billing-scenario.ts'
import { startLeavingScenario } from '../../../test/money/leaving-scenario.ts'
import { FAILING_CARD } from '../../../test/money/trial-scenario.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeFollower, pass, sandbox, stripe, testApp } = scenario
const { clock } = testApp

beforeEach(() => scenario.toNextMonth())

/** Canceled, kept, canceled and kept. */
const MAILED_EACH = [
  'subscription_canceled',
  'subscription_kept',
  'subscription_canceled',
  'subscription_kept',
]

const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString()

test('a cancellation ends it with the month that is paid: access until then, one mail, and nothing returned', async () => {
  const { cancel, mails, money, now, person, trader } = await makeFollower()
  await pass(2)
  const endsAt = inDays(29)
  expect(await cancel()).toEqual({ status: 200, body: { endsAt } })
  expect((await now()).cancel_at?.toISOString(), 'before any event').toBe(endsAt)
  expect(await Promise.all([cancel(), cancel()])).toEqual(Array(2).fill({ status: 200, body: { endsAt } }))
  await scenario.settle()
  expect(await cancel()).toEqual({ status: 200, body: { endsAt } })
  expect((await owedMails(scenario, person)).map(({ facts, kind }) => [kind, facts])).toEqual([
    [
      'subscription_canceled',
      {
        trader: trader.username,
        canceledAt: clock.now().toISOString(),
        endsAt,
        inTrial: false,
        withdrawUntil: inDays(12),
      },
    ],
  ])
  expect(await scenario.check(person, trader)).toMatchObject({ subscribed: true })
  await pass(29.1)
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: null })
  expect(await money()).toEqual([[1250, 0]])
  expect(await mails()).toEqual(['subscription_canceled', 'subscription_ended'])
})

test('a kept subscription renews, and canceling once more is acknowledged once more', async () => {
  const { cancel, keep, mails, money, now } = await makeFollower()
  const renewsAt = inDays(31)
  expect(await keep()).toEqual({ status: 200, body: { currentPeriodEnd: renewsAt } })
  await cancel()
  expect(await keep()).toEqual({ status: 200, body: { currentPeriodEnd: renewsAt } })
  expect(await keep()).toEqual({ status: 200, body: { currentPeriodEnd: renewsAt } })
  expect((await now()).cancel_at).toBeNull()
  await scenario.settle()
  expect((await now()).cancel_at).toBeNull()
  await pass(1)
  await cancel()
  await keep()
  await scenario.settle()
  expect(await mails()).toEqual(MAILED_EACH)
  await pass(31)
  expect((await money()).length).toBe(2)
})

test.each(['rate-limit', 'error', 'lost-answer'])(
  'where Stripe meets %s at a cancellation, a second press does it, and one mail comes',
  async (kind) => {
    const { atStripe, cancel, mails, now } = await makeFollower()
    for (let nth = 0; nth < 2; nth += 1)
      await sandbox.control('fault', { kind, method: 'POST', path: `/v1/subscriptions/${atStripe}` })
    expect(await cancel()).toMatchObject({ status: 503, body: { code: 'payment_provider_error' } })
    await sandbox.control('calm')
    expect((await cancel()).status).toBe(200)
    await scenario.settle()
    expect((await now()).cancel_at).not.toBeNull()
    expect(await mails()).toEqual(['subscription_canceled'])
  },
)

test('a cancellation of which only the event arrives, and one at Stripe, are acknowledged too', async () => {
  const { atStripe, mails, now } = await makeFollower()
  await stripe.subscriptions.update(atStripe, { cancel_at_period_end: true })
  await scenario.settle()
  expect((await now()).cancel_at).not.toBeNull()
  expect(await mails()).toEqual(['subscription_canceled'])
})

test('while a payment is due a cancellation ends it at once, and the open invoice is taken back', async () => {
  const { atStripe, cancel, leaving, mails, money, now, person } = await makeFollower()
  const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: person.customer })
  await stripe.subscriptions.update(atStripe, { default_payment_method: card.id })
  await pass(31.1)
  await pass(0.1)
  expect(await now()).toMatchObject({ status: 'past_due' })
  expect(await leaving()).toMatchObject({ cancelAt: null, withdrawal: null })
  const endsAt = clock.now().toISOString()
  expect(await cancel()).toEqual({ status: 200, body: { endsAt } })
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: 'left' })
  await scenario.settle()
  expect((await stripe.subscriptions.retrieve(atStripe)).status).toBe('canceled')
  expect((await stripe.invoices.list({ subscription: atStripe, status: 'open' })).data).toEqual([])
  expect(await money()).toEqual([[1250, 0]])
  expect(await mails()).toEqual(['payment_problem', 'subscription_ended'])
  expect(await cancel()).toMatchObject({ status: 409, body: { code: 'subscription_over' } })
})

test('a payment that is due at Stripe, of which nobody has heard here, ends it at once as well', async () => {
  const { atStripe, cancel, now, person } = await makeFollower()
  const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: person.customer })
  await stripe.subscriptions.update(atStripe, { default_payment_method: card.id })
  await sandbox.control('chaos', { seed: 1, drop: 1 })
  clock.advance(31.1 * 86_400_000)
  await sandbox.control('advance', { seconds: 0 })
  clock.advance(0.1 * 86_400_000)
  await sandbox.control('advance', { seconds: 0 })
  await testApp.db.updateTable('sessions').set({ refreshed_at: clock.now() }).execute()
  expect(await now()).toMatchObject({ status: 'active' })
  expect(await cancel()).toEqual({ status: 200, body: { endsAt: clock.now().toISOString() } })
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: 'left' })
  await sandbox.control('calm', { settle: true })
  await scenario.settle()
  expect((await stripe.subscriptions.retrieve(atStripe)).status).toBe('canceled')
})

test('in a trial a cancellation is its end, and a first payment that fails can be canceled', async () => {
  const [trader, person] = [await scenario.makeOffering(), await scenario.makePerson()]
  await scenario.tryOut(person, trader)
  const hold = await scenario.holdOf(person, trader)
  expect(await hold.cancel()).toMatchObject({ body: { endsAt: hold.row.trial_ends_at?.toISOString() } })
  expect((await owedMails(scenario, person))[0]?.facts).toMatchObject({ inTrial: true })
  await scenario.pass(31)
  expect(await hold.now()).toMatchObject({ status: 'canceled' })
  expect(await hold.money()).toEqual([])
  const [other, poor] = [await scenario.makeOffering(), await scenario.makePerson()]
  await scenario.tryOut(poor, other, FAILING_CARD)
  const failing = await scenario.holdOf(poor, other)
  await scenario.pass(7.1)
  expect(await failing.now()).toMatchObject({ status: 'past_due' })
  expect(await failing.withdraw()).toMatchObject({ status: 503 })
  expect((await failing.cancel()).status).toBe(200)
  await scenario.settle()
  expect(await failing.now()).toMatchObject({ status: 'canceled', end_reason: 'left' })
  expect(await failing.money()).toEqual([])
})
