import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, passMonth, suite } from './cases.ts'
import { balance, CARD, checkout, type Scene, setScene } from './scene.ts'
import type { TestWorld } from './world.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const NONE = { proration_behavior: 'none' as const }

/** A code for a coupon on these terms. */
async function makeCode(
  stripe: Stripe,
  coupon: Stripe.CouponCreateParams,
  code: Partial<Stripe.PromotionCodeCreateParams> = {},
) {
  const { id } = await stripe.coupons.create(coupon)
  return stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: id }, ...code })
}

/** A checkout with a code that a person completes. */
async function bought(
  stripe: Stripe,
  world: TestWorld,
  scene: Scene,
  code: string,
  trial_period_days?: number,
) {
  const data = { application_fee_percent: 10, transfer_data: { destination: scene.account } }
  const { id, url } = await checkout(world, scene, {
    discounts: [{ promotion_code: code }],
    subscription_data: { ...data, ...(trial_period_days !== undefined && { trial_period_days }) },
  })
  const page = await open(url)
  await press(page, 'Subscribe', CARD)
  const session = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })
  return { session, subscription: session.subscription as Stripe.Subscription, shown: words(page) }
}

/** The totals of a subscription's invoices, the oldest first. */
async function totals(stripe: Stripe, subscription: string): Promise<number[]> {
  const { data } = await stripe.invoices.list({ subscription, limit: 100 })
  return data.reverse().map(({ total }) => total)
}

here(
  'a checkout with a code shows the discount, asks for less and counts it when completed',
  async (stripe, world) => {
    const scene = await setScene(world, 'less')
    const code = await makeCode(
      stripe,
      { percent_off: 25, duration: 'repeating', duration_in_months: 3 },
      { code: 'LESS25' },
    )
    const { url } = await checkout(world, scene, { discounts: [{ promotion_code: code.id }] })
    expect(words(await open(url))).toContain('LESS25 25% off, −$2.50 Total today $7.50')
    const redeemed = async () => {
      const { times_redeemed, promotion } = await stripe.promotionCodes.retrieve(code.id)
      return [times_redeemed, (await stripe.coupons.retrieve(String(promotion.coupon))).times_redeemed]
    }
    expect(await redeemed()).toEqual([0, 0])
    const { session, subscription, shown } = await bought(stripe, world, scene, code.id)
    expect(shown).toContain('$7.50 a month for 3 months, then $10.00 a month')
    expect(await redeemed()).toEqual([1, 1])
    expect(session).toMatchObject({
      payment_status: 'paid',
      amount_subtotal: 1000,
      amount_total: 750,
      total_details: { amount_discount: 250 },
      discounts: [{ coupon: null, promotion_code: code.id }],
    })
    const line = (await stripe.checkout.sessions.listLineItems(session.id)).data[0]
    expect([line?.amount_subtotal, line?.amount_discount, line?.amount_total]).toEqual([1000, 250, 750])
    const [discount] = subscription.discounts
    const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice))
    expect(invoice).toMatchObject({
      status: 'paid',
      subtotal: 1000,
      total: 750,
      amount_paid: 750,
      discounts: [discount],
      total_discount_amounts: [{ amount: 250, discount }],
      lines: { data: [{ amount: 1000, discount_amounts: [{ amount: 250, discount }] }] },
    })
    const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
    // The fee is a tenth of what was paid, not of the price.
    expect([charge?.amount, charge?.application_fee_amount]).toEqual([750, 75])
    expect(await balance(world, scene.account)).toBe(675)
    const whole = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ['discounts.source.coupon'],
    })
    expect(whole.discounts).toMatchObject([
      {
        object: 'discount',
        promotion_code: code.id,
        subscription: subscription.id,
        source: { type: 'coupon', coupon: { percent_off: 25 } },
      },
    ])
  },
)

here('a repeating discount is of the months that begin before its end', async (stripe, world) => {
  const scene = await setScene(world, 'repeats')
  const code = await makeCode(stripe, { percent_off: 33.33, duration: 'repeating', duration_in_months: 3 })
  const { subscription } = await bought(stripe, world, scene, code.id)
  const { id } = subscription
  for (let month = 0; month < 2; month++) await passMonth(world)
  // The fourth month begins in the second in which the discount ends.
  expect((await stripe.invoices.createPreview({ subscription: id })).total).toBe(1000)
  for (let month = 0; month < 2; month++) await passMonth(world)
  expect(await totals(stripe, id)).toEqual([667, 667, 667, 1000, 1000])
  expect((await stripe.subscriptions.retrieve(subscription.id)).discounts).toEqual([])
  const { data: ended } = await stripe.events.list({ type: 'customer.discount.deleted', limit: 100 })
  expect(ended.map(({ data }) => (data.object as Stripe.Discount).id)).toContain(subscription.discounts[0])
  // 10 percent of 6.67 is 0.67, of 10.00 it is 1.00.
  expect(await balance(world, scene.account)).toBe(3 * 600 + 2 * 900)
})

