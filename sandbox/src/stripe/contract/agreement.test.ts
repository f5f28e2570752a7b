import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fields, number } from '../shape/shape.ts'
import { open, press, type Shown, words } from './browser.ts'
import { control, passMonth, suite } from './cases.ts'
import { api, CARD, checkout, newAccount, type Scene } from './scene.ts'
import { type Inbox, openInbox, type TestWorld } from './world.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

here('pages, API and webhooks agree for a year, to the cent', async (stripe, world) => {
  await using inbox = await openInbox()
  await stripe.webhookEndpoints.create({ url: inbox.url, enabled_events: ['*'] })
  await control(world, 'chaos', { seed: 11, jitterMs: 30, duplicate: 0.1, reorder: 0, drop: 0 })
  const account = await newAccount(world, 'story')
  const link = await stripe.v2.core.accountLinks.create({
    account,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: { refresh_url: 'http://localhost:9/r', return_url: 'http://localhost:9/b' },
    },
  })
  await press(await open(link.url), 'Complete onboarding')
  const { id: product } = await api(world, 'POST', '/v1/products', { name: 'Signals by @story' })
  const { id: price } = await api(world, 'POST', '/v1/prices', {
    product,
    currency: 'usd',
    unit_amount: 1333,
    recurring: { interval: 'month' },
  })
  const { id: customer } = await api(world, 'POST', '/v1/customers', { email: 'story@example.com' })
  const scene: Scene = { account, product, price, customer }
  const trial = await other(world, scene, 'trial@example.com')
  const coded = await other(world, scene, 'coded@example.com')
  const agree = () => expectAgreement(stripe, world, inbox, [scene, trial, coded])
  const { id: coupon } = await stripe.coupons.create({
    percent_off: 25,
    duration: 'repeating',
    duration_in_months: 3,
  })
  const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })

  const free = await checkout(world, trial, {
    subscription_data: { ...shares(scene), trial_period_days: 10 },
  })
  await press(await open(free.url), 'Subscribe', CARD)
  const less = await checkout(world, coded, { discounts: [{ promotion_code: code.id }] })
  await press(await open(less.url), 'Subscribe', CARD)
  await agree()

  const { url } = await checkout(world, scene)
  await press(await open(url), 'Subscribe', { ...CARD, number: '4000000000000002' })
  await agree()
  const question = await press(await open(url), 'Subscribe', { ...CARD, number: '4000002760003184' })
  await press(question, 'Fail')
  await agree()
  await press(await press(await open(url), 'Subscribe', { ...CARD, number: '4000002760003184' }), 'Approve')
  await agree()
  await passMonth(world)
  await agree()
  const portal = () => visit(stripe, customer)
  await press(await portal(), 'Update card', CARD)
  await press(await portal(), 'Pay invoice')
  await agree()
  await press(await portal(), 'Cancel subscription')
  await press(await portal(), 'Renew subscription')
  await agree()
  for (let month = 0; month < 12; month++) {
    if (month === 6) await control(world, 'fail-next', { id: (await only(stripe, customer)).id })
    await passMonth(world)
    await agree()
  }
  const [last] = (await stripe.charges.list({ customer })).data
  await control(world, 'refund', { id: last?.id })
  await agree()
  await press(await portal(), 'Cancel subscription')
  await passMonth(world)
  expect((await only(stripe, customer)).status).toBe('canceled')
  await agree()
  // 14 months of 13.33 after ten free days; and 3 months of 10.00 (13.33 less 25 percent, 3.33) before 12 of 13.33.
  expect([await paidBy(stripe, trial), await paidBy(stripe, coded)]).toEqual([18_662, 18_996])
  expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
  await control(world, 'calm')
})

/** Another customer of the same trader. */
async function other(world: TestWorld, scene: Scene, email: string): Promise<Scene> {
  const { id: customer } = await api(world, 'POST', '/v1/customers', { email })
  return { ...scene, customer }
}

function shares({ account }: Scene) {
  return { application_fee_percent: 10, transfer_data: { destination: account } }
}

/** Cents that a customer paid on all invoices. */
async function paidBy(stripe: Stripe, { customer }: Scene): Promise<number> {
  const invoices = (await stripe.invoices.list({ customer, limit: 100 })).data
  return invoices.reduce((total, { amount_paid }) => total + amount_paid, 0)
}

