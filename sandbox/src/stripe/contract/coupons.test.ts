import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, suite } from './cases.ts'
import { setScene } from './scene.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const DAY = 86_400

/** A code for a coupon on these terms. */
async function makeCode(
  stripe: Stripe,
  coupon: Stripe.CouponCreateParams,
  code: Partial<Stripe.PromotionCodeCreateParams> = {},
) {
  const { id } = await stripe.coupons.create(coupon)
  return stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: id }, ...code })
}

/** The refusal of a request, as status, code, parameter and words. */
async function refusal(request: Promise<unknown>) {
  const error = (await request.catch((one: unknown) => one)) as Stripe.errors.StripeInvalidRequestError
  return [error.statusCode, error.code, error.param, error.message]
}

both('a coupon is made, read, renamed, listed and deleted', async (stripe) => {
  const made = await stripe.coupons.create({
    percent_off: 12.5,
    duration: 'repeating',
    duration_in_months: 3,
    max_redemptions: 10,
    name: 'Spring',
    metadata: { a: 'b' },
  })
  expect(made).toMatchObject({
    object: 'coupon',
    percent_off: 12.5,
    amount_off: null,
    currency: null,
    duration: 'repeating',
    duration_in_months: 3,
    max_redemptions: 10,
    times_redeemed: 0,
    valid: true,
  })
  expect(made.id).toMatch(/^[a-zA-Z0-9]{8}$/)
  const renamed = await stripe.coupons.update(made.id, { name: 'Summer', metadata: { c: 'd' } })
  expect([renamed.name, renamed.metadata]).toEqual(['Summer', { a: 'b', c: 'd' }])
  expect((await stripe.coupons.list({ limit: 100 })).data.map(({ id }) => id)).toContain(made.id)
  expect(await stripe.coupons.del(made.id)).toMatchObject({ id: made.id, deleted: true })
  expect(await refusal(stripe.coupons.retrieve(made.id))).toEqual([
    404,
    'resource_missing',
    'id',
    `No such coupon: '${made.id}'`,
  ])
  expect((await stripe.coupons.list({ limit: 100 })).data.map(({ id }) => id)).not.toContain(made.id)
  return made
})

both(
  'a coupon of an amount has a currency, an id of its own, and shows its products on request',
  async (stripe, mark) => {
    const id = `HALF-${mark}`
    const product = await stripe.products.create({ name: 'Signals' })
    const made = await stripe.coupons.create({
      id,
      amount_off: 500,
      currency: 'usd',
      duration: 'forever',
      applies_to: { products: [product.id] },
    })
    expect([made.id, made.amount_off, made.currency, made.percent_off]).toEqual([id, 500, 'usd', null])
    expect(made).not.toHaveProperty('applies_to')
    const shown = await stripe.coupons.retrieve(id, { expand: ['applies_to'] })
    expect(shown.applies_to).toEqual({ products: [product.id] })
    expect(await refusal(stripe.coupons.create({ id, percent_off: 10 }))).toEqual([
      400,
      'resource_already_exists',
      undefined,
      'Coupon already exists.',
    ])
    return made
  },
)

both('an impossible coupon is refused', async (stripe) => {
  const refused = async (params: Stripe.CouponCreateParams) =>
    (await refusal(stripe.coupons.create(params))).slice(1)
  const none = undefined
  expect(await refused({})).toEqual(['parameter_missing', none, 'Must provide percent_off or amount_off.'])
  expect(await refused({ percent_off: 10, amount_off: 10, currency: 'usd' })).toEqual([
    none,
    none,
    'Received both percent_off and amount_off parameters. Please pass in only one.',
  ])
  expect(await refused({ amount_off: 10 })).toEqual([
    none,
    'currency',
    'You must pass currency when passing amount_off',
  ])
  expect(await refused({ percent_off: 0 })).toEqual([
    none,
    'percent_off',
    "This value must be greater than or equal to 0.01 (it currently is '0.0').",
  ])
  expect(await refused({ percent_off: 100.5 })).toEqual([
    none,
    'percent_off',
    "This value must be less than or equal to 100 (it currently is '100.5').",
  ])
  expect(await refused({ percent_off: 10, duration: 'repeating' })).toEqual([
    none,
    'duration',
    'The duration_in_months param must be set when creating a coupon with a repeating duration',
  ])
  expect(await refused({ percent_off: 10, redeem_by: 1_000_000_000 })).toEqual([
    none,
    'redeem_by',
    'The parameter `redeem_by` expects a unix timestamp representing a date and time in the future. You specified the value `1000000000` which is in the past.',
  ])
  expect((await refused({ percent_off: 10, duration: 'once', duration_in_months: 2 }))[1]).toBe(
    'duration_in_months',
  )
  expect((await refused({ percent_off: 10, max_redemptions: 0 })).slice(0, 2)).toEqual([
    'parameter_invalid_integer',
    'max_redemptions',
  ])
  expect((await refused({ amount_off: 0, currency: 'usd' }))[1]).toBe('amount_off')
  expect((await refused({ percent_off: 10, name: 'x'.repeat(41) }))[1]).toBe('name')
})