here('a discount for once is of the first invoice that is paid', async (stripe, world) => {
  const scene = await setScene(world, 'once')
  const code = await makeCode(stripe, { amount_off: 300, currency: 'usd', duration: 'once' })
  const { subscription, shown } = await bought(stripe, world, scene, code.id)
  expect(shown).toContain('$7.00 a month the first time, then $10.00 a month')
  expect(subscription.discounts).toEqual([])
  await passMonth(world)
  expect(await totals(stripe, subscription.id)).toEqual([700, 1000])
})

here(
  'a discount for once waits for the end of a trial, and for a payment that succeeds',
  async (stripe, world) => {
    const scene = await setScene(world, 'waits')
    const code = await makeCode(stripe, { percent_off: 50, duration: 'once' })
    const { session, subscription, shown } = await bought(stripe, world, scene, code.id, 7)
    expect(shown).toContain('7 days free, then $5.00 a month the first time, then $10.00 a month')
    expect([session.amount_total, session.total_details?.amount_discount]).toEqual([0, 0])
    expect(subscription.discounts).toHaveLength(1)
    await control(world, 'fail-next', { id: subscription.id })
    await control(world, 'advance', { days: 7 })
    await control(world, 'advance', { seconds: 3600 })
    const owing = await stripe.subscriptions.retrieve(subscription.id)
    expect([owing.status, owing.discounts.length]).toEqual(['past_due', 1])
    await control(world, 'advance', { days: 3 })
    const paid = await stripe.subscriptions.retrieve(subscription.id)
    expect([paid.status, paid.discounts]).toEqual(['active', []])
    await passMonth(world)
    expect(await totals(stripe, subscription.id)).toEqual([0, 500, 1000])
    expect(await balance(world, scene.account)).toBe(450 + 900)
  },
)

here(
  'a discount for once is promised to one invoice at a time, and not used up by a voided one',
  async (stripe, world) => {
    const scene = await setScene(world, 'promised')
    const code = await makeCode(stripe, { percent_off: 50, duration: 'once' })
    const { subscription } = await bought(stripe, world, scene, code.id, 7)
    await stripe.subscriptions.update(subscription.id, { pause_collection: { behavior: 'void' } })
    await control(world, 'advance', { days: 8 })
    await stripe.subscriptions.update(subscription.id, { pause_collection: { behavior: 'keep_as_draft' } })
    await passMonth(world)
    await passMonth(world)
    expect(await totals(stripe, subscription.id)).toEqual([0, 500, 500, 1000])
  },
)

here(
  'a discount for good stays, also when its coupon is deleted, and goes with another price',
  async (stripe, world) => {
    const scene = await setScene(world, 'good')
    const { id: coupon } = await stripe.coupons.create({
      percent_off: 10,
      duration: 'forever',
      name: 'Friends',
    })
    const { id, url } = await checkout(world, scene, { discounts: [{ coupon }] })
    expect(words(await open(url))).toContain('Friends 10% off, −$1.00 Total today $9.00')
    await press(await open(url), 'Subscribe', CARD)
    const { subscription, discounts } = await stripe.checkout.sessions.retrieve(id)
    expect(discounts).toEqual([{ coupon, promotion_code: null }])
    await stripe.coupons.del(coupon)
    await passMonth(world)
    const found = await stripe.subscriptions.retrieve(String(subscription), {
      expand: ['discounts.source.coupon'],
    })
    expect(found.discounts).toMatchObject([{ source: { coupon: { id: coupon, percent_off: 10 } } }])
    const { id: price } = await stripe.prices.create({
      product: scene.product,
      currency: 'usd',
      unit_amount: 2000,
      recurring: { interval: 'month' },
    })
    const item = found.items.data[0]?.id ?? ''
    await stripe.subscriptions.update(found.id, { items: [{ id: item, price }], ...NONE })
    expect((await stripe.invoices.createPreview({ subscription: found.id })).total).toBe(1800)
    await passMonth(world)
    expect(await totals(stripe, found.id)).toEqual([900, 900, 1800])
  },
)

here('a discount that leaves nothing is paid without a charge', async (stripe, world) => {
  const scene = await setScene(world, 'free')
  const code = await makeCode(stripe, { percent_off: 100, duration: 'once' })
  const { session, subscription } = await bought(stripe, world, scene, code.id)
  expect([session.payment_status, session.amount_total]).toEqual(['no_payment_required', 0])
  expect(subscription.status).toBe('active')
  const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice))
  expect(invoice).toMatchObject({ status: 'paid', subtotal: 1000, total: 0, amount_due: 0 })
  expect((await stripe.charges.list({ customer: scene.customer })).data).toEqual([])
  await passMonth(world)
  expect(await totals(stripe, subscription.id)).toEqual([0, 1000])
  expect(await balance(world, scene.account)).toBe(900)
  const off = await makeCode(stripe, { amount_off: 5000, currency: 'usd', duration: 'forever' })
  const more = await bought(stripe, world, scene, off.id)
  await passMonth(world)
  expect(await totals(stripe, more.subscription.id)).toEqual([0, 0])
})

