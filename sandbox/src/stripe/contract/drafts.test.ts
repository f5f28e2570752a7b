import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, words } from './browser.ts'
import { control, suite } from './cases.ts'
import { balance, type Scene, setScene, subscribe } from './scene.ts'
import type { TestWorld } from './world.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const HOUR = 3600

/** A subscription that has just begun its second month: the invoice of that month is a draft. */
async function renewed(world: TestWorld, name: string, card = 'pm_card_visa') {
  const scene = await setScene(world, name)
  const { id } = await subscribe(world, scene, card)
  await control(world, 'advance', { months: 1 })
  return { scene, id }
}

async function newest(stripe: Stripe, subscription: string): Promise<Stripe.Invoice & { id: string }> {
  const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data
  if (invoice === undefined) throw new Error('There is no invoice.')
  return invoice
}

/** The types of an invoice's events, oldest first. */
async function eventTypes(stripe: Stripe, invoice: string): Promise<string[]> {
  const { data } = await stripe.events.list({ type: 'invoice.*', limit: 100 })
  return data
    .filter((event) => (event.data.object as { id?: string }).id === invoice)
    .map(({ type }) => type.replace('invoice.', ''))
    .reverse()
}

both('the first invoice of a subscription is no draft for any time', async (stripe) => {
  const { id: customer } = await stripe.customers.create({ email: 'first@example.com' })
  const { id: product } = await stripe.products.create({ name: 'Signals' })
  const recurring = { interval: 'month' as const }
  const { id: price } = await stripe.prices.create({
    product,
    currency: 'usd',
    unit_amount: 1000,
    recurring,
  })
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  const { latest_invoice } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  const first = await stripe.invoices.retrieve(String(latest_invoice))
  expect(first).toMatchObject({ status: 'paid', automatically_finalizes_at: null })
  expect(first.status_transitions.finalized_at).toBe(first.created)
  return first
})

here('a renewal begins the period at once, and its invoice is a draft for an hour', async (stripe, world) => {
  const { id, scene } = await renewed(world, 'hour')
  const draft = await newest(stripe, id)
  expect(draft).toMatchObject({
    status: 'draft',
    billing_reason: 'subscription_cycle',
    auto_advance: true,
    attempted: false,
    number: null,
    hosted_invoice_url: null,
    automatically_finalizes_at: draft.created + HOUR,
    next_payment_attempt: draft.created + HOUR,
    status_transitions: { finalized_at: null, paid_at: null },
  })
  const subscription = await stripe.subscriptions.retrieve(id)
  expect(subscription).toMatchObject({ status: 'active', latest_invoice: draft.id })
  expect(subscription.items.data[0]?.current_period_start).toBe(draft.created)
  expect(await eventTypes(stripe, draft.id)).toEqual(['created'])
  expect((await stripe.invoicePayments.list({ invoice: draft.id })).data).toEqual([])
  // The clock stands some milliseconds, a second at most, after the renewal.
  await control(world, 'advance', { seconds: HOUR - 60 })
  expect((await newest(stripe, id)).status).toBe('draft')
  expect(await balance(world, scene.account)).toBe(900)
  await control(world, 'advance', { seconds: 60 })
  const paid = await newest(stripe, id)
  expect(paid).toMatchObject({
    id: draft.id,
    status: 'paid',
    automatically_finalizes_at: null,
    next_payment_attempt: null,
    status_transitions: { finalized_at: draft.created + HOUR, paid_at: draft.created + HOUR },
  })
  expect(await eventTypes(stripe, draft.id)).toEqual(['created', 'finalized', 'paid', 'payment_succeeded'])
  expect(await balance(world, scene.account)).toBe(1800)
})

