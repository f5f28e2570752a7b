import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, passMonth, suite } from './cases.ts'
import { api, balance, type Scene, subscribe } from './scene.ts'
import { buy, GERMAN_BUSINESS, NEW_YORK, taxed, taxScene } from './taxed.ts'

const { world, client, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const FRENCH = { country: 'FR', tax_id: 'FR12345678901' }
const BRITISH = { country: 'GB', tax_id: 'GB123456789' }
const AMERICAN = { ...NEW_YORK, tax_id: '12-3456789' }

test.each([
  ['German', { country: 'DE' }, 160, 'standard_rated'],
  ['French', { country: 'FR' }, 167, 'standard_rated'],
  ['British', { country: 'GB' }, 167, 'standard_rated'],
  ['New York', NEW_YORK, 82, 'standard_rated'],
  ['Oregon', { country: 'US', state: 'OR', postal_code: '97201' }, 0, 'not_subject_to_tax'],
  ['Californian', { country: 'US', state: 'CA', postal_code: '94105' }, 0, 'not_collecting'],
  ['Japanese', { country: 'JP' }, 0, 'not_collecting'],
  ['German business', GERMAN_BUSINESS, 0, 'reverse_charge'],
  ['French business', FRENCH, 0, 'reverse_charge'],
  ['British business', BRITISH, 0, 'reverse_charge'],
  ['New York business', AMERICAN, 82, 'standard_rated'],
])('a %s buyer of $10.00 has tax by the place', async (who, answers, cents, reason) => {
  const stripe = client()
  const scene = await taxScene(world(), who.toLowerCase().replaceAll(' ', '-'))
  const { session, invoice } = await buy(stripe, world(), scene, answers)
  expect([invoice.subtotal, invoice.total, invoice.amount_paid]).toEqual([1000, 1000, 1000])
  expect([invoice.subtotal_excluding_tax, invoice.total_excluding_tax]).toEqual([1000 - cents, 1000 - cents])
  expect(invoice.total_taxes).toEqual([
    {
      amount: cents,
      tax_behavior: 'inclusive',
      tax_rate_details: { tax_rate: expect.stringMatching(/^txr_1/) },
      taxability_reason: reason,
      taxable_amount: reason === 'standard_rated' ? 1000 - cents : 0,
      type: 'tax_rate_details',
    },
  ])
  expect(invoice.lines.data[0]?.taxes).toEqual(invoice.total_taxes)
  expect(session.total_details?.amount_tax).toBe(cents)
  expect(session.automatic_tax).toMatchObject({ status: 'complete', provider: 'stripe' })
  expect((await stripe.checkout.sessions.listLineItems(session.id)).data[0]?.amount_tax).toBe(cents)
  // The fee is of the total with its tax, and the whole amount went on.
  expect(await balance(world(), scene.account)).toBe(900)
})

here('an invoice says who sold, who bought, and by which rate', async (stripe, world) => {
  const scene = await taxScene(world, 'parties')
  const { session, invoice } = await buy(stripe, world, scene, GERMAN_BUSINESS, {
    ...taxed(await ready(stripe, scene)),
    subscription_data: {
      application_fee_percent: 10,
      transfer_data: { destination: scene.account },
      invoice_settings: { issuer: { type: 'account', account: scene.account } },
    },
  })
  const party = { type: 'account', account: scene.account }
  expect(invoice).toMatchObject({
    automatic_tax: {
      enabled: true,
      liability: party,
      provider: 'stripe',
      status: 'complete',
      disabled_reason: null,
    },
    issuer: party,
    customer_name: 'Muster GmbH',
    customer_address: { country: 'DE', state: null },
    customer_tax_exempt: 'none',
    customer_tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }],
  })
  expect(invoice.invoice_pdf).toBe(invoice.hosted_invoice_url)
  expect(session.customer_details).toMatchObject({
    address: { country: 'DE' },
    business_name: 'Muster GmbH',
    tax_exempt: 'none',
    tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }],
  })
  expect([session.billing_address_collection, session.tax_id_collection]).toEqual([
    'required',
    { enabled: true, required: 'never' },
  ])
  const subscription = await stripe.subscriptions.retrieve(String(session.subscription))
  expect(subscription.automatic_tax).toEqual({ disabled_reason: null, enabled: true, liability: party })
  expect(subscription.invoice_settings.issuer).toEqual(party)
  expect(await stripe.customers.retrieve(scene.customer)).toMatchObject({
    name: 'Muster GmbH',
    address: { country: 'DE' },
  })
  const rate = invoice.total_taxes?.[0]?.tax_rate_details?.tax_rate ?? ''
  expect(await stripe.taxRates.retrieve(rate)).toMatchObject({
    display_name: 'VAT',
    jurisdiction: 'Germany',
    percentage: 0,
    inclusive: true,
  })
})

/** The account of a scene, with a head office in New York. */
async function ready(stripe: Stripe, { account }: Scene): Promise<string> {
  await stripe.tax.settings.update(
    { head_office: { address: { country: 'US', state: 'NY', postal_code: '10001' } } },
    { stripeAccount: account },
  )
  return account
}

