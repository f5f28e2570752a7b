import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, type Shown, words } from './browser.ts'
import { passMonth, suite } from './cases.ts'
import { CARD, checkout, type Scene, subscribe } from './scene.ts'
import { buy, GERMAN_BUSINESS, NEW_YORK, taxed, taxScene } from './taxed.ts'
import type { TestWorld } from './world.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

async function opened(world: TestWorld, scene: Scene, more: object = {}): Promise<Shown> {
  return open((await checkout(world, scene, { ...taxed(), ...more })).url)
}

here('the page asks who buys only where the session does', async (_stripe, world) => {
  const scene = await taxScene(world, 'asks')
  const plain = await open((await checkout(world, scene)).url)
  for (const name of ['country', 'state', 'postal_code', 'tax_id', 'business_name'])
    expect([name, plain.html.includes(`name="${name}"`)]).toEqual([name, false])
  const page = await opened(world, scene)
  for (const label of ['Country', 'US state', 'Postal code', 'Name of the business', 'Tax number'])
    expect([label, page.html.includes(`<label>${label}<`)]).toEqual([label, true])
  expect(words(page)).toContain('Tax included where it applies')
  expect(words(page)).toContain('I’m buying as a business')
  expect(words(plain)).not.toContain('Tax included')
  const { tax_id_collection: _none, ...bare } = taxed()
  expect((await open((await checkout(world, scene, bare)).url)).html).not.toContain('name="tax_id"')
})

here(
  'an answer that cannot be is refused beside its field, and the session stays open',
  async (stripe, world) => {
    const scene = await taxScene(world, 'wrong')
    const { id, url } = await checkout(world, scene, taxed())
    const wrong: [Record<string, string>, string, string][] = [
      [{}, 'country', 'Choose your country.'],
      [{ country: 'XX' }, 'country', 'Choose your country.'],
      [{ country: 'US', postal_code: '10001' }, 'state', 'two letters of your state'],
      [{ country: 'US', state: 'ZZ', postal_code: '10001' }, 'state', 'two letters of your state'],
      [{ country: 'US', state: 'NY', postal_code: '1' }, 'postal_code', 'five digits'],
      [{ country: 'DE', tax_id: 'DE12345678' }, 'tax_id', 'your country: DE and nine digits.'],
      [{ country: 'FR', tax_id: 'DE123456789' }, 'tax_id', 'your country: FR, two letters or digits'],
      [{ country: 'GB', tax_id: '123456789' }, 'tax_id', 'your country: GB and nine or twelve digits.'],
      [{ country: 'US', state: 'NY', postal_code: '10001', tax_id: '123' }, 'tax_id', 'a hyphen'],
      [{ country: 'JP', tax_id: 'DE123456789' }, 'tax_id', 'takes no tax number of your country'],
    ]
    for (const [answers, field, sentence] of wrong) {
      const page = await press(await open(url), 'Subscribe', { ...CARD, ...answers })
      expect([answers, words(page).includes(sentence)]).toEqual([answers, true])
      expect(page.html).toMatch(
        new RegExp(`name="${field}"[^>]* aria-invalid="true" aria-describedby="refusal"`),
      )
      expect(page.html.match(/ aria-invalid=/g)).toHaveLength(1)
    }
    const kept = await press(await open(url), 'Subscribe', { ...CARD, country: 'DE', tax_id: 'DE1' })
    expect(kept.html).toMatch(/<option value="DE" selected>.*<details class="business" open>.*value="DE1"/s)
    expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open')
    expect((await stripe.customers.listTaxIds(scene.customer)).data).toEqual([])
    expect(await stripe.customers.retrieve(scene.customer)).toMatchObject({ address: null })
  },
)

here('a number with spaces and small letters is taken', async (stripe, world) => {
  const scene = await taxScene(world, 'spaces')
  await buy(stripe, world, scene, { country: 'DE', tax_id: 'de 123 456 789' })
  expect((await stripe.customers.listTaxIds(scene.customer)).data[0]?.value).toBe('DE123456789')
})

here('the answers are there after the bank’s question', async (stripe, world) => {
  const scene = await taxScene(world, 'secure-tax')
  const { id, url } = await checkout(world, scene, taxed())
  const typed = { ...CARD, number: '4000002500003155', ...NEW_YORK }
  const failed = await press(await press(await open(url), 'Subscribe', typed), 'Fail')
  expect(failed.html).toMatch(/<option value="US" selected>.*name="state"[^>]* value="NY"/s)
  await press(await press(failed, 'Subscribe', typed), 'Approve')
  const session = await stripe.checkout.sessions.retrieve(id)
  expect([session.status, session.total_details?.amount_tax]).toEqual(['complete', 82])
})

