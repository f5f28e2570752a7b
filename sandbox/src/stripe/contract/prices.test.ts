import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, passMonth, suite } from './cases.ts'
import { balance, CARD, checkout, setScene, subscribe } from './scene.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

type Interval = 'month' | 'year'

const NONE = { proration_behavior: 'none' as const }

function seconds(text: string): number {
  return new Date(text).getTime() / 1000
}

function priced(stripe: Stripe, product: string, unit_amount: number, interval: Interval, currency = 'usd') {
  return stripe.prices.create({ product, currency, unit_amount, recurring: { interval } })
}

/** A subscription of ten dollars a month, and the prices that it could change to. */
async function started(stripe: Stripe, more: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { id: customer } = await stripe.customers.create({})
  const { id: product } = await stripe.products.create({ name: 'Signals' })
  const price = await priced(stripe, product, 1000, 'month')
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: price.id }],
    default_payment_method: 'pm_card_visa',
    ...more,
  })
  return { made, item: made.items.data[0]?.id ?? '', customer, product, price: price.id }
}

/** Advances a test clock and waits until it is there. */
async function advance(stripe: Stripe, id: string, to: string): Promise<void> {
  await stripe.testHelpers.testClocks.advance(id, { frozen_time: seconds(to) })
  await expect
    .poll(async () => (await stripe.testHelpers.testClocks.retrieve(id)).status, { interval: 50 })
    .toBe('ready')
}

both(
  'a year that began on 29 February ends on the 28th, and on the 29th again in a leap year',
  async (stripe) => {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: seconds('2028-02-29T12:00:00Z') })
    const { id: customer } = await stripe.customers.create({ test_clock: clock.id })
    const { id: product } = await stripe.products.create({ name: 'Signals' })
    const price = await priced(stripe, product, 10_000, 'year')
    const { id } = await stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
      default_payment_method: 'pm_card_visa',
    })
    const end = async () => (await stripe.subscriptions.retrieve(id)).items.data[0]?.current_period_end
    expect(await end()).toBe(seconds('2029-02-28T12:00:00Z'))
    await advance(stripe, clock.id, '2030-02-28T12:00:00Z')
    expect(await end()).toBe(seconds('2031-02-28T12:00:00Z'))
    await advance(stripe, clock.id, '2031-02-28T13:00:00Z')
    expect(await end()).toBe(seconds('2032-02-29T12:00:00Z'))
    const { data } = await stripe.invoices.list({ subscription: id })
    expect(data.map((one) => [one.created, one.amount_paid])).toEqual([
      [seconds('2031-02-28T12:00:00Z'), 10_000],
      [seconds('2030-02-28T12:00:00Z'), 10_000],
      [seconds('2029-02-28T12:00:00Z'), 10_000],
      [seconds('2028-02-29T12:00:00Z'), 10_000],
    ])
    await stripe.testHelpers.testClocks.del(clock.id)
  },
)

here('a price by the year is sold, shown, renewed and paid back', async (stripe, world) => {
  const scene = await setScene(world, 'yearly')
  const { id: price } = await priced(stripe, scene.product, 9999, 'year')
  const { url } = await checkout(world, { ...scene, price })
  const page = await open(url)
  expect(words(page)).toContain('$99.99 a year')
  await press(page, 'Subscribe', CARD)
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: {
      subscription_cancel: { enabled: true },
    },
  })
  const visit = await stripe.billingPortal.sessions.create({ customer: scene.customer, configuration })
  expect(words(await open(visit.url))).toContain('$99.99 a year Renews on')
  await control(world, 'advance', { months: 11 })
  expect(await balance(world, scene.account)).toBe(8999)
  await passMonth(world)
  expect(await balance(world, scene.account)).toBe(17_998)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  await stripe.refunds.create({
    charge: charge?.id ?? '',
    amount: 3333,
    reverse_transfer: true,
    refund_application_fee: true,
  })
  // A third of 99.99 goes back: 33.33 of the transfer, and 3.33 of the fee of 10.00.
  expect(await balance(world, scene.account)).toBe(17_998 - 3333 + 333)
})