here('the rate of New York has its three decimals', async (stripe, world) => {
  const { invoice } = await buy(stripe, world, await taxScene(world, 'decimals'), NEW_YORK)
  const rate = invoice.total_taxes?.[0]?.tax_rate_details?.tax_rate ?? ''
  expect(await stripe.taxRates.retrieve(rate)).toMatchObject({
    display_name: 'Sales Tax',
    jurisdiction: 'New York',
    percentage: 8.875,
    state: 'NY',
  })
})

here('tax is of what a coupon leaves', async (stripe, world) => {
  const scene = await taxScene(world, 'coupon')
  const { id: coupon } = await stripe.coupons.create({ percent_off: 25, duration: 'once' })
  const { session, invoice } = await buy(stripe, world, scene, { country: 'DE' }, { discounts: [{ coupon }] })
  // 7.50 ÷ 1.19 = 6.30; 10.00 ÷ 1.19 = 8.40.
  expect(invoice.total_taxes?.[0]).toMatchObject({ amount: 120, taxable_amount: 630 })
  expect([invoice.total, invoice.total_excluding_tax]).toEqual([750, 630])
  expect([invoice.subtotal, invoice.subtotal_excluding_tax]).toEqual([1000, 840])
  expect([session.amount_total, session.total_details]).toEqual([
    750,
    { amount_discount: 250, amount_shipping: 0, amount_tax: 120 },
  ])
})

here('a trial asks for the address and has no tax; the first paid period has', async (stripe, world) => {
  const scene = await taxScene(world, 'trial')
  const { session, invoice } = await buy(
    stripe,
    world,
    scene,
    { country: 'DE' },
    {
      subscription_data: { transfer_data: { destination: scene.account }, trial_period_days: 5 },
    },
  )
  expect(invoice).toMatchObject({ total: 0, total_excluding_tax: 0, automatic_tax: { status: 'complete' } })
  expect([invoice.total_taxes?.[0]?.amount, session.total_details?.amount_tax]).toEqual([0, 0])
  await control(world, 'advance', { days: 6 })
  const [paid] = (await stripe.invoices.list({ customer: scene.customer })).data
  expect([paid?.total, paid?.total_taxes?.[0]?.amount]).toEqual([1000, 160])
})

here('a year’s price has the tax of its whole amount', async (stripe, world) => {
  const scene = await taxScene(world, 'year')
  const { id: price } = await stripe.prices.create({
    product: scene.product,
    currency: 'usd',
    unit_amount: 10_000,
    recurring: { interval: 'year' },
    tax_behavior: 'inclusive',
  })
  const { invoice } = await buy(stripe, world, { ...scene, price }, { country: 'GB' })
  expect([invoice.total, invoice.total_taxes?.[0]?.amount, invoice.total_excluding_tax]).toEqual([
    10_000, 1667, 8333,
  ])
})

here('a renewal has the tax of the address and the numbers of its day', async (stripe, world) => {
  const scene = await taxScene(world, 'moved')
  const { session } = await buy(stripe, world, scene, { country: 'DE' })
  const taxes = async () => {
    const found = await stripe.invoices.list({ subscription: String(session.subscription) })
    return found.data.map(({ total_taxes }) => [
      total_taxes?.[0]?.amount,
      total_taxes?.[0]?.taxability_reason,
    ])
  }
  await stripe.customers.update(scene.customer, { address: { country: 'US', state: 'NY' } })
  const preview = await stripe.invoices.createPreview({ subscription: String(session.subscription) })
  expect(preview.total_taxes?.[0]?.amount).toBe(82)
  await passMonth(world)
  expect(await taxes()).toEqual([
    [82, 'standard_rated'],
    [160, 'standard_rated'],
  ])
  await stripe.customers.update(scene.customer, { address: { country: 'DE' } })
  await stripe.customers.createTaxId(scene.customer, { type: 'eu_vat', value: 'DE987654321' })
  await passMonth(world)
  expect((await taxes())[0]).toEqual([0, 'reverse_charge'])
})

here('a draft that is finalized has the tax of the address by then', async (stripe, world) => {
  const scene = await taxScene(world, 'draft')
  const { session } = await buy(stripe, world, scene, { country: 'DE' })
  await control(world, 'advance', { months: 1 })
  const [draft] = (await stripe.invoices.list({ subscription: String(session.subscription) })).data
  expect([draft?.status, draft?.total_taxes?.[0]?.amount]).toEqual(['draft', 160])
  await stripe.customers.update(scene.customer, { address: { country: 'FR' } })
  await control(world, 'advance', { seconds: 3600 })
  const paid = await stripe.invoices.retrieve(draft?.id ?? '')
  expect([paid.status, paid.total_taxes?.[0]?.amount, paid.lines.data[0]?.taxes?.[0]?.amount]).toEqual([
    'paid',
    167,
    167,
  ])
  expect(paid.customer_address?.country).toBe('FR')
})

