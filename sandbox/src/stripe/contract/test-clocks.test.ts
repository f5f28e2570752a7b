import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, suite } from './cases.ts'
import { balance, CARD, checkout, setScene, subscribe } from './scene.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const DAY = 86_400

function seconds(text: string): number {
  return new Date(text).getTime() / 1000
}

/** A clock that stands at this time, a customer on it and a subscription of ten dollars a month. */
async function onClock(stripe: Stripe, at: string) {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: seconds(at), name: 'A year' })
  const { id: customer, created } = await stripe.customers.create({ test_clock: clock.id })
  const product = await stripe.products.create({ name: 'Signals' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
  })
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: price.id }],
    default_payment_method: card,
  })
  return { clock, customer, created, price: price.id, subscription }
}

/** Advances a clock and waits until it is there. */
async function advance(stripe: Stripe, id: string, to: number): Promise<Stripe.TestHelpers.TestClock> {
  const started = await stripe.testHelpers.testClocks.advance(id, { frozen_time: to })
  expect([started.status, started.status_details.advancing?.target_frozen_time]).toEqual(['advancing', to])
  return arrival(stripe, id)
}

async function arrival(stripe: Stripe, id: string): Promise<Stripe.TestHelpers.TestClock> {
  await expect
    .poll(async () => (await stripe.testHelpers.testClocks.retrieve(id)).status, {
      interval: 50,
    })
    .toBe('ready')
  return stripe.testHelpers.testClocks.retrieve(id)
}

both('objects of Billing for a customer on a clock are dated by the clock', async (stripe) => {
  const { clock, created, subscription } = await onClock(stripe, '2030-01-31T10:00:00Z')
  const [item] = subscription.items.data
  expect([subscription.test_clock, subscription.created, created]).toEqual([
    clock.id,
    clock.frozen_time,
    clock.frozen_time,
  ])
  expect([item?.current_period_start, item?.current_period_end]).toEqual([
    clock.frozen_time,
    seconds('2030-02-28T10:00:00Z'),
  ])
  const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), {
    expand: ['test_clock'],
  })
  expect([invoice.created, invoice.status_transitions.paid_at]).toEqual([
    clock.frozen_time,
    clock.frozen_time,
  ])
  expect(invoice.test_clock).toMatchObject({ id: clock.id, name: 'A year' })
  await stripe.testHelpers.testClocks.del(clock.id)
  return subscription
})

both('an advance brings the renewals that fall due on the way, each at its own time', async (stripe) => {
  const { clock, subscription } = await onClock(stripe, '2030-01-31T10:00:00Z')
  const there = await advance(stripe, clock.id, seconds('2030-03-31T10:00:00Z'))
  expect([there.frozen_time, there.status_details]).toEqual([seconds('2030-03-31T10:00:00Z'), {}])
  const renewed = await stripe.subscriptions.retrieve(subscription.id)
  expect(renewed.items.data[0]?.current_period_end).toBe(seconds('2030-04-30T10:00:00Z'))
  const { data } = await stripe.invoices.list({ subscription: subscription.id })
  expect(data.map(({ created }) => created)).toEqual([
    seconds('2030-03-31T10:00:00Z'),
    seconds('2030-02-28T10:00:00Z'),
    seconds('2030-01-31T10:00:00Z'),
  ])
  await stripe.testHelpers.testClocks.del(clock.id)
  return there
})

both('a clock goes forward only, and at most two intervals of its shortest subscription', async (stripe) => {
  const { clock } = await onClock(stripe, '2030-01-15T10:00:00Z')
  const refused = (frozen_time: number) =>
    expect(stripe.testHelpers.testClocks.advance(clock.id, { frozen_time })).rejects.toMatchObject({
      statusCode: 400,
    })
  await refused(clock.frozen_time)
  await refused(clock.frozen_time - DAY)
  await refused(seconds('2030-03-16T10:00:00Z'))
  const empty = await stripe.testHelpers.testClocks.create({ frozen_time: clock.frozen_time })
  await expect(
    stripe.testHelpers.testClocks.advance(empty.id, { frozen_time: seconds('2032-01-16T10:00:00Z') }),
  ).rejects.toMatchObject({ statusCode: 400 })
  await advance(stripe, empty.id, seconds('2032-01-15T10:00:00Z'))
  await stripe.testHelpers.testClocks.del(empty.id)
  await stripe.testHelpers.testClocks.del(clock.id)
})

