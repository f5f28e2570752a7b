import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeClosings } from '../../test/closing.ts'
import { call } from '../../test/factories.ts'
import {
  buy,
  checkout,
  makeCustomer,
  makePaidTrader,
  pay,
  startBillingScenario,
} from '../../test/money/billing-scenario.ts'
import { runOperator } from '../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const scenario = await startBillingScenario()
const { stripe, testApp } = scenario
const { clock, pool } = testApp
afterAll(() => scenario[Symbol.asyncDispose]())
const closings = makeClosings(scenario)
const START = clock.now()
beforeEach(() => clock.set(START))

/** Has a person erased at once while neither Stripe's events nor our questions to Stripe come through, for hours; then they do. */
async function eraseWithoutStripe(person: SignedIn & { customer: string }) {
  await runOperator(testApp, 'erase', person.email, 'By letter.')
  for (const minutes of [1, 61, 1]) {
    clock.advance(minutes * 60_000)
    await closings.run()
  }
  await scenario.settle()
  for (let hour = 0; hour < 2; hour += 1) {
    clock.advance(3_600_000)
    await closings.tend()
  }
  const [charge] = (await stripe.charges.list({ customer: person.customer })).data
  const { rows } = await pool.query('select email from users where id = $1', [person.userId])
  const customer = await stripe.customers.retrieve(person.customer)
  return { back: charge?.amount_refunded, email: rows[0].email, customerGone: customer.deleted === true }
}

test('a checkout that is paid in the minute of an erasure is paid back, however long Stripe takes to tell', async () => {
  const person = await makeCustomer(scenario)
  const page = await checkout(scenario, person, await makePaidTrader(scenario))
  expect((await pay(page)).location).toContain('/payment/success')
  const { back, ...end } = await eraseWithoutStripe(person)
  expect(back).toBeGreaterThan(950)
  expect(end).toEqual({ email: null, customerGone: true })
})

test('what is unused of a subscription is paid back also where the person is erased before Stripe has heard of the end', async () => {
  const person = await makeCustomer(scenario)
  await buy(scenario, person, await makePaidTrader(scenario))
  const { back, ...end } = await eraseWithoutStripe(person)
  expect(back).toBeGreaterThan(950)
  expect(end).toEqual({ email: null, customerGone: true })
})

test('a customer of whom Stripe’s answer was lost is found and deleted there too', async () => {
  const person = await signIn(testApp)
  for (let nth = 0; nth < 2; nth += 1)
    await scenario.sandbox.control('fault', { kind: 'lost-answer', method: 'POST', path: '/v1/customers' })
  expect((await call(testApp, person, 'POST', '/v1/accounts/customer')).status).toBe(503)
  const atStripe = async () =>
    (await stripe.customers.list({ limit: 100 })).data.filter(({ email }) => email === person.email).length
  expect(await atStripe()).toBe(1)
  await runOperator(testApp, 'erase', person.email, 'By letter.')
  for (const minutes of [1, 61, 1]) {
    clock.advance(minutes * 60_000)
    await closings.run()
  }
  for (let hour = 0; hour < 2; hour += 1) {
    clock.advance(3_600_000)
    await closings.tend()
  }
  const { rows } = await pool.query('select email from users where id = $1', [person.userId])
  expect(rows).toEqual([{ email: null }])
  expect(await atStripe()).toBe(0)
})

test('a dispute that comes after the erasure is dealt with as any other: the trader gives the money back', async () => {
  const person = await makeCustomer(scenario)
  const trader = await makePaidTrader(scenario)
  await buy(scenario, person, trader)
  clock.advance(5 * 86_400_000)
  await eraseWithoutStripe(person)
  const [charge] = (await stripe.charges.list({ limit: 1 })).data
  await scenario.sandbox.control('dispute', { id: charge?.id })
  await scenario.settle()
  const { rows } = await pool.query(
    `select dispute_status, disputed_at is not null as disputed, transferred_cents - reversed_cents as left
     from invoices where trader_id = $1`,
    [trader.userId],
  )
  expect(rows).toEqual([{ dispute_status: 'needs_response', disputed: true, left: 0 }])
})