here('a discount of a year’s price by months is of the first year', async (stripe, world) => {
  const scene = await setScene(world, 'year-code')
  const { id: price } = await stripe.prices.create({
    product: scene.product,
    currency: 'usd',
    unit_amount: 10_000,
    recurring: { interval: 'year' },
  })
  const code = await makeCode(stripe, { percent_off: 20, duration: 'repeating', duration_in_months: 12 })
  const { subscription } = await bought(stripe, world, { ...scene, price }, code.id)
  await control(world, 'advance', { months: 12 })
  expect(await totals(stripe, subscription.id)).toEqual([8000, 10_000])
})

both('a subscription of the API takes a discount too', async (stripe) => {
  const { id: customer } = await stripe.customers.create({})
  const product = await stripe.products.create({ name: 'Signals' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
  })
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: price.id }],
    default_payment_method: 'pm_card_visa',
    discounts: [{ coupon }],
    expand: ['latest_invoice', 'discounts'],
  })
  expect(made.latest_invoice).toMatchObject({ status: 'paid', total: 900 })
  expect(made.discounts).toMatchObject([{ promotion_code: null, end: null }])
  return made
})

here('codes and a place to type them do not go together', async (_stripe, world) => {
  const scene = await setScene(world, 'typed')
  const { id } = await makeCode(_stripe, { percent_off: 10 })
  for (const allow_promotion_codes of [true, false])
    await expect(
      checkout(world, scene, { allow_promotion_codes, discounts: [{ promotion_code: id }] }),
    ).rejects.toThrow('You may only specify one of these parameters: allow_promotion_codes, discounts.')
  await expect(checkout(world, scene, { allow_promotion_codes: true })).rejects.toThrow('asks for no code')
})

here('a code for first purchases is for those who bought nothing', async (stripe, world) => {
  const scene = await setScene(world, 'first')
  const restrictions = { first_time_transaction: true }
  const code = await makeCode(stripe, { percent_off: 10 }, { restrictions })
  await bought(stripe, world, scene, code.id)
  await expect(checkout(world, scene, { discounts: [{ promotion_code: code.id }] })).rejects.toThrow(
    'This promotion code cannot be redeemed because the associated customer has prior transactions.',
  )
})

here(
  'a code is redeemed as often as it may be, and a page that came too late says so',
  async (stripe, world) => {
    const scene = await setScene(world, 'late-code')
    const code = await makeCode(stripe, { percent_off: 10, duration: 'forever', max_redemptions: 1 })
    const late = await checkout(world, scene, { discounts: [{ promotion_code: code.id }] })
    await bought(stripe, world, scene, code.id)
    const { active, promotion } = await stripe.promotionCodes.retrieve(code.id)
    expect([active, (await stripe.coupons.retrieve(String(promotion.coupon))).valid]).toEqual([false, false])
    expect(words(await press(await open(late.url), 'Subscribe', CARD))).toContain(
      'is used up and cannot be applied',
    )
    expect((await stripe.checkout.sessions.retrieve(late.id)).status).toBe('open')
    await expect(
      stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: scene.customer,
        line_items: [{ price: scene.price, quantity: 1 }],
        discounts: [{ promotion_code: code.id }],
        success_url: 'http://localhost:9/paid',
      }),
    ).rejects.toMatchObject({ code: 'coupon_expired', param: 'discounts[0][promotion_code]' })
    const own = await makeCode(stripe, { percent_off: 10 }, { max_redemptions: 1 })
    await bought(stripe, world, scene, own.id)
    await expect(checkout(world, scene, { discounts: [{ promotion_code: own.id }] })).rejects.toThrow(
      'it has been used the maximum number of times',
    )
    expect((await stripe.promotionCodes.retrieve(own.id)).active).toBe(false)
  },
)

here(
  'a subscription that ended keeps its discount, and nothing more is heard of it',
  async (stripe, world) => {
    const scene = await setScene(world, 'ended')
    const code = await makeCode(stripe, { percent_off: 10, duration: 'repeating', duration_in_months: 2 })
    const { subscription } = await bought(stripe, world, scene, code.id)
    await stripe.subscriptions.cancel(subscription.id)
    await control(world, 'advance', { months: 3 })
    expect((await stripe.subscriptions.retrieve(subscription.id)).discounts).toEqual(subscription.discounts)
  },
)

here('a discount is announced, shown in the portal and on the invoice', async (stripe, world) => {
  const scene = await setScene(world, 'shown')
  const code = await makeCode(stripe, { percent_off: 25, duration: 'repeating', duration_in_months: 2 })
  const { subscription } = await bought(stripe, world, scene, code.id)
  const { data } = await stripe.events.list({ limit: 30 })
  const types = data.map(({ type }) => type)
  for (const type of ['customer.discount.created', 'coupon.updated', 'promotion_code.updated'])
    expect(types).toContain(type)
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: { invoice_history: { enabled: true } },
  })
  const visit = await stripe.billingPortal.sessions.create({ customer: scene.customer, configuration })
  expect(words(await open(visit.url))).toMatch(/\$10\.00 a month 25% off until .* Renews on .* \$7\.50 Paid/)
  const { hosted_invoice_url } = await stripe.invoices.retrieve(String(subscription.latest_invoice))
  expect(words(await open(hosted_invoice_url ?? ''))).toContain('Discount −$2.50')
})
