import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, suite } from './cases.ts'
import { checkout, newAccount, type Scene, setScene } from './scene.ts'
import { taxed, taxScene } from './taxed.ts'
import type { TestWorld } from './world.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const NOBODY = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }

here('the platform’s settings are active, with a head office in the United States', async (stripe) => {
  expect(await stripe.tax.settings.retrieve()).toMatchObject({
    defaults: { provider: 'stripe', tax_behavior: null, tax_code: null },
    head_office: { address: { country: 'US', state: 'CA' } },
    status: 'active',
    status_details: { active: {} },
  })
})

here('a connected account’s settings are pending until it has a head office', async (stripe, world) => {
  const of = { stripeAccount: await newAccount(world, 'office') }
  expect(await stripe.tax.settings.retrieve({}, of)).toMatchObject({
    head_office: null,
    status: 'pending',
    status_details: { pending: { missing_fields: ['head_office'] } },
  })
  await expect(
    stripe.tax.settings.update({ head_office: { address: { city: 'Berlin' } } }, of),
  ).rejects.toMatchObject({ param: 'head_office[address][country]', statusCode: 400 })
  const address = { country: 'DE', city: 'Berlin' }
  const set = await stripe.tax.settings.update(
    { head_office: { address }, defaults: { tax_behavior: 'inclusive' } },
    of,
  )
  expect(set).toMatchObject({
    defaults: { tax_behavior: 'inclusive' },
    head_office: { address: { ...NOBODY, ...address } },
    status: 'active',
  })
  expect(await stripe.tax.settings.retrieve({}, of)).toEqual(set)
  expect((await stripe.tax.settings.retrieve()).defaults.tax_behavior).toBeNull()
  await expect(stripe.tax.settings.retrieve({}, { stripeAccount: 'acct_none' })).rejects.toMatchObject({
    statusCode: 403,
  })
})

async function refusal(world: TestWorld, scene: Scene, more: object) {
  const url = `${world.url}/v1/checkout/sessions`
  return (await new Stripe('sk_test_refused', world.target).checkout.sessions
    .create({
      mode: 'subscription',
      customer: scene.customer,
      line_items: [{ price: scene.price, quantity: 1 }],
      success_url: url,
      ...more,
    })
    .then(() => expect.fail('It was opened.'))
    .catch(
      (error: Stripe.errors.StripeInvalidRequestError) => error,
    )) as Stripe.errors.StripeInvalidRequestError
}

here('no session has its tax owed by an account whose settings are pending', async (stripe, world) => {
  const scene = await taxScene(world, 'pending')
  expect(await refusal(world, scene, taxed(scene.account))).toMatchObject({
    statusCode: 400,
    code: 'stripe_tax_inactive',
    param: 'automatic_tax[liability][account]',
    message: expect.stringContaining('valid head office address'),
  })
  expect(await refusal(world, scene, taxed('acct_none'))).toMatchObject({
    code: 'resource_missing',
    param: 'automatic_tax[liability][account]',
  })
  await stripe.tax.settings.update(
    { head_office: { address: { country: 'US' } } },
    { stripeAccount: scene.account },
  )
  expect(await checkout(world, scene, taxed(scene.account))).toMatchObject({
    automatic_tax: {
      liability: { type: 'account', account: scene.account },
      status: 'requires_location_inputs',
    },
    total_details: { amount_tax: 0 },
  })
})

here('the desk makes the platform’s settings pending, and active again', async (stripe, world) => {
  const scene = await taxScene(world, 'desk')
  await control(world, 'tax-settings', { status: 'pending' })
  expect((await stripe.tax.settings.retrieve()).status).toBe('pending')
  expect(await refusal(world, scene, taxed())).toMatchObject({ code: 'stripe_tax_inactive' })
  expect(await checkout(world, scene)).toMatchObject({ automatic_tax: { enabled: false, status: null } })
  await control(world, 'tax-settings', { status: 'active' })
  expect((await stripe.tax.settings.retrieve()).status).toBe('active')
  expect(await checkout(world, scene, taxed())).toMatchObject({ automatic_tax: { enabled: true } })
  await expect(control(world, 'tax-settings', { status: 'gone' })).rejects.toThrow('active, pending')
})

