import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { suite } from './cases.ts'

const { both } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const DAY = 86_400

async function buyer(stripe: Stripe) {
  const { id: customer } = await stripe.customers.create({ email: 'trial@example.com' })
  const product = await stripe.products.create({ name: 'Signals' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
  })
  return { customer, items: [{ price: price.id }] }
}

both('a trial begins without a card, with an invoice of nothing that is paid', async (stripe) => {
  const made = await stripe.subscriptions.create({
    ...(await buyer(stripe)),
    trial_period_days: 14,
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    expand: ['latest_invoice'],
  })
  const [item] = made.items.data
  const end = made.created + 14 * DAY
  expect([made.status, made.trial_start, made.trial_end]).toEqual(['trialing', made.created, end])
  expect([item?.current_period_start, item?.current_period_end]).toEqual([made.created, end])
  expect([made.billing_cycle_anchor, made.trial_settings?.end_behavior.missing_payment_method]).toEqual([
    end,
    'cancel',
  ])
  expect(made.latest_invoice).toMatchObject({
    status: 'paid',
    billing_reason: 'subscription_create',
    subtotal: 0,
    total: 0,
    amount_due: 0,
    amount_paid: 0,
    lines: { data: [{ amount: 0, description: 'Free trial for 1 × Signals', period: { end } }] },
  })
  expect((await stripe.charges.list({ customer: String(made.customer) })).data).toEqual([])
  return made
})

both('a trial ends at an instant that is named', async (stripe) => {
  const terms = await buyer(stripe)
  const { created } = await stripe.customers.create({})
  const made = await stripe.subscriptions.create({ ...terms, trial_end: created + 30 * DAY })
  expect([made.status, made.trial_end]).toEqual(['trialing', created + 30 * DAY])
  const without = await stripe.subscriptions.create({
    ...terms,
    trial_end: 'now',
    default_payment_method: 'pm_card_visa',
  })
  expect([without.status, without.trial_end]).toEqual(['active', null])
  return made
})

both('a trial that is ended now is asked for at once', async (stripe) => {
  const made = await stripe.subscriptions.create({
    ...(await buyer(stripe)),
    default_payment_method: 'pm_card_visa',
    trial_period_days: 14,
  })
  const ended = await stripe.subscriptions.update(made.id, { trial_end: 'now', expand: ['latest_invoice'] })
  const [item] = ended.items.data
  expect(ended.status).toBe('active')
  expect([ended.trial_end, ended.billing_cycle_anchor]).toEqual([
    item?.current_period_start,
    item?.current_period_start,
  ])
  expect(ended.latest_invoice).toMatchObject({
    status: 'paid',
    billing_reason: 'subscription_update',
    amount_paid: 1000,
  })
  return ended
})

both('a trial that is ended now with a card that fails leaves a payment past due', async (stripe) => {
  const made = await stripe.subscriptions.create({
    ...(await buyer(stripe)),
    default_payment_method: 'pm_card_chargeCustomerFail',
    trial_period_days: 14,
  })
  const ended = await stripe.subscriptions.update(made.id, { trial_end: 'now', expand: ['latest_invoice'] })
  expect([ended.status, (ended.latest_invoice as Stripe.Invoice).status]).toEqual(['past_due', 'open'])
})

both(
  'without a card a trial is not ended now, or ends the subscription where that was agreed',
  async (stripe) => {
    const terms = await buyer(stripe)
    const { id } = await stripe.subscriptions.create({ ...terms, trial_period_days: 14 })
    await expect(stripe.subscriptions.update(id, { trial_end: 'now' })).rejects.toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
    })
    const other = await stripe.subscriptions.create({
      ...terms,
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    })
    const ended = await stripe.subscriptions.update(other.id, { trial_end: 'now' })
    expect([ended.status, ended.cancellation_details?.reason]).toEqual(['canceled', 'cancellation_requested'])
  },
)

both('the end of a trial is moved, and its period and anchor with it', async (stripe) => {
  const made = await stripe.subscriptions.create({ ...(await buyer(stripe)), trial_period_days: 7 })
  const end = made.created + 20 * DAY
  const moved = await stripe.subscriptions.update(made.id, { trial_end: end, expand: ['latest_invoice'] })
  expect([moved.status, moved.trial_start, moved.trial_end, moved.billing_cycle_anchor]).toEqual([
    'trialing',
    made.created,
    end,
    end,
  ])
  expect(moved.items.data[0]?.current_period_end).toBe(end)
  expect(moved.latest_invoice).toMatchObject({ status: 'paid', amount_due: 0 })
  return moved
})

both('a running subscription is given a free time before the next payment', async (stripe) => {
  const made = await stripe.subscriptions.create({
    ...(await buyer(stripe)),
    default_payment_method: 'pm_card_visa',
  })
  const end = made.created + 45 * DAY
  const given = await stripe.subscriptions.update(made.id, { trial_end: end, proration_behavior: 'none' })
  expect([given.status, given.trial_end, given.items.data[0]?.current_period_end]).toEqual([
    'trialing',
    end,
    end,
  ])
  expect((await stripe.charges.list({ customer: String(made.customer) })).data).toHaveLength(1)
})

both('a trial is canceled at its end or at once', async (stripe) => {
  const terms = { ...(await buyer(stripe)), trial_period_days: 7 }
  const made = await stripe.subscriptions.create(terms)
  const planned = await stripe.subscriptions.update(made.id, { cancel_at_period_end: true })
  expect([planned.status, planned.cancel_at]).toEqual(['trialing', made.trial_end])
  const { id } = await stripe.subscriptions.create(terms)
  const ended = await stripe.subscriptions.cancel(id)
  expect([ended.status, ended.ended_at === null]).toEqual(['canceled', false])
  expect((await stripe.invoices.list({ customer: terms.customer })).data.map((one) => one.total)).toEqual([
    0, 0,
  ])
  return planned
})

both('an impossible trial is refused', async (stripe) => {
  const terms = await buyer(stripe)
  const refused = async (more: Partial<Stripe.SubscriptionCreateParams>) => {
    const error = await stripe.subscriptions.create({ ...terms, ...more }).catch((one: unknown) => one)
    const { statusCode, param, message } = error as Stripe.errors.StripeInvalidRequestError
    return [statusCode, param, message]
  }
  const days = 'trial_period_days'
  expect(await refused({ trial_period_days: 0 })).toEqual([
    400,
    days,
    'The minimum number of trial period days is 1.',
  ])
  expect(await refused({ trial_period_days: 731 })).toEqual([
    400,
    days,
    'The maximum number of trial period days is 730 (2 years).',
  ])
  expect(await refused({ trial_end: 1_000_000_000 })).toEqual([
    400,
    'trial_end',
    'The parameter `trial_end` expects a unix timestamp representing a date and time in the future. You specified the value `1000000000` which is in the past.',
  ])
  expect(await refused({ trial_end: 4_102_444_800 })).toEqual([
    400,
    'trial_end',
    'Invalid timestamp: can be no more than five years in the future.',
  ])
  const made = await stripe.subscriptions.create({ ...terms, trial_period_days: 3 })
  await expect(stripe.subscriptions.update(made.id, { trial_end: 1_000_000_000 })).rejects.toMatchObject({
    param: 'trial_end',
  })
})
