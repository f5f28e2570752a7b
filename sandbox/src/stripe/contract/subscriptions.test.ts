import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, passMonth, suite } from './cases.ts'
import { balance, type Scene, setScene, subscribe } from './scene.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

type Interval = 'week' | 'month'

async function started(stripe: Stripe, interval: Interval = 'month'): Promise<Stripe.Subscription> {
  const { id: customer } = await stripe.customers.create({})
  const { id: product } = await stripe.products.create({ name: 'Signals' })
  const price = await stripe.prices.create({
    product,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval },
  })
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  return stripe.subscriptions.create({ customer, items: [{ price: price.id }], default_payment_method: card })
}

both('cancelling with a last invoice asked for makes none when nothing is left to bill', async (stripe) => {
  const { id } = await started(stripe)
  const ended = await stripe.subscriptions.cancel(id, {
    invoice_now: true,
    prorate: false,
    cancellation_details: { comment: 'bye', feedback: 'unused' },
  })
  expect([ended.status, ended.cancellation_details?.comment, ended.cancellation_details?.feedback]).toEqual([
    'canceled',
    'bye',
    'unused',
  ])
  expect((await stripe.invoices.list({ subscription: id })).data).toHaveLength(1)
  return ended
})

both('a subscription that ended can still be described, and nothing else of it changed', async (stripe) => {
  const { id } = await started(stripe)
  await stripe.subscriptions.cancel(id)
  const updated = await stripe.subscriptions.update(id, { metadata: { why: 'moved' } })
  expect([updated.status, updated.metadata]).toEqual(['canceled', { why: 'moved' }])
  await expect(stripe.subscriptions.update(id, { cancel_at_period_end: true })).rejects.toMatchObject({
    statusCode: 400,
  })
})

both('invoices are listed by subscription and status', async (stripe) => {
  const { id, customer, latest_invoice } = await started(stripe)
  await started(stripe)
  const ids = async (params: Stripe.InvoiceListParams) =>
    (await stripe.invoices.list(params)).data.map((one) => one.id)
  expect(await ids({ subscription: id, status: 'paid' })).toEqual([latest_invoice])
  expect(await ids({ customer: String(customer) })).toEqual([latest_invoice])
  expect(await ids({ subscription: id, status: 'open' })).toEqual([])
})

both('subscriptions of every state are walked through page by page', async (stripe) => {
  const { customer, items } = await started(stripe)
  const price = items.data[0]?.price.id ?? ''
  for (let n = 0; n < 3; n++)
    await stripe.subscriptions.create({
      customer: String(customer),
      items: [{ price }],
      default_payment_method: 'pm_card_visa',
    })
  const walk = async (params: Stripe.SubscriptionListParams) => {
    const states: string[] = []
    for await (const one of stripe.subscriptions.list({ customer: String(customer), limit: 2, ...params }))
      states.push(one.status)
    return states
  }
  const [newest] = (await stripe.subscriptions.list({ customer: String(customer) })).data
  await stripe.subscriptions.cancel(newest?.id ?? '')
  expect(await walk({ status: 'all' })).toEqual(['canceled', 'active', 'active', 'active'])
  expect(await walk({})).toEqual(['active', 'active', 'active'])
  expect(await walk({ status: 'canceled' })).toEqual(['canceled'])
  expect(await walk({ status: 'ended' })).toEqual(['canceled'])
})

here(
  'paused: each renewal is voided and never charged, and the subscription stays active',
  async (stripe, world) => {
    const scene = await setScene(world, 'void')
    const { id } = await subscribe(world, scene)
    await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })
    await control(world, 'advance', { months: 2 })
    const paused = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.payments'] })
    expect([paused.status, paused.pause_collection]).toEqual([
      'active',
      { behavior: 'void', resumes_at: null },
    ])
    const [latest] = (
      await stripe.invoices.list({ subscription: id, status: 'void', expand: ['data.payments'] })
    ).data
    expect([latest?.amount_remaining, latest?.status_transitions.voided_at === null]).toEqual([0, false])
    expect(latest?.payments?.data.map(({ status }) => status)).toEqual(['canceled'])
    expect((await stripe.charges.list({ customer: scene.customer })).data).toHaveLength(1)
    const types = (await stripe.events.list({ types: ['invoice.voided', 'invoice.payment_failed'] })).data
    expect(types.map((one) => one.type)).toEqual(['invoice.voided', 'invoice.voided'])
    const resumed = await stripe.subscriptions.update(id, { pause_collection: '' })
    expect([resumed.status, resumed.pause_collection]).toEqual(['active', null])
    await passMonth(world)
    expect(await balance(world, scene.account)).toBe(1800)
  },
)

here(
  'an ended subscription is never collected for again, however many invoices stay open',
  async (stripe, world) => {
    const scene = await setScene(world, 'weekly')
    const weekly = await stripe.prices.create({
      product: scene.product,
      currency: 'usd',
      unit_amount: 700,
      recurring: { interval: 'week' },
    })
    const { id } = await subscribe(world, { ...scene, price: weekly.id })
    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: scene.customer })
    await stripe.subscriptions.update(id, { default_payment_method: bad.id })
    await control(world, 'advance', { days: 60 })
    const ended = await stripe.subscriptions.retrieve(id)
    expect([ended.status, ended.cancellation_details?.reason]).toEqual(['canceled', 'payment_failed'])
    const open = (await stripe.invoices.list({ subscription: id, status: 'open' })).data
    expect(open.length).toBeGreaterThan(1)
    for (const { auto_advance, next_payment_attempt } of open)
      expect([auto_advance, next_payment_attempt]).toEqual([false, null])
    const endings = (await stripe.events.list({ type: 'customer.subscription.deleted', limit: 100 })).data
    expect(endings.filter((one) => (one.data.object as { id: string }).id === id)).toHaveLength(1)
  },
)

async function onceEach(stripe: Stripe, scene: Scene): Promise<Stripe.Customer> {
  return stripe.customers.update(scene.customer, { email: 'new@example.com', metadata: { moved: 'yes' } })
}

here('a customer’s new address stands on the next invoice', async (stripe, world) => {
  const scene = await setScene(world, 'moves')
  const { id } = await subscribe(world, scene)
  expect((await onceEach(stripe, scene)).email).toBe('new@example.com')
  await passMonth(world)
  const emails = (await stripe.invoices.list({ subscription: id })).data.map((one) => one.customer_email)
  expect(emails).toEqual(['new@example.com', 'moves-buyer@example.com'])
})