here('a trial before a year is followed by a whole year', async (stripe, world) => {
  const scene = await setScene(world, 'trial-year')
  const { id: price } = await priced(stripe, scene.product, 10_000, 'year')
  const { url } = await checkout(world, { ...scene, price }, { subscription_data: { trial_period_days: 30 } })
  expect(words(await open(url))).toContain('30 days free, then $100.00 a year')
  await press(await open(url), 'Subscribe', CARD)
  const [made] = (await stripe.subscriptions.list({ customer: scene.customer })).data
  await control(world, 'advance', { days: 31 })
  const renewed = await stripe.subscriptions.retrieve(made?.id ?? '')
  const [item] = renewed.items.data
  expect(item?.current_period_start).toBe(made?.trial_end)
  const [from, to] = [item?.current_period_start ?? 0, item?.current_period_end ?? 0].map(
    (at) => new Date(at * 1000),
  )
  expect(to?.toISOString().slice(4)).toBe(from?.toISOString().slice(4))
  expect((to?.getUTCFullYear() ?? 0) - (from?.getUTCFullYear() ?? 0)).toBe(1)
})

both('another price of the same interval is asked from the next invoice on', async (stripe) => {
  const { made, item, product } = await started(stripe)
  const { id: price } = await priced(stripe, product, 1500, 'month')
  const changed = await stripe.subscriptions.update(made.id, { items: [{ id: item, price }], ...NONE })
  const [now, before] = [changed.items.data[0], made.items.data[0]]
  expect([now?.id, now?.price.id, now?.price.unit_amount]).toEqual([item, price, 1500])
  expect([now?.current_period_start, now?.current_period_end]).toEqual([
    before?.current_period_start,
    before?.current_period_end,
  ])
  expect(changed.billing_cycle_anchor).toBe(made.billing_cycle_anchor)
  expect((await stripe.invoices.list({ subscription: made.id })).data).toHaveLength(1)
  expect((await stripe.invoices.createPreview({ subscription: made.id })).amount_due).toBe(1500)
  return changed
})

here(
  'the renewal after a change of price is at the new price, and its event names the old one',
  async (stripe, world) => {
    const scene = await setScene(world, 'changes')
    const { id } = await subscribe(world, scene)
    const item = (await stripe.subscriptions.retrieve(id)).items.data[0]?.id ?? ''
    const { id: price } = await priced(stripe, scene.product, 2000, 'month')
    await stripe.subscriptions.update(id, { items: [{ id: item, price }], ...NONE })
    const [event] = (await stripe.events.list({ type: 'customer.subscription.updated', limit: 1 })).data
    expect(event?.data.previous_attributes).toMatchObject({
      items: { data: [{ price: { id: scene.price } }] },
    })
    expect(await balance(world, scene.account)).toBe(900)
    await passMonth(world)
    expect(await balance(world, scene.account)).toBe(900 + 1800)
  },
)

both('a price of another interval begins its period now, and is asked for at once', async (stripe) => {
  const { made, item, product } = await started(stripe)
  const { id: price } = await priced(stripe, product, 10_000, 'year')
  const changed = await stripe.subscriptions.update(made.id, {
    items: [{ id: item, price }],
    ...NONE,
    expand: ['latest_invoice'],
  })
  const [now] = changed.items.data
  expect([changed.status, changed.billing_cycle_anchor]).toEqual(['active', now?.current_period_start])
  expect((now?.current_period_end ?? 0) - (now?.current_period_start ?? 0)).toBeGreaterThan(364 * 86_400)
  expect(changed.latest_invoice).toMatchObject({
    status: 'paid',
    billing_reason: 'subscription_update',
    amount_paid: 10_000,
  })
})

both('in a trial the price changes, and the trial stays', async (stripe) => {
  const { made, item, product } = await started(stripe, { trial_period_days: 7 })
  const { id: price } = await priced(stripe, product, 10_000, 'year')
  const changed = await stripe.subscriptions.update(made.id, { items: [{ id: item, price }], ...NONE })
  expect([changed.status, changed.trial_end]).toEqual(['trialing', made.trial_end])
  expect(changed.items.data[0]?.current_period_end).toBe(made.trial_end)
  expect((await stripe.invoices.createPreview({ subscription: made.id })).amount_due).toBe(10_000)
  expect((await stripe.charges.list({ customer: String(made.customer) })).data).toEqual([])
})

both(
  'a price that became inactive stays with those who have it, and is sold to nobody else',
  async (stripe) => {
    const { made, item, customer, product, price } = await started(stripe)
    await stripe.prices.update(price, { active: false })
    const same = await stripe.subscriptions.update(made.id, { items: [{ id: item, price }] })
    expect(same.items.data[0]?.price.id).toBe(price)
    expect((await stripe.invoices.createPreview({ subscription: made.id })).amount_due).toBe(1000)
    const { id: old } = await priced(stripe, product, 1500, 'month')
    await stripe.prices.update(old, { active: false })
    const inactive = {
      statusCode: 400,
      param: 'items[0][price]',
      message: 'The price specified is inactive. This field only accepts active prices.',
    }
    const refused = [
      stripe.subscriptions.update(made.id, { items: [{ id: item, price: old }], ...NONE }),
      stripe.subscriptions.create({ customer, items: [{ price }], default_payment_method: 'pm_card_visa' }),
    ]
    for (const attempt of refused) await expect(attempt).rejects.toMatchObject(inactive)
  },
)