both('lists show those on a clock only to who asks for the clock, or for the customer', async (stripe) => {
  const { clock, customer, subscription } = await onClock(stripe, '2030-01-31T10:00:00Z')
  const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id)
  expect(ids(await stripe.customers.list({ limit: 100 }))).not.toContain(customer)
  expect(ids(await stripe.customers.list({ test_clock: clock.id }))).toEqual([customer])
  expect(ids(await stripe.subscriptions.list({ limit: 100 }))).not.toContain(subscription.id)
  expect(ids(await stripe.subscriptions.list({ test_clock: clock.id }))).toEqual([subscription.id])
  expect(ids(await stripe.subscriptions.list({ customer }))).toEqual([subscription.id])
  expect(ids(await stripe.testHelpers.testClocks.list({ limit: 3 }))).toContain(clock.id)
  await stripe.testHelpers.testClocks.del(clock.id)
})

both('a clock takes three customers', async (stripe) => {
  const { id: existing } = await stripe.customers.create({})
  const clock = await stripe.testHelpers.testClocks.create({
    frozen_time: seconds('2030-01-31T10:00:00Z'),
    customer: existing,
  })
  expect((await stripe.customers.retrieve(existing)) as Stripe.Customer).toMatchObject({
    test_clock: clock.id,
  })
  for (let n = 0; n < 2; n++) await stripe.customers.create({ test_clock: clock.id })
  await expect(stripe.customers.create({ test_clock: clock.id })).rejects.toMatchObject({ statusCode: 400 })
  await stripe.testHelpers.testClocks.del(clock.id)
})

both('with a clock go its customers and their subscriptions', async (stripe) => {
  const { clock, customer } = await onClock(stripe, '2030-01-31T10:00:00Z')
  expect(await stripe.testHelpers.testClocks.del(clock.id)).toEqual(
    expect.objectContaining({ id: clock.id, deleted: true }),
  )
  await expect(stripe.testHelpers.testClocks.retrieve(clock.id)).rejects.toMatchObject({ statusCode: 404 })
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ deleted: true })
  await expect(stripe.customers.create({ test_clock: clock.id })).rejects.toMatchObject({
    code: 'resource_missing',
  })
})

here('each time moves its own: the desk nobody on a clock, a clock nobody else', async (stripe, world) => {
  const scene = await setScene(world, 'apart')
  const outside = await subscribe(world, scene)
  const inside = await onClock(stripe, '2030-01-31T10:00:00Z')
  const invoices = async (id: string) => (await stripe.invoices.list({ subscription: id })).data.length
  await control(world, 'advance', { months: 2 })
  expect([await invoices(outside.id), await invoices(inside.subscription.id)]).toEqual([3, 1])
  await advance(stripe, inside.clock.id, seconds('2030-03-31T10:00:00Z'))
  expect([await invoices(outside.id), await invoices(inside.subscription.id)]).toEqual([3, 3])
})

here('a charge on a clock has the account’s own time, as with Stripe', async (stripe, world) => {
  const { clock, customer } = await onClock(stripe, '2030-01-31T10:00:00Z')
  await advance(stripe, clock.id, seconds('2030-03-05T10:00:00Z'))
  const { now } = (await (await fetch(`${world.url}/control/api/state`)).json()) as { now: string }
  const { data } = await stripe.charges.list({ customer })
  expect(data).toHaveLength(2)
  for (const { created } of data) expect(Math.abs(created - seconds(now))).toBeLessThan(60)
})