async function only(stripe: Stripe, customer: string): Promise<Stripe.Subscription> {
  const [subscription] = (await stripe.subscriptions.list({ customer, status: 'all' })).data
  if (subscription === undefined) throw new Error('There is no subscription.')
  return subscription
}

async function visit(stripe: Stripe, customer: string): Promise<Shown> {
  const features = {
    payment_method_update: { enabled: true },
    invoice_history: { enabled: true },
    subscription_cancel: { enabled: true },
  }
  const { id: configuration } = await stripe.billingPortal.configurations.create({ features })
  return open((await stripe.billingPortal.sessions.create({ customer, configuration })).url)
}

/** Three witnesses of the same: what the pages show, what the API answers, what the webhooks brought. */
async function expectAgreement(
  stripe: Stripe,
  world: TestWorld,
  inbox: Inbox,
  scenes: Scene[],
): Promise<void> {
  await expect.poll(() => outstanding(world)).toBe(0)
  const seen = await Promise.all(scenes.map((one) => expectPage(stripe, one)))
  const paid = seen.flatMap((one) => one.paid)
  const subscriptions = seen.flatMap((one) => one.subscriptions)
  const account = scenes[0]?.account ?? ''

  const byId = new Map(inbox.received.map(({ event }) => [event.id, event]))
  const objects = (type: string) =>
    [...byId.values()]
      .filter((event) => event.type === type)
      .map((event) => (event.data as { object: { id: string } }).object)
  expect(
    objects('invoice.paid')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(paid.map(({ id }) => id).sort())
  expect(objects('customer.subscription.created')).toHaveLength(subscriptions.length)
  expect(objects('customer.subscription.deleted')).toHaveLength(
    subscriptions.filter(({ status }) => status === 'canceled').length,
  )

  const received = sum(objects('charge.succeeded'))
  const returned = sum(objects('refund.created'))
  const passedOn = sum(objects('transfer.created')) - sum(await reversals(stripe, account))
  const fees = (await stripe.applicationFees.list({ limit: 100 })).data.reduce(
    (total, one) => total + one.amount - one.amount_refunded,
    0,
  )
  expect(received).toBe(paid.reduce((total, { amount_paid }) => total + amount_paid, 0))
  const [own] = (await stripe.balance.retrieve()).available
  const trader = await stripe.balance.retrieve({}, { stripeAccount: account })
  const holds = sum([...trader.available, ...trader.pending])
  const paidOut = sum((await stripe.payouts.list({ limit: 100 }, { stripeAccount: account })).data)
  expect(holds + paidOut).toBe(passedOn - fees)
  expect((own?.amount ?? 0) + holds + paidOut).toBe(received - returned)
  const { url } = await stripe.accounts.createLoginLink(account)
  const dollars = `$${(holds / 100).toFixed(2)}`
  expect(words(await open(url))).toContain(
    `Balance ${passedOn === 0 && received === 0 ? 'Nothing yet' : dollars}`,
  )
}

/** The portal shows a customer the invoices and subscriptions that the API answers. */
async function expectPage(stripe: Stripe, { customer }: Scene) {
  const invoices = (await stripe.invoices.list({ customer, limit: 100 })).data
  const paid = invoices.filter(({ status }) => status === 'paid')
  const subscriptions = (await stripe.subscriptions.list({ customer, status: 'all' })).data
  const page = words(await visit(stripe, customer))
  for (const [status, word] of [
    ['paid', 'Paid'],
    ['open', 'Open'],
  ])
    for (const cents of [0, 1000, 1333])
      expect(page.split(`$${(cents / 100).toFixed(2)} ${word}`).length - 1).toBe(
        invoices.filter((one) => one.status === status && one.amount_due === cents).length,
      )
  const live = subscriptions.filter(({ status }) => ['active', 'past_due', 'trialing'].includes(status))
  expect(page.includes('No subscriptions.')).toBe(live.length === 0)
  return { paid, subscriptions }
}

async function reversals(stripe: Stripe, account: string): Promise<{ amount: number }[]> {
  const transfers = (await stripe.transfers.list({ destination: account, limit: 100 })).data
  return transfers.map(({ amount_reversed }) => ({ amount: amount_reversed }))
}

function sum(objects: object[]): number {
  return objects.reduce((total, one) => total + (one as { amount: number }).amount, 0)
}

function outstanding(world: TestWorld): number {
  return (
    world.world.db.get(fields({ n: number }), "SELECT count(*) AS n FROM deliveries WHERE state = 'waiting'")
      ?.n ?? 0
  )
}
