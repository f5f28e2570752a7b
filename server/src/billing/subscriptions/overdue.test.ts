import { afterAll, expect, test } from 'vitest'
import {
  findSubscription,
  giveClock,
  makeCustomer,
  makePaidTrader,
  owedMails,
  startBillingScenario,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { lookAtOverdue } from './subscriptions.jobs.ts'

const here = await startBillingScenario()
const patient = await startBillingScenario({ settings: { pastDueDays: 45 } })
const scenario = here
const { stripe, testApp } = scenario
afterAll(() => Promise.all([here, patient].map((one) => one[Symbol.asyncDispose]())))

const DAY_MS = 86_400_000

/** Somebody whose card fails from the next renewal on, all of whose tries have been made. */
async function makeOwing(ending: 'cancel' | 'unpaid' | 'past_due', scenario = here) {
  const { sandbox, stripe } = scenario
  await sandbox.control('retry-ending', { ending })
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const pass = await giveClock(scenario, person.customer)
  const { id } = await subscribeAtStripe(scenario, person, trader)
  const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: person.customer })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  await pass(32)
  await scenario.settle()
  for (const days of [3, 5, 7]) {
    await pass(days)
    await scenario.settle()
  }
  return { trader, person, id, pass }
}

const problems = async (person: Parameters<typeof owedMails>[1]) =>
  (await owedMails(scenario, person)).map(({ facts, kind }) => [kind, facts])

test('a subscription that Stripe leaves past due for ever ends after 21 days, not a moment before, and is mailed twice in all', async () => {
  const { id, person, trader } = await makeOwing('past_due')
  const { past_due_since: since } = await findSubscription(scenario, person, trader)
  const facts = { trader: trader.username, amountCents: 1000, currency: 'usd', problem: 'declined' }
  const mailed = [
    ['payment_problem', facts],
    ['payment_problem', { ...facts, last: true }],
  ]
  expect(await problems(person)).toEqual(mailed)
  const look = async (at: number) => {
    testApp.clock.set(new Date(at))
    await scenario.runScheduled(lookAtOverdue)
    await scenario.settle()
    return findSubscription(scenario, person, trader)
  }
  const began = since?.getTime() ?? 0
  expect(await look(began + 21 * DAY_MS - 1)).toMatchObject({ status: 'past_due' })
  expect(await look(began + 21 * DAY_MS)).toMatchObject({
    status: 'canceled',
    end_reason: 'unpaid',
    entitled_until_event: 0,
  })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  const { data } = await stripe.invoices.list({ subscription: id })
  expect(data.map(({ status }) => status)).toEqual(['void', 'paid'])
  expect(await problems(person)).toEqual([
    ...mailed,
    ['subscription_ended', { trader: trader.username, why: 'unpaid' }],
  ])
})

test('a subscription that Stripe calls unpaid gives no access, and its last try is mailed', async () => {
  const { id, pass, person, trader } = await makeOwing('unpaid')
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'unpaid',
    entitled_until_event: 0,
  })
  expect((await problems(person)).at(-1)).toMatchObject(['payment_problem', { last: true }])
  // Further months are billed as drafts that nobody collects; what is open can be paid, and brings access back.
  await pass(31)
  await scenario.settle()
  const statuses = async () =>
    (await stripe.invoices.list({ subscription: id })).data.map(({ status }) => status)
  expect(await statuses()).toEqual(['draft', 'open', 'paid'])
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'unpaid' })
  const [open] = (await stripe.invoices.list({ subscription: id, status: 'open' })).data
  await stripe.invoices.pay(open?.id ?? '', { payment_method: 'pm_card_visa' })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    entitled_until_event: null,
  })
  await stripe.subscriptions.cancel(id)
  await scenario.settle()
  expect(await statuses()).toEqual(['void', 'paid', 'paid'])
})

test('a subscription that Stripe ends after its last try ends here too, asks for nothing more, and is mailed', async () => {
  const { id, person, trader } = await makeOwing('cancel')
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: null,
    entitled_until_event: 0,
    past_due_since: null,
  })
  const { data } = await stripe.invoices.list({ subscription: id })
  expect(data.map(({ status }) => status)).toEqual(['void', 'paid'])
  expect((await problems(person)).map(([kind]) => kind)).toEqual(['payment_problem', 'subscription_ended'])
})

test('further months that are billed and fail do not restart the count', async () => {
  const { pass, person, trader } = await makeOwing('past_due', patient)
  const { past_due_since: since } = await findSubscription(patient, person, trader)
  await pass(31)
  await patient.settle()
  const standing = await findSubscription(patient, person, trader)
  expect([standing.status, standing.past_due_since]).toEqual(['past_due', since])
  const look = async (at: number) => {
    patient.testApp.clock.set(new Date(at))
    await patient.runScheduled(lookAtOverdue)
    await patient.settle()
    return findSubscription(patient, person, trader)
  }
  const began = since?.getTime() ?? 0
  expect(await look(began + 45 * DAY_MS - 1)).toMatchObject({ status: 'past_due' })
  expect(await look(began + 45 * DAY_MS)).toMatchObject({ status: 'canceled', end_reason: 'unpaid' })
  const { data } = await patient.stripe.invoices.list({ customer: person.customer })
  expect(data.map(({ status }) => status)).toEqual(['void', 'void', 'paid'])
})

test('an invoice that is still a draft when its subscription ends is voided too', async () => {
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const pass = await giveClock(scenario, person.customer)
  const { id } = await subscribeAtStripe(scenario, person, trader)
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } })
  await pass(32)
  await scenario.settle()
  const statuses = async () =>
    (await stripe.invoices.list({ subscription: id })).data.map(({ status }) => status)
  expect(await statuses()).toEqual(['draft', 'paid'])
  await stripe.subscriptions.cancel(id)
  await scenario.settle()
  expect(await statuses()).toEqual(['void', 'paid'])
})