both(
  'a price that is made with its amount alone is of that subscription, and sold to nobody else',
  async (stripe) => {
    const { made, item, customer, product } = await started(stripe)
    const price_data = {
      product,
      currency: 'usd',
      unit_amount: 700,
      recurring: { interval: 'month' as const },
    }
    const changed = await stripe.subscriptions.update(made.id, { items: [{ id: item, price_data }], ...NONE })
    const [now] = changed.items.data
    expect(now?.price).toMatchObject({ active: false, unit_amount: 700, product })
    expect(now?.current_period_end).toBe(made.items.data[0]?.current_period_end)
    expect((await stripe.invoices.createPreview({ subscription: made.id })).amount_due).toBe(700)
    expect((await stripe.charges.list({ customer: String(made.customer) })).data).toHaveLength(1)
    await expect(
      stripe.subscriptions.create({ customer, items: [{ price: now?.price.id ?? '' }] }),
    ).rejects.toMatchObject({ statusCode: 400 })
  },
)

here('a renewal at a price that became inactive is collected', async (stripe, world) => {
  const scene = await setScene(world, 'kept')
  await subscribe(world, scene)
  await stripe.prices.update(scene.price, { active: false })
  await passMonth(world)
  expect(await balance(world, scene.account)).toBe(1800)
  await expect(checkout(world, scene)).rejects.toThrow('only accepts active prices')
})

both('a price of another currency, and an item of nobody, are refused', async (stripe) => {
  const { made, item, product } = await started(stripe)
  const { id: euros } = await priced(stripe, product, 1000, 'month', 'eur')
  await expect(
    stripe.subscriptions.update(made.id, { items: [{ id: item, price: euros }], ...NONE }),
  ).rejects.toMatchObject({
    statusCode: 400,
    message: "The price specified only supports `eur`. This doesn't match the expected currency: `usd`.",
  })
  const { id: price } = await priced(stripe, product, 1500, 'month')
  await expect(
    stripe.subscriptions.update(made.id, { items: [{ id: 'si_none', price }], ...NONE }),
  ).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'items[0][id]' })
  await expect(
    stripe.subscriptions.update(made.id, { items: [{ id: item, price: 'price_none' }], ...NONE }),
  ).rejects.toMatchObject({ code: 'resource_missing', param: 'items[0][price]' })
})

here('a change that would be paid for in parts is not carried out', async (stripe) => {
  const { made, item, product } = await started(stripe)
  const { id: price } = await priced(stripe, product, 1500, 'month')
  for (const proration_behavior of [undefined, 'create_prorations', 'always_invoice'] as const)
    await expect(
      stripe.subscriptions.update(made.id, {
        items: [{ id: item, price }],
        ...(proration_behavior !== undefined && { proration_behavior }),
      }),
    ).rejects.toMatchObject({ statusCode: 400, param: 'proration_behavior' })
  expect((await stripe.subscriptions.retrieve(made.id)).items.data[0]?.price.unit_amount).toBe(1000)
})

here(
  'a checkout below the smallest charge is refused, and one that asks for nothing is not',
  async (stripe, world) => {
    const scene = await setScene(world, 'small')
    const sell = async (unit_amount: number, currency = 'usd') => {
      const { id: price } = await priced(stripe, scene.product, unit_amount, 'month', currency)
      const { id: customer } = await stripe.customers.create({})
      return stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        line_items: [{ price, quantity: 1 }],
        success_url: 'http://localhost:9/paid',
      })
    }
    await expect(sell(49)).rejects.toMatchObject({
      statusCode: 400,
      code: 'amount_too_small',
      message: "The Checkout Session's total amount due must add up to at least $0.50 usd",
    })
    await expect(sell(29, 'gbp')).rejects.toMatchObject({ code: 'amount_too_small' })
    expect([(await sell(50)).amount_total, (await sell(30, 'gbp')).amount_total]).toEqual([50, 30])
    expect(await sell(0)).toMatchObject({ amount_total: 0, payment_status: 'no_payment_required' })
  },
)