here('a card that fails makes it past due an hour after the period began', async (stripe, world) => {
  const scene = await setScene(world, 'late')
  const { id } = await subscribe(world, scene)
  await control(world, 'fail-next', { id })
  await control(world, 'advance', { months: 1 })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  await control(world, 'advance', { seconds: HOUR })
  const { status } = await stripe.subscriptions.retrieve(id)
  const open = await newest(stripe, id)
  expect([status, open.status, open.attempt_count]).toEqual(['past_due', 'open', 1])
  expect(open.next_payment_attempt).toBe(open.created + HOUR + 3 * 86_400)
})

here('finalized by hand it is collected at once; without advancing it is not', async (stripe, world) => {
  const one = await renewed(world, 'hand')
  const { id } = await newest(stripe, one.id)
  expect(await stripe.invoices.finalizeInvoice(id)).toMatchObject({ status: 'paid', attempt_count: 1 })
  const other = await renewed(world, 'still')
  const draft = await newest(stripe, other.id)
  const finalized = await stripe.invoices.finalizeInvoice(draft.id, { auto_advance: false })
  expect(finalized).toMatchObject({ status: 'open', attempted: false, auto_advance: false })
  await control(world, 'advance', { days: 20 })
  expect(await newest(stripe, other.id)).toMatchObject({ status: 'open', attempt_count: 0 })
  expect((await stripe.charges.list({ customer: other.scene.customer })).data).toHaveLength(1)
})

here('a draft of a subscription is not deleted, nor is what was finalized', async (stripe, world) => {
  const { id } = await renewed(world, 'kept')
  const draft = await newest(stripe, id)
  const refused = { statusCode: 400, type: 'StripeInvalidRequestError' }
  await expect(stripe.invoices.del(draft.id)).rejects.toMatchObject(refused)
  await stripe.invoices.finalizeInvoice(draft.id)
  await expect(stripe.invoices.del(draft.id)).rejects.toMatchObject(refused)
  await expect(stripe.invoices.voidInvoice(draft.id)).rejects.toMatchObject(refused)
  await expect(stripe.invoices.del('in_none')).rejects.toMatchObject({ code: 'resource_missing' })
})

here('an end within the hour leaves a draft that nobody collects', async (stripe, world) => {
  const { id, scene } = await renewed(world, 'ended')
  const draft = await newest(stripe, id)
  await stripe.subscriptions.cancel(id)
  await control(world, 'advance', { days: 2 })
  expect(await newest(stripe, id)).toMatchObject({
    id: draft.id,
    status: 'draft',
    auto_advance: false,
    automatically_finalizes_at: null,
    next_payment_attempt: null,
  })
  expect(await eventTypes(stripe, draft.id)).toEqual(['created', 'updated'])
  expect(await balance(world, scene.account)).toBe(900)
})

here('a draft from before a pause is collected all the same', async (stripe, world) => {
  const { id, scene } = await renewed(world, 'before')
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })
  await control(world, 'advance', { seconds: HOUR })
  expect((await newest(stripe, id)).status).toBe('paid')
  expect(await balance(world, scene.account)).toBe(1800)
})

here('an unpaid subscription goes on making drafts, and none of them is collected', async (stripe, world) => {
  await control(world, 'retry-ending', { ending: 'unpaid' })
  const scene: Scene = await setScene(world, 'unpaid')
  const { id } = await subscribe(world, scene)
  const { customer } = scene
  const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.subscriptions.update(id, { default_payment_method: bad.id })
  await control(world, 'advance', { days: 50 })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('unpaid')
  await control(world, 'advance', { days: 31 })
  expect(await newest(stripe, id)).toMatchObject({ status: 'draft', auto_advance: false })
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  const [open] = (await stripe.invoices.list({ subscription: id, status: 'open' })).data
  await stripe.invoices.pay(open?.id ?? '', { payment_method: good.id })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  await control(world, 'retry-ending', { ending: 'cancel' })
})

here('the desk shows a renewal that is a draft, and has a button for its hour', async (_stripe, world) => {
  await renewed(world, 'desk')
  const page = words(await open(`${world.url}/control`))
  expect(page).toContain('invoice is a draft until')
  expect(page).toContain('Advance 1 hour')
})
