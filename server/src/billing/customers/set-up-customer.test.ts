import { expect, test, vi } from 'vitest'
import { readTables } from '../../../test/factories.ts'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { RACE_TIMEOUT_MS, rounds } from '../../../test/rounds.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import {
  findUserOfCustomer,
  raiseCustomerGeneration,
  requestCustomer,
  storeCustomer,
} from './customers.queries.ts'
import { setUpCustomer, syncCustomer } from './set-up-customer.ts'

const scenario = await startPaymentsScenario({ limitsOn: false })
vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
const { clock, db, sandbox, stripe } = scenario

const setUp = (who: SignedIn) => scenario.post(who, '/v1/accounts/customer')
const configured = async (who: SignedIn) => (await scenario.get(who, '/v1/accounts/customer')).body.configured
/** The person's customers at Stripe, by id. */
const atStripe = async (who: SignedIn) =>
  (await stripe.customers.list({ email: who.email })).data.map(({ id }) => id)
const rowOf = (who: SignedIn) =>
  db.selectFrom('customers').selectAll().where('user_id', '=', who.userId).executeTakeFirstOrThrow()

test('setting up billing makes a customer, and doing it twice makes no second', {
  tags: ['API-07', 'API-10'],
}, async () => {
  const person = await signIn(scenario)
  expect(await configured(person)).toBe(false)
  for (const _ of [1, 2]) {
    expect(await setUp(person)).toEqual({ status: 200, body: { configured: true } })
    expect(await configured(person)).toBe(true)
  }
  expect((await scenario.get(person, '/v1/accounts/configuration')).body).toMatchObject({ customer: true })
  const ids = await atStripe(person)
  expect(ids).toEqual([(await rowOf(person)).stripe_customer_id])
  const customer = await stripe.customers.retrieve(ids[0] ?? '')
  expect(customer).toMatchObject({
    email: person.email,
    metadata: { app: 'tradepost', env: 'local', user_id: person.userId },
  })
})

test('a customer that was made for an earlier generation is not stored in the place of the next', async () => {
  const { userId } = await signIn(scenario)
  const { generation } = await requestCustomer(db, userId, clock.now(), clock.now())
  await raiseCustomerGeneration(db, { userId, generation })
  await storeCustomer(db, { userId, generation, stripeCustomerId: 'cus_of_before' })
  const row = await db.selectFrom('customers').selectAll().where('user_id', '=', userId).executeTakeFirst()
  expect(row).toMatchObject({ state: 'pending', generation: generation + 1, stripe_customer_id: null })
  // Of two calls of the same generation the faster one counts.
  const current = { userId, generation: generation + 1 }
  await storeCustomer(db, { ...current, stripeCustomerId: 'cus_faster' })
  await storeCustomer(db, { ...current, stripeCustomerId: 'cus_slower' })
  expect(await findUserOfCustomer(db, 'cus_faster')).toBe(userId)
})

test('clicks at the same moment make one customer', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const person = await signIn(scenario)
    const answers = await Promise.all([setUp(person), setUp(person), setUp(person)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await atStripe(person)).toHaveLength(1)
  }
})

test.each(FAULTS)(
  'when Stripe %s, the refusal names it, and the next try makes one customer',
  async (_, faults) => {
    const person = await signIn(scenario)
    await scenario.spoil(faults, 'POST', '/v1/customers')
    expect(await setUp(person)).toMatchObject({
      status: 503,
      body: {
        code: 'payment_provider_error',
        message: 'Payments are unavailable right now, please try again.',
      },
    })
    expect(await configured(person)).toBe(false)
    expect((await scenario.get(person, '/v1/accounts/configuration')).body).toMatchObject({ customer: false })
    expect(await setUp(person)).toMatchObject({ status: 200 })
    expect(await atStripe(person)).toHaveLength(1)
  },
)

test('when Stripe takes too long, what it did meanwhile is found again', async () => {
  const person = await signIn(scenario)
  await sandbox.control('fault', { kind: 'slow', ms: 2000, method: 'POST', path: '/v1/customers' })
  await expect(setUpCustomer(scenario.hasty, person, clock.now())).rejects.toMatchObject({
    code: 'payment_provider_error',
  })
  await expect.poll(() => setUp(person)).toMatchObject({ status: 200 })
  expect(await atStripe(person)).toEqual([(await rowOf(person)).stripe_customer_id])
})