here('a renewal of nobody’s place is collected without tax, and says so', async (stripe, world) => {
  const scene = await taxScene(world, 'nowhere')
  const { session } = await buy(stripe, world, scene, { country: 'DE' })
  const id = String(session.subscription)
  await stripe.customers.update(scene.customer, { address: '' })
  await control(world, 'advance', { months: 1 })
  const [draft] = (await stripe.invoices.list({ subscription: id })).data
  expect(draft).toMatchObject({ total_taxes: [], automatic_tax: { status: 'requires_location_inputs' } })
  await control(world, 'advance', { seconds: 3600 })
  expect(await stripe.invoices.retrieve(draft?.id ?? '')).toMatchObject({
    status: 'paid',
    total: 1000,
    total_taxes: [],
    automatic_tax: { enabled: false, disabled_reason: 'finalization_requires_location_inputs', status: null },
  })
  expect((await stripe.subscriptions.retrieve(id)).automatic_tax).toEqual({
    disabled_reason: 'requires_location_inputs',
    enabled: false,
    liability: null,
  })
})

here('a subscription through the API has tax by the customer’s address', async (stripe, world) => {
  const scene = await taxScene(world, 'direct')
  const terms = { automatic_tax: { enabled: true }, invoice_settings: { issuer: { type: 'self' } } }
  await expect(subscribe(world, scene, 'pm_card_visa', terms)).rejects.toThrow('location isn')
  await api(world, 'POST', `/v1/customers/${scene.customer}`, { address: { country: 'fr' } })
  const { id, latest_invoice, items } = await subscribe(world, scene, 'pm_card_visa', terms)
  expect((await stripe.invoices.retrieve(latest_invoice)).total_taxes?.[0]?.amount).toBe(167)
  const [item] = items.data as unknown as { id: string }[]
  const of = (tax_behavior?: 'inclusive') =>
    stripe.subscriptions.update(id, {
      items: [
        {
          id: item?.id ?? '',
          price_data: {
            product: scene.product,
            currency: 'usd',
            unit_amount: 2000,
            recurring: { interval: 'month' },
            ...(tax_behavior !== undefined && { tax_behavior }),
          },
        },
      ],
      proration_behavior: 'none',
    })
  await expect(of()).rejects.toMatchObject({ statusCode: 400, param: 'items[0][price]' })
  expect((await of('inclusive')).items.data[0]?.price.tax_behavior).toBe('inclusive')
  expect((await stripe.invoices.createPreview({ subscription: id })).total_taxes?.[0]?.amount).toBe(333)
})

here('a running subscription begins and ceases to have tax', async (stripe, world) => {
  const scene = await taxScene(world, 'later')
  const { id, latest_invoice } = await subscribe(world, scene)
  expect(await stripe.invoices.retrieve(latest_invoice)).toMatchObject({
    automatic_tax: { enabled: false, liability: null, provider: null, status: null, disabled_reason: null },
    issuer: { type: 'self' },
    total_taxes: [],
    total_excluding_tax: 1000,
  })
  const on = () => stripe.subscriptions.update(id, { automatic_tax: { enabled: true } })
  await expect(on()).rejects.toMatchObject({ code: 'customer_tax_location_invalid' })
  await stripe.customers.update(scene.customer, { address: { country: 'DE' } })
  expect((await on()).automatic_tax).toMatchObject({ enabled: true, liability: { type: 'self' } })
  expect((await stripe.invoices.createPreview({ subscription: id })).total_taxes?.[0]?.amount).toBe(160)
  await stripe.subscriptions.update(id, { automatic_tax: { enabled: false } })
  expect((await stripe.invoices.createPreview({ subscription: id })).total_taxes).toEqual([])
})

here('a customer whom the platform exempts has no tax', async (stripe, world) => {
  const scene = await taxScene(world, 'exempt')
  await stripe.customers.update(scene.customer, { address: { country: 'DE' } })
  for (const [tax_exempt, reason] of [
    ['exempt', 'customer_exempt'],
    ['reverse', 'reverse_charge'],
  ] as const) {
    await stripe.customers.update(scene.customer, { tax_exempt })
    const { latest_invoice } = await subscribe(world, scene, 'pm_card_visa', {
      automatic_tax: { enabled: true },
    })
    expect((await stripe.invoices.retrieve(latest_invoice)).total_taxes?.[0]).toMatchObject({
      amount: 0,
      taxability_reason: reason,
    })
  }
})

here('a state of another country is none of the United States', async (stripe, world) => {
  const scene = await taxScene(world, 'odisha')
  await stripe.customers.update(scene.customer, { address: { country: 'IN', state: 'OR' } })
  const { latest_invoice } = await subscribe(world, scene, 'pm_card_visa', {
    automatic_tax: { enabled: true },
  })
  expect((await stripe.invoices.retrieve(latest_invoice)).total_taxes?.[0]?.taxability_reason).toBe(
    'not_collecting',
  )
})
