import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, suite } from './cases.ts'

const make = (key: string, target: object) => new Stripe(key, target)
const { both, here } = suite(make, { test, beforeAll, afterAll })

here(
  'keys: none, a wrong one and a live one are unauthorized; any test key is right',
  async (stripe, { target, url }) => {
    const refused = { type: 'StripeAuthenticationError', statusCode: 401 }
    await expect(make('nonsense', target).customers.list()).rejects.toMatchObject(refused)
    await expect(make('sk_live_abc', target).customers.list()).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('test keys only'),
    })
    expect((await fetch(`${url}/v1/customers`)).status).toBe(401)
    await expect(make('rk_test_abc', target).customers.list()).resolves.toMatchObject({ object: 'list' })
    await expect(stripe.customers.list()).resolves.toMatchObject({ url: '/v1/customers' })
  },
)

both('an unknown parameter is refused by its name', async (stripe) => {
  const error = await stripe.customers.create({ bogus: '1' } as object).catch((one: unknown) => one)
  expect(error).toMatchObject({
    type: 'StripeInvalidRequestError',
    code: 'parameter_unknown',
    param: 'bogus',
    statusCode: 400,
  })
})

here('a body that is no JSON object is refused', async (_stripe, { url }) => {
  for (const body of ['[]', '5', 'null', '{']) {
    const headers = { authorization: 'Bearer sk_test_1', 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v2/core/accounts`, { method: 'POST', headers, body })
    expect([body, answer.status]).toEqual([body, 400])
  }
})

both('an unknown address is no route', async (stripe) => {
  const error = await stripe.rawRequest('GET', '/v1/bogus').catch((one: unknown) => one)
  expect(error).toMatchObject({
    statusCode: 404,
    message: expect.stringContaining('Unrecognized request URL (GET: /v1/bogus)'),
  })
})

both(
  'the same key with the same request answers the same, and marks the answer as repeated',
  async (stripe, mark) => {
    const options = { idempotencyKey: `same-${mark}` }
    const first = await stripe.customers.create({ name: 'Once' }, options)
    const second = await stripe.customers.create({ name: 'Once' }, options)
    expect(second.id).toBe(first.id)
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true')
    expect(second.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId)
    return second
  },
)

both('the same key with another request is refused', async (stripe, mark) => {
  const options = { idempotencyKey: `other-${mark}` }
  await stripe.customers.create({ name: 'One' }, options)
  await expect(stripe.customers.create({ name: 'Two' }, options)).rejects.toMatchObject({
    type: 'StripeIdempotencyError',
    statusCode: 400,
  })
  await expect(stripe.products.create({ name: 'One' }, options)).rejects.toMatchObject({
    type: 'StripeIdempotencyError',
  })
})

here(
  'a key whose request is still under way is refused; afterwards it is done once',
  async (stripe, world) => {
    // Whichever of the two comes first is held up, for far longer than the other can be on its way.
    await control(world, 'fault', { kind: 'slow', ms: 4000 })
    const make = () =>
      stripe.customers.create({ name: 'Slow', email: 'slow@example.com' }, { idempotencyKey: 'in-flight' })
    const both = await Promise.allSettled([make(), make()])
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toMatchObject([{ statusCode: 409, code: 'idempotency_key_in_use' }])
    const done = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []))
    const { data } = await stripe.customers.list({ email: 'slow@example.com' })
    expect(data.map((one) => one.id)).toEqual(done)
  },
)

here('a key is remembered across a restart, by the older and the newer API', async (stripe, world) => {
  const makeBoth = (client: Stripe) =>
    Promise.all([
      client.customers.create({ name: 'Kept' }, { idempotencyKey: 'kept-1' }),
      client.v2.core.accounts.create({ display_name: 'Kept' }, { idempotencyKey: 'kept-2' }),
    ])
  const before = await makeBoth(stripe)
  await world.restart()
  const after = await makeBoth(make('sk_test_again', world.target))
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  for (const { lastResponse } of after) expect(lastResponse.headers['idempotent-replayed']).toBe('true')
  await expect(
    make('sk_test_again', world.target).customers.create({ name: 'Other' }, { idempotencyKey: 'kept-1' }),
  ).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
})

here('an answer that is lost after the work is made good by the SDK, once', async (_stripe, world) => {
  await control(world, 'fault', { kind: 'lost-answer' })
  const retrying = make('sk_test_1', { ...world.target, maxNetworkRetries: 2 })
  const { id } = await retrying.customers.create({ email: 'lost@example.com' })
  const all = await retrying.customers.list({ email: 'lost@example.com' })
  expect(all.data.map((one) => one.id)).toEqual([id])
})

here('failures and limits have the SDK’s classes, and a retry gets through', async (stripe, world) => {
  await control(world, 'fault', { kind: 'error', status: 500 })
  await expect(stripe.customers.list()).rejects.toMatchObject({ type: 'StripeAPIError', statusCode: 500 })
  await control(world, 'fault', { kind: 'rate-limit' })
  await expect(stripe.customers.list()).rejects.toMatchObject({
    type: 'StripeRateLimitError',
    statusCode: 429,
  })
  await control(world, 'fault', { kind: 'error', status: 503 })
  const retrying = make('sk_test_1', { ...world.target, maxNetworkRetries: 2 })
  await expect(retrying.customers.create({})).resolves.toMatchObject({ object: 'customer' })
})

both('lists go newest first, in pages both ways', async (stripe, mark) => {
  const email = `page-${mark}@example.com`
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.unshift((await stripe.customers.create({ email })).id)
  const first = await stripe.customers.list({ email, limit: 2 })
  expect([first.data.map((one) => one.id), first.has_more]).toEqual([ids.slice(0, 2), true])
  const second = await stripe.customers.list({ email, limit: 2, starting_after: ids[1] ?? '' })
  expect(second.data.map((one) => one.id)).toEqual(ids.slice(2, 4))
  const back = await stripe.customers.list({ email, limit: 2, ending_before: ids[2] ?? '' })
  expect(back.data.map((one) => one.id)).toEqual(ids.slice(0, 2))
  const all: string[] = []
  for await (const one of stripe.customers.list({ email, limit: 2 })) all.push(one.id)
  expect(all).toEqual(ids)
  return first
})

both('limits of a page', async (stripe) => {
  await expect(stripe.customers.list({ limit: 0 })).rejects.toMatchObject({ param: 'limit' })
  await expect(stripe.customers.list({ limit: 101 })).rejects.toMatchObject({ param: 'limit' })
  return stripe.customers.list({ limit: 1, created: { gte: 1 } })
})

both('a field that cannot be expanded is refused', async (stripe) => {
  const { id } = await stripe.customers.create({})
  await expect(stripe.customers.retrieve(id, { expand: ['bogus'] })).rejects.toMatchObject({
    message: expect.stringContaining('cannot be expanded'),
  })
  await expect(stripe.customers.retrieve(id, { expand: ['a.b.c.d.e'] })).rejects.toMatchObject({
    message: expect.stringContaining('more than 4 levels'),
  })
})

both('metadata has limits', async (stripe) => {
  await expect(stripe.customers.create({ metadata: { ['k'.repeat(41)]: 'v' } })).rejects.toMatchObject({
    statusCode: 400,
  })
  await expect(stripe.customers.create({ metadata: { k: 'v'.repeat(501) } })).rejects.toMatchObject({
    statusCode: 400,
  })
})

both('numbers and choices are checked', async (stripe) => {
  const product = await stripe.products.create({ name: 'P' })
  const terms = { product: product.id, currency: 'usd', recurring: { interval: 'month' as const } }
  await expect(
    stripe.prices.create({ ...terms, unit_amount: 'ten' as unknown as number }),
  ).rejects.toMatchObject({ param: 'unit_amount' })
  await expect(stripe.prices.create({ ...terms, unit_amount: 1.5 })).rejects.toMatchObject({
    param: 'unit_amount',
  })
  await expect(
    stripe.prices.create({ ...terms, unit_amount: 1, recurring: { interval: 'eon' as 'month' } }),
  ).rejects.toMatchObject({ param: 'recurring[interval]' })
})

here(
  'a parameter that Stripe knows and the sandbox does not heed is refused, never ignored',
  async (stripe) => {
    await expect(stripe.customers.create({ tax: { ip_address: '1.2.3.4' } })).rejects.toMatchObject({
      param: 'tax',
      message: expect.stringContaining('does not carry out'),
    })
    await expect(stripe.customers.create({ invoice_settings: { footer: 'x' } })).rejects.toMatchObject({
      param: 'invoice_settings[footer]',
    })
    await expect(stripe.customers.create({}, { stripeAccount: 'acct_1' })).rejects.toMatchObject({
      message: expect.stringContaining('for a connected account'),
    })
  },
)

here('another API version is refused', async (_stripe, world) => {
  const old = new Stripe('sk_test_1', { ...world.target, apiVersion: '2024-06-20' as never })
  await expect(old.customers.list()).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('Invalid Stripe API version'),
  })
})

both('the request id is in the answer', async (stripe) => {
  const { lastResponse } = await stripe.customers.list({ limit: 1 })
  expect(lastResponse.requestId).toMatch(/^req_/)
})