test('a set-up that a request left undone is finished automatically after twenty seconds', async () => {
  const person = await signIn(scenario)
  // Stripe has the customer; we died before we knew.
  await scenario.spoil(FAULTS[2][1], 'POST', '/v1/customers')
  expect(await setUp(person)).toMatchObject({ status: 503 })
  const [made] = await atStripe(person)
  clock.advance(19_000)
  await scenario.runPayments()
  expect(await configured(person), 'not yet').toBe(false)
  clock.advance(1000)
  await scenario.runPayments()
  expect(await configured(person)).toBe(true)
  expect(await rowOf(person)).toMatchObject({ stripe_customer_id: made, retry_at: null, tries: 0 })
  expect(await atStripe(person)).toEqual([made])
})

test('while Stripe is down the pauses between the tries grow to six hours', async () => {
  const person = await signIn(scenario)
  await scenario.spoil(FAULTS[1][1], 'POST', '/v1/customers')
  await setUp(person)
  const pauses: number[] = []
  for (let attempt = 0; attempt < 14; attempt += 1) {
    const { retry_at } = await rowOf(person)
    pauses.push((retry_at?.getTime() ?? 0) - clock.now().getTime())
    clock.advance(pauses.at(-1) ?? 0)
    await scenario.spoil(FAULTS[0][1], 'POST', '/v1/customers')
    await scenario.runPayments()
  }
  expect(pauses.slice(0, 4)).toEqual([20_000, 20_000, 40_000, 80_000])
  expect(pauses.slice(-3)).toEqual([20_480_000, 21_600_000, 21_600_000])
  expect(await configured(person)).toBe(false)
})

test('an idempotency key that Stripe keeps a failure under does not lock anybody out', async () => {
  const person = await signIn(scenario)
  const idempotencyKey = `cus:local:${person.userId}:0`
  await stripe.customers.create({ description: 'other words under the same key' }, { idempotencyKey })
  expect(await setUp(person)).toMatchObject({ status: 503 })
  expect(await setUp(person)).toMatchObject({ status: 200 })
  expect(await atStripe(person)).toHaveLength(1)
})

test('a customer deleted at Stripe no longer counts, stays known, and is made again only on request', async () => {
  const person = await signIn(scenario)
  await setUp(person)
  const [lost = ''] = await atStripe(person)
  expect(await syncCustomer(scenario.deps, lost, clock.now())).toEqual({
    userId: person.userId,
    exists: true,
  })
  await stripe.customers.del(lost)
  for (const _ of [1, 2]) {
    expect(await syncCustomer(scenario.deps, lost, clock.now())).toEqual({
      userId: person.userId,
      exists: false,
    })
    expect(await configured(person)).toBe(false)
    expect(await findUserOfCustomer(db, lost)).toBe(person.userId)
  }
  clock.advance(60_000)
  await scenario.runPayments()
  expect(await configured(person)).toBe(false)
  expect(await setUp(person)).toMatchObject({ status: 200 })
  const [again] = await atStripe(person)
  expect(again).not.toBe(lost)
  expect(await configured(person)).toBe(true)
})

test('a customer that Stripe no longer knows at all is forgotten as a deleted one is', async () => {
  const person = await signIn(scenario)
  await setUp(person)
  await db
    .updateTable('customers')
    .set({ stripe_customer_id: 'cus_of_another_world' })
    .where('user_id', '=', person.userId)
    .execute()
  expect(await syncCustomer(scenario.deps, 'cus_of_another_world', clock.now())).toEqual({
    userId: person.userId,
    exists: false,
  })
  expect(await configured(person)).toBe(false)
})

test('a customer of another application is ignored', async () => {
  const { id } = await stripe.customers.create({ email: 'stranger@example.com' })
  const before = await readTables(scenario)
  expect(await syncCustomer(scenario.deps, id, clock.now())).toBeNull()
  expect(await readTables(scenario)).toEqual(before)
})