here('a customer who is known is asked for nothing again', async (stripe, world) => {
  const scene = await taxScene(world, 'again')
  await buy(stripe, world, scene, GERMAN_BUSINESS)
  const page = await opened(world, scene)
  expect(page.html).toContain('<option value="DE" selected>')
  expect(page.html).not.toContain('name="tax_id"')
  const { invoice } = await buy(stripe, world, scene, {})
  expect(invoice.total_taxes?.[0]?.taxability_reason).toBe('reverse_charge')
  expect((await stripe.customers.listTaxIds(scene.customer)).data).toHaveLength(1)
})

here('a session without a customer makes one with the address', async (stripe, world) => {
  const scene = await taxScene(world, 'new')
  const { session } = await buy(stripe, world, scene, GERMAN_BUSINESS, {
    customer: undefined,
    customer_update: undefined,
    customer_email: 'new@example.com',
  })
  expect(await stripe.customers.retrieve(String(session.customer), { expand: ['tax_ids'] })).toMatchObject({
    email: 'new@example.com',
    name: 'Muster GmbH',
    address: { country: 'DE' },
    tax_ids: { data: [{ value: 'DE123456789' }] },
  })
})

here('the hosted invoice names seller, buyer, tax and what was paid back', async (stripe, world) => {
  const scene = await taxScene(world, 'paper')
  const { invoice } = await buy(stripe, world, scene, { country: 'DE', postal_code: '10115' })
  const paper = async () => words(await open(invoice.hosted_invoice_url ?? ''))
  expect(await paper()).toContain('Seller Sandbox')
  expect(await paper()).toContain('Billed to paper-buyer@example.com 10115 Germany')
  expect(await paper()).toContain(
    'For 1 × Signals by @paper, $10.00 Tax VAT 19 % included: $1.60 Total $10.00',
  )
  expect(await paper()).not.toContain('Refunded')
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  await stripe.refunds.create({ charge: charge?.id ?? '', amount: 250 })
  expect(await paper()).toContain('Refunded $2.50')
})

here('the hosted invoice of a trader’s sale to a business', async (stripe, world) => {
  const scene = await taxScene(world, 'trader')
  const { invoice } = await buy(stripe, world, scene, GERMAN_BUSINESS, {
    subscription_data: {
      transfer_data: { destination: scene.account },
      invoice_settings: { issuer: { type: 'account', account: scene.account } },
    },
  })
  const page = words(await open(invoice.hosted_invoice_url ?? ''))
  expect(page).toContain('Seller @trader')
  expect(page).toContain('Billed to Muster GmbH trader-buyer@example.com Germany Tax number DE123456789')
  expect(page).toContain('Tax Reverse charge: the buyer accounts for the tax')
})

here('sales tax is named so, and no tax is not named', async (stripe, world) => {
  const [there, nowhere] = [await taxScene(world, 'there'), await taxScene(world, 'without')]
  const taxedSale = await buy(stripe, world, there, NEW_YORK)
  const page = words(await open(taxedSale.invoice.hosted_invoice_url ?? ''))
  expect(page).toContain('Tax Sales tax 8.875 % included: $0.82')
  expect(page).toContain('NY 10001 United States')
  const { invoice } = await buy(stripe, world, nowhere, { country: 'JP' })
  expect(words(await open(invoice.hosted_invoice_url ?? ''))).not.toContain('Tax')
})

here('the portal leads to each invoice, and says what was paid back of it', async (stripe, world) => {
  const scene = await taxScene(world, 'history')
  await subscribe(world, scene)
  await passMonth(world)
  const [newest] = (await stripe.charges.list({ customer: scene.customer })).data
  await stripe.refunds.create({ charge: newest?.id ?? '', amount: 250 })
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: { invoice_history: { enabled: true } },
  })
  const visit = await stripe.billingPortal.sessions.create({ customer: scene.customer, configuration })
  const page = await open(visit.url)
  expect(words(page).match(/\$2\.50 refunded/g)).toHaveLength(1)
  const invoices = (await stripe.invoices.list({ customer: scene.customer })).data
  for (const { hosted_invoice_url, number } of invoices)
    expect(page.html).toContain(
      `<a href="${new URL(hosted_invoice_url ?? '').pathname}">Invoice ${number}</a>`,
    )
})

here('a trader gives the head office on the dashboard', async (stripe, world) => {
  const { account } = await taxScene(world, 'dashboard')
  const { url } = await stripe.accounts.createLoginLink(account)
  const page = await open(url)
  expect(words(page)).toContain('Tax settings Pending: the address of the head office is missing.')
  expect(words(await press(page, 'Save head office'))).toContain('Choose a country.')
  const saved = await press(page, 'Save head office', { country: 'DE', city: 'Berlin', postal_code: '10115' })
  expect(words(saved)).toContain('Active. Head office: Berlin, 10115, Germany.')
  expect(await stripe.tax.settings.retrieve({}, { stripeAccount: account })).toMatchObject({
    status: 'active',
    head_office: { address: { country: 'DE', city: 'Berlin', postal_code: '10115', state: null } },
  })
  const forged = await fetch(url, { method: 'POST', body: new URLSearchParams({ country: 'FR' }) })
  expect(forged.status).toBe(403)
})
