import { expect, test } from 'vitest'
import { open } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { readTables } from '../../../test/factories.ts'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { setUpStripe } from '../provider/set-up-stripe.ts'
import { findCustomer } from './customers.queries.ts'
import { openPortal } from './open-portal.ts'

const scenario = await startPaymentsScenario({ limitsOn: false })
const { clock, db, deps, settings, stripe } = scenario
await setUpStripe(deps, null, clock.now())

const session = (who: SignedIn) => scenario.post(who, '/v1/accounts/stripe/customer-session')
async function makeCustomer(): Promise<SignedIn> {
  const person = await signIn(scenario)
  await scenario.post(person, '/v1/accounts/customer')
  return person
}

test('the portal needs a customer; the refusal changes nothing', async () => {
  const person = await signIn(scenario)
  const before = await readTables(scenario)
  expect(await session(person)).toMatchObject({
    status: 409,
    body: { code: 'customer_required', message: 'Set up billing first.' },
  })
  expect(await readTables(scenario)).toEqual(before)
})

test('a customer gets a way into their own portal, back to their subscriptions, and nothing changes here', {
  tags: ['API-05'],
}, async () => {
  const person = await makeCustomer()
  const before = await readTables(scenario)
  const { status, body } = await session(person)
  expect(status).toBe(200)
  const page = await open(String(body.url))
  expect(page).toMatchObject({ status: 200 })
  const opened = await stripe.events.list({ type: 'billing_portal.session.created', limit: 1 })
  expect(opened.data[0]?.data.object).toMatchObject({
    customer: (await findCustomer(db, person.userId))?.stripeCustomerId,
  })
  expect(page.html).toContain(`${settings.origin}/account?portal=return#subscriptions`)
  expect(await readTables(scenario)).toEqual(before)
})

test.each(FAULTS)(
  'when Stripe %s, the refusal names it, nothing changes, and the next try leads there',
  async (_, faults) => {
    const person = await makeCustomer()
    await scenario.spoil(faults, 'POST', '/v1/billing_portal/sessions')
    const before = await readTables(scenario)
    expect(await session(person)).toMatchObject({ status: 503, body: { code: 'payment_provider_error' } })
    expect(await readTables(scenario)).toEqual(before)
    expect(await session(person)).toMatchObject({ status: 200 })
  },
)

test('when Stripe takes too long, the refusal names it, and nothing changes', async () => {
  const person = await makeCustomer()
  await scenario.sandbox.control('fault', { kind: 'slow', ms: 2000, path: '/v1/billing_portal/sessions' })
  const before = await readTables(scenario)
  await expect(openPortal(scenario.hasty, person, clock.now())).rejects.toMatchObject({
    code: 'payment_provider_error',
  })
  expect(await readTables(scenario)).toEqual(before)
})

test('a customer whom Stripe has lost is not made again by asking for the portal', async () => {
  const person = await makeCustomer()
  const customer = await findCustomer(db, person.userId)
  await stripe.customers.del(customer?.stripeCustomerId ?? '')
  for (const _ of [1, 2]) {
    expect(await session(person)).toMatchObject({ status: 409, body: { code: 'customer_required' } })
  }
  expect((await stripe.customers.list({ email: person.email })).data).toEqual([])
  expect((await scenario.get(person, '/v1/accounts/customer')).body).toEqual({ configured: false })
})