here('retries, the end after the last, and an end that was planned come on the clock', async (stripe) => {
  const { clock, customer, price, subscription } = await onClock(stripe, '2030-01-10T09:00:00Z')
  const other = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: 'pm_card_visa',
  })
  await stripe.subscriptions.update(other.id, { cancel_at: seconds('2030-02-14T00:00:00Z') })
  const { id: bad } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.subscriptions.update(subscription.id, { default_payment_method: bad })
  await advance(stripe, clock.id, seconds('2030-03-01T10:00:00Z'))
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
    status: 'canceled',
    ended_at: seconds('2030-02-25T10:00:00Z'),
    cancellation_details: { reason: 'payment_failed' },
  })
  expect(await stripe.subscriptions.retrieve(other.id)).toMatchObject({
    status: 'canceled',
    ended_at: seconds('2030-02-14T00:00:00Z'),
  })
  const events = (await stripe.events.list({ limit: 100 })).data.reverse().map((event) => {
    const { id } = event.data.object as { id: string }
    return [event.type, id]
  })
  const place = (type: string, id: string) => events.findIndex(([a, b]) => a === type && b === id)
  const order = [
    place('test_helpers.test_clock.created', clock.id),
    place('test_helpers.test_clock.advancing', clock.id),
    place('customer.subscription.deleted', other.id),
    place('customer.subscription.deleted', subscription.id),
    place('test_helpers.test_clock.ready', clock.id),
  ]
  expect(order).toEqual([...order].sort((a, b) => a - b))
  expect(order[0]).toBeGreaterThanOrEqual(0)
})

here(
  'while a clock advances nothing on it can be changed; a restart goes on with it',
  async (stripe, world) => {
    const { clock, customer, subscription } = await onClock(stripe, '2030-01-31T10:00:00Z')
    await world.clock.stop()
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds('2030-03-01T10:00:00Z') })
    const underway = { statusCode: 429, message: expect.stringContaining('advancement underway') }
    const key = { idempotencyKey: 'while-advancing' }
    const change = (client: Stripe) =>
      client.subscriptions.update(subscription.id, { metadata: { a: 'b' } }, key)
    for (const attempt of [
      () => change(stripe),
      () => stripe.subscriptions.cancel(subscription.id),
      () => stripe.customers.update(customer, { name: 'x' }),
      () => stripe.customers.create({ test_clock: clock.id }),
      () => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds('2030-03-02T10:00:00Z') }),
      () => stripe.testHelpers.testClocks.del(clock.id),
    ])
      await expect(attempt()).rejects.toMatchObject(underway)
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
    await world.restart()
    const again = new Stripe('sk_test_again', world.target)
    await arrival(again, clock.id)
    expect((await again.invoices.list({ subscription: subscription.id })).data).toHaveLength(2)
    expect((await change(again)).metadata).toEqual({ a: 'b' })
  },
)

here('a customer who pays on the hosted page lives by their clock too', async (stripe, world) => {
  const scene = await setScene(world, 'paged')
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: seconds('2030-01-31T10:00:00Z') })
  const { id: customer } = await stripe.customers.create({ test_clock: clock.id })
  const { url } = await checkout(world, { ...scene, customer })
  await press(await open(url), 'Subscribe', CARD)
  const [subscription] = (await stripe.subscriptions.list({ test_clock: clock.id })).data
  expect(subscription?.start_date).toBe(clock.frozen_time)
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: { subscription_cancel: { enabled: true } },
  })
  const portal = await stripe.billingPortal.sessions.create({ customer, configuration })
  expect(words(await press(await open(portal.url), 'Cancel subscription'))).toContain('28 Feb 2030')
  await advance(stripe, clock.id, seconds('2030-03-01T10:00:00Z'))
  expect((await stripe.subscriptions.retrieve(subscription?.id ?? '')).status).toBe('canceled')
  expect(await balance(world, scene.account)).toBe(900)
})
