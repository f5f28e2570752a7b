import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { suite } from './cases.ts'

const { both } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

both('a customer is created, changed and read', async (stripe, mark) => {
  const made = await stripe.customers.create({
    email: `a-${mark}@example.com`,
    name: 'Ann',
    metadata: { a: '1', b: '2' },
  })
  expect([made.object, made.livemode, made.metadata]).toEqual(['customer', false, { a: '1', b: '2' }])
  const changed = await stripe.customers.update(made.id, { name: 'Anna', metadata: { a: '', c: '3' } })
  expect([changed.name, changed.metadata]).toEqual(['Anna', { b: '2', c: '3' }])
  const emptied = await stripe.customers.update(made.id, { metadata: '' })
  expect(emptied.metadata).toEqual({})
  return stripe.customers.retrieve(made.id)
})

both('a deleted customer is read as deleted, and cannot be changed', async (stripe) => {
  const { id } = await stripe.customers.create({})
  const deleted = await stripe.customers.del(id)
  expect(deleted).toMatchObject({ id, object: 'customer', deleted: true })
  expect(await stripe.customers.retrieve(id)).toMatchObject({ id, deleted: true })
  await expect(stripe.customers.update(id, { name: 'x' })).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 404,
  })
  return deleted
})

both('deleted objects are no longer listed', async (stripe) => {
  const customer = await stripe.customers.create({})
  const product = await stripe.products.create({ name: 'Signals' })
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: 1_896_084_000 })
  const listed = async () => {
    const pages = await Promise.all([
      stripe.customers.list({ limit: 100 }),
      stripe.products.list({ limit: 100 }),
      stripe.testHelpers.testClocks.list({ limit: 100 }),
    ])
    const ids = pages.flatMap(({ data }) => (data as { id: string }[]).map(({ id }) => id))
    return [customer.id, product.id, clock.id].map((id) => ids.includes(id))
  }
  expect(await listed()).toEqual([true, true, true])
  await stripe.customers.del(customer.id)
  await stripe.products.del(product.id)
  await stripe.testHelpers.testClocks.del(clock.id)
  expect(await listed()).toEqual([false, false, false])
})

both('an unknown customer is missing, by its id in the path', async (stripe) => {
  const error = await stripe.customers.retrieve('cus_none').catch((one: unknown) => one)
  expect(error).toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 404,
    code: 'resource_missing',
    param: 'id',
    message: "No such customer: 'cus_none'",
  })
})

both('a wrong address is refused', async (stripe) => {
  await expect(stripe.customers.create({ email: 'nonsense' })).rejects.toMatchObject({
    code: 'email_invalid',
    param: 'email',
  })
})

both('customers are found by address', async (stripe, mark) => {
  const email = `find-${mark}@example.com`
  const { id } = await stripe.customers.create({ email })
  const found = await stripe.customers.list({ email })
  expect(found.data.map((one) => one.id)).toEqual([id])
  return found
})

both('a product may bring its own id, once', async (stripe, mark) => {
  const id = `prod_test_${mark}`
  const made = await stripe.products.create({ id, name: 'Signals by @ann', metadata: { trader: '1' } })
  expect(made.id).toBe(id)
  await expect(stripe.products.create({ id, name: 'Again' })).rejects.toMatchObject({
    code: 'resource_already_exists',
  })
  const changed = await stripe.products.update(id, { name: 'Signals by @anna', active: false })
  expect([changed.name, changed.active]).toEqual(['Signals by @anna', false])
  return changed
})

both('a monthly price', async (stripe) => {
  const product = await stripe.products.create({ name: 'Signals' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
    tax_behavior: 'exclusive',
    metadata: { a: 'b' },
  })
  expect([price.type, price.unit_amount, price.recurring?.interval, price.active]).toEqual([
    'recurring',
    1000,
    'month',
    true,
  ])
  expect(String(price.unit_amount_decimal)).toBe('1000')
  return price
})

both('a lookup key moves to a new price only when asked to', async (stripe, mark) => {
  const product = await stripe.products.create({ name: 'Signals' })
  const terms = {
    product: product.id,
    currency: 'usd',
    recurring: { interval: 'month' as const },
    lookup_key: `key-${mark}`,
  }
  const first = await stripe.prices.create({ ...terms, unit_amount: 1000 })
  await expect(stripe.prices.create({ ...terms, unit_amount: 2000 })).rejects.toMatchObject({
    param: 'lookup_key',
  })
  const second = await stripe.prices.create({ ...terms, unit_amount: 2000, transfer_lookup_key: true })
  const found = await stripe.prices.list({ lookup_keys: [terms.lookup_key] })
  expect(found.data.map((one) => one.id)).toEqual([second.id])
  expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull()
  return found
})

both('a price is retired, and the product comes with it when expanded', async (stripe) => {
  const product = await stripe.products.create({ name: 'Signals' })
  const { id } = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'year' },
  })
  const retired = await stripe.prices.update(id, { active: false, expand: ['product'] })
  expect(retired.active).toBe(false)
  expect(retired.product).toMatchObject({ object: 'product', name: 'Signals' })
  const listed = await stripe.prices.list({ product: product.id, active: false, expand: ['data.product'] })
  expect(listed.data[0]?.product).toMatchObject({ name: 'Signals' })
  return retired
})

both('a price without an amount is refused', async (stripe) => {
  const product = await stripe.products.create({ name: 'Signals' })
  await expect(
    stripe.prices.create({ product: product.id, currency: 'usd', recurring: { interval: 'month' } }),
  ).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 400,
  })
})

both('a price of an unknown product is refused with the parameter', async (stripe) => {
  await expect(
    stripe.prices.create({ product: 'prod_none', currency: 'usd', unit_amount: 1 }),
  ).rejects.toMatchObject({
    statusCode: 400,
    code: 'resource_missing',
    param: 'product',
  })
})