both('a promotion code leads to its coupon, and is drawn unless it is given', async (stripe, mark) => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
  const { id: customer } = await stripe.customers.create({})
  const made = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon },
    code: `Spring-${mark}`,
    customer,
    max_redemptions: 5,
    restrictions: {
      first_time_transaction: true,
      minimum_amount: 1000,
      minimum_amount_currency: 'usd',
    },
    metadata: { a: 'b' },
  })
  expect(made).toMatchObject({
    object: 'promotion_code',
    active: true,
    code: `Spring-${mark}`,
    customer,
    expires_at: null,
    max_redemptions: 5,
    promotion: { type: 'coupon', coupon },
    restrictions: {
      first_time_transaction: true,
      minimum_amount: 1000,
      minimum_amount_currency: 'usd',
    },
    times_redeemed: 0,
  })
  const shown = await stripe.promotionCodes.retrieve(made.id, { expand: ['promotion.coupon'] })
  expect(shown.promotion.coupon).toMatchObject({ id: coupon, percent_off: 10 })
  const drawn = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
  expect(drawn.code).toMatch(/^[A-Z0-9]{8}$/)
  const ids = async (params: Stripe.PromotionCodeListParams) =>
    (await stripe.promotionCodes.list(params)).data.map(({ id }) => id)
  expect(await ids({ coupon })).toEqual([drawn.id, made.id])
  expect(await ids({ code: `SPRING-${mark}` })).toEqual([made.id])
  expect(await ids({ customer })).toEqual([made.id])
  expect(await ids({ coupon, active: false })).toEqual([])
  const ended = await stripe.promotionCodes.update(made.id, { active: false, metadata: { c: 'd' } })
  expect([ended.active, ended.metadata]).toEqual([false, { a: 'b', c: 'd' }])
  expect(await ids({ coupon, active: false })).toEqual([made.id])
  expect((await stripe.promotionCodes.update(made.id, { active: true })).active).toBe(true)
  return made
})

both('an active code is taken in every spelling, and free again once it is ended', async (stripe, mark) => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
  const promotion = { type: 'coupon' as const, coupon }
  const code = `Taken-${mark}`
  const make = (more: Partial<Stripe.PromotionCodeCreateParams> = {}) =>
    stripe.promotionCodes.create({ promotion, code, ...more })
  const { id } = await make()
  const taken = [400, undefined, undefined]
  expect((await refusal(make())).slice(0, 3)).toEqual(taken)
  expect(await refusal(make({ code: code.toUpperCase() }))).toEqual([
    ...taken,
    `An active promotion code with \`code: ${code.toUpperCase()}\` already exists.`,
  ])
  const { id: ann } = await stripe.customers.create({})
  const { id: bob } = await stripe.customers.create({})
  expect((await refusal(make({ customer: ann })))[0]).toBe(400)
  await stripe.promotionCodes.update(id, { active: false })
  await make({ customer: ann })
  await make({ customer: bob })
  expect((await refusal(make({ customer: ann })))[0]).toBe(400)
  expect((await refusal(stripe.promotionCodes.update(id, { active: true })))[0]).toBe(400)
})

both('an impossible promotion code is refused', async (stripe) => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10, max_redemptions: 3 })
  const refused = async (params: Partial<Stripe.PromotionCodeCreateParams>) =>
    (await refusal(stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon }, ...params }))).slice(
      1,
    )
  const none = undefined
  expect(await refused({ promotion: { type: 'coupon', coupon: 'none' } })).toEqual([
    'resource_missing',
    'promotion[coupon]',
    "No such coupon: 'none'",
  ])
  expect(await refused({ promotion: { type: 'coupon' } })).toEqual([
    none,
    'promotion.coupon',
    'You must pass promotion.coupon when passing promotion',
  ])
  expect(await refused({ code: 'has spaces!' })).toEqual([
    none,
    'code',
    'This value must match the regex pattern. (/\\A[a-zA-Z0-9\\-_]+\\z/ does not match for the value has spaces!).',
  ])
  expect((await refused({ customer: 'cus_none' })).slice(0, 2)).toEqual(['resource_missing', 'customer'])
  expect(await refused({ expires_at: 2000 })).toEqual([
    none,
    'expires_at',
    'The parameter `expires_at` expects a unix timestamp representing a date and time in the future. You specified the value `2000` which is in the past.',
  ])
  expect(await refused({ expires_at: 4_102_444_800 })).toEqual([
    none,
    'expires_at',
    'Invalid timestamp: can be no more than five years in the future.',
  ])
  expect((await refused({ max_redemptions: 4 }))[1]).toBe('max_redemptions')
  expect((await refused({ restrictions: { minimum_amount: 5 } }))[1]).toBe(
    'restrictions[minimum_amount_currency]',
  )
  expect(await refusal(stripe.promotionCodes.retrieve('promo_none'))).toEqual([
    404,
    'resource_missing',
    'id',
    "No such promotion code: 'promo_none'",
  ])
})