here('what a page may not save of a customer, its session does not ask for', async (stripe, world) => {
  const scene = await taxScene(world, 'saving')
  const { customer_update: _saves, ...asks } = taxed()
  expect(await refusal(world, scene, asks)).toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('set `customer_update[name]` to `auto`'),
  })
  expect(await refusal(world, scene, { ...asks, customer_update: { name: 'auto' } })).toMatchObject({
    code: 'customer_tax_location_invalid',
    message: expect.stringContaining('requires a valid address on the Customer'),
  })
  expect(
    await refusal(world, scene, {
      tax_id_collection: asks.tax_id_collection,
      customer_update: { name: 'auto' },
    }),
  ).toMatchObject({ message: expect.stringContaining('set `customer_update[address]` to `auto`') })
  await stripe.customers.update(scene.customer, { address: { country: 'DE' } })
  const known = await checkout(world, scene, { ...asks, customer_update: { name: 'auto' } })
  // The place is known before the page is opened, and so is the tax.
  expect(known).toMatchObject({ automatic_tax: { status: 'complete' }, total_details: { amount_tax: 160 } })
})

here('a price that does not say whether it includes tax has none computed', async (stripe, world) => {
  const scene = await setScene(world, 'unspecified')
  expect(await refusal(world, scene, taxed())).toMatchObject({
    statusCode: 400,
    message: expect.stringContaining(`The price \`${scene.price}\` does not have a \`tax_behavior\` set`),
  })
  await stripe.tax.settings.update({ defaults: { tax_behavior: 'exclusive' } })
  expect(await refusal(world, scene, taxed())).toMatchObject({
    message: expect.stringContaining('include it'),
  })
  await stripe.tax.settings.update({ defaults: { tax_behavior: 'inclusive' } })
  expect(await checkout(world, scene, taxed())).toMatchObject({ automatic_tax: { enabled: true } })
})

both('a price says once whether it includes tax', async (stripe) => {
  const { id: product } = await stripe.products.create({ name: 'Signals' })
  const price = { product, currency: 'usd', unit_amount: 1000 }
  const { id } = await stripe.prices.create(price)
  expect((await stripe.prices.retrieve(id)).tax_behavior).toBe('unspecified')
  expect((await stripe.prices.update(id, { tax_behavior: 'inclusive' })).tax_behavior).toBe('inclusive')
  for (const tax_behavior of ['exclusive', 'unspecified'] as const)
    await expect(stripe.prices.update(id, { tax_behavior })).rejects.toMatchObject({
      statusCode: 400,
      param: 'tax_behavior',
    })
  expect((await stripe.prices.update(id, { tax_behavior: 'inclusive' })).tax_behavior).toBe('inclusive')
  const [listed] = (await stripe.prices.list({ product })).data
  return listed
})

both('a customer’s tax numbers', async (stripe) => {
  const { id } = await stripe.customers.create({})
  const made = await stripe.customers.createTaxId(id, { type: 'eu_vat', value: 'DE123456789' })
  expect(made).toMatchObject({ country: 'DE', customer: id, type: 'eu_vat', value: 'DE123456789' })
  await expect(stripe.customers.createTaxId(id, { type: 'eu_vat', value: 'DE12' })).rejects.toMatchObject({
    statusCode: 400,
    code: 'tax_id_invalid',
  })
  const listed = await stripe.customers.listTaxIds(id)
  expect(listed.data.map(({ value }) => value)).toEqual(['DE123456789'])
  return listed
})

here('the tax numbers of other countries are not taken', async (stripe) => {
  const { id } = await stripe.customers.create({})
  await expect(
    stripe.customers.createTaxId(id, { type: 'ch_vat', value: 'CHE-123.456.789 MWST' }),
  ).rejects.toMatchObject({ param: 'type' })
})