both('with a coupon its codes end, and do not begin again', async (stripe) => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
  const { id } = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
  await stripe.coupons.del(coupon)
  expect((await stripe.promotionCodes.retrieve(id)).active).toBe(false)
  expect((await refusal(stripe.promotionCodes.update(id, { active: true })))[0]).toBe(400)
})

here('a coupon and a code end at their times', async (stripe, world) => {
  const { now } = (await (await fetch(`${world.url}/control/api/state`)).json()) as { now: string }
  const at = Math.floor(new Date(now).getTime() / 1000)
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10, redeem_by: at + 2 * DAY })
  const code = (expires_at?: number) =>
    stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon },
      ...(expires_at !== undefined && { expires_at }),
    })
  expect((await refusal(code(at + 3 * DAY)))[2]).toBe('expires_at')
  const ids = [(await code(at + DAY)).id, (await code()).id]
  const active = async () =>
    Promise.all(ids.map(async (id) => (await stripe.promotionCodes.retrieve(id)).active))
  const valid = async () => (await stripe.coupons.retrieve(coupon)).valid
  expect([await active(), await valid()]).toEqual([[true, true], true])
  await control(world, 'advance', { days: 1 })
  expect([await active(), await valid()]).toEqual([[false, true], true])
  await control(world, 'advance', { days: 1 })
  expect([await active(), await valid()]).toEqual([[false, false], false])
  expect((await refusal(code()))[1]).toBe('coupon_expired')
})

here('coupons and codes are announced', async (stripe) => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 10 })
  const { id } = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
  await stripe.promotionCodes.update(id, { active: false })
  await stripe.coupons.update(coupon, { name: 'New' })
  await stripe.coupons.del(coupon)
  const { data } = await stripe.events.list({ limit: 5 })
  expect(data.reverse().map(({ type, data: { previous_attributes: before } }) => [type, before])).toEqual([
    ['coupon.created', undefined],
    ['promotion_code.created', undefined],
    ['promotion_code.updated', { active: true }],
    ['coupon.updated', { name: null }],
    ['coupon.deleted', undefined],
  ])
})

here('a code that cannot be redeemed is refused, and names its parameter', async (stripe, world) => {
  const scene = await setScene(world, 'refused-code')
  const refused = async (discounts: object[]) => {
    const request = stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: scene.customer,
      line_items: [{ price: scene.price, quantity: 1 }],
      discounts,
      success_url: 'http://localhost:9/paid',
    })
    return (await refusal(request)).slice(1)
  }
  const ofCode = async (
    terms: Stripe.CouponCreateParams,
    code: Partial<Stripe.PromotionCodeCreateParams> = {},
  ) => refused([{ promotion_code: (await makeCode(stripe, terms, code)).id }])
  const half = { percent_off: 50 }
  const param = 'discounts[0][promotion_code]'
  const because = (reason: string) => `This promotion code cannot be redeemed because ${reason}.`

  expect(await refused([{ coupon: 'none' }])).toEqual([
    'resource_missing',
    'discounts[0][coupon]',
    "No such coupon: 'none'",
  ])
  expect(await refused([{ promotion_code: 'promo_none' }])).toEqual([
    'resource_missing',
    param,
    "No such promotion code: 'promo_none'",
  ])
  expect(await ofCode(half, { active: false })).toEqual([undefined, param, because('it is not active')])
  const { id: other } = await stripe.customers.create({})
  expect(await ofCode(half, { customer: other })).toEqual([
    undefined,
    param,
    because('it belongs to another customer'),
  ])
  const restrictions = { minimum_amount: 1001, minimum_amount_currency: 'usd' }
  expect((await ofCode(half, { restrictions })).slice(0, 2)).toEqual([undefined, param])
  const { id: elsewhere } = await stripe.products.create({ name: 'Other' })
  expect(await ofCode({ ...half, applies_to: { products: [elsewhere] } })).toEqual([
    'coupon_applies_to_nothing',
    param,
    'This coupon cannot be redeemed because it does not apply to anything in this order.',
  ])
  expect((await ofCode({ amount_off: 100, currency: 'eur' }))[1]).toBe(param)
  expect((await refused([{ coupon: 'a' }, { coupon: 'b' }]))[1]).toBe('discounts')
  const { now } = (await (await fetch(`${world.url}/control/api/state`)).json()) as { now: string }
  const soon = Math.floor(new Date(now).getTime() / 1000) + DAY
  const { id: brief } = await stripe.coupons.create({ ...half, redeem_by: soon })
  const ofBrief = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: brief } })
  const short = await makeCode(stripe, half, { expires_at: soon })
  await control(world, 'advance', { days: 1 })
  expect(await refused([{ promotion_code: short.id }])).toEqual([
    'coupon_expired',
    param,
    because('it has expired'),
  ])
  const expired = `Coupon expired: ${brief}`
  expect(await refused([{ coupon: brief }])).toEqual(['coupon_expired', 'discounts[0][coupon]', expired])
  expect(await refused([{ promotion_code: ofBrief.id }])).toEqual(['coupon_expired', param, expired])
  // 96 percent off ten dollars leaves less than can be charged.
  expect((await ofCode({ percent_off: 96 }))[0]).toBe('amount_too_small')
})
