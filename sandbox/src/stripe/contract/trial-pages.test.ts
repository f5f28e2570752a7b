import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, passMonth, suite } from './cases.ts'
import { balance, CARD, checkout, type Scene, setScene } from './scene.ts'
import type { TestWorld } from './world.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const DAY = 86_400

/** A checkout with so many free days that a person completes with a card. */
async function tried(stripe: Stripe, world: TestWorld, scene: Scene, days: number, number = CARD.number) {
  const { id, url } = await checkout(world, scene, {
    subscription_data: {
      application_fee_percent: 10,
      transfer_data: { destination: scene.account },
      trial_period_days: days,
    },
    payment_method_collection: 'always',
  })
  await press(await open(url), 'Subscribe', { ...CARD, number })
  const { subscription } = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })
  return subscription as Stripe.Subscription
}

const latest = async (stripe: Stripe, id: string) =>
  (await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })).latest_invoice as Stripe.Invoice

/** The events of one type about one object. */
async function about(stripe: Stripe, type: string, id: string): Promise<Stripe.Event[]> {
  const { data } = await stripe.events.list({ type, limit: 100 })
  return data.filter((event) => (event.data.object as { id: string }).id === id)
}

here('a checkout with a trial takes the card, asks nothing, and says so', async (stripe, world) => {
  const scene = await setScene(world, 'seven')
  const refused = checkout(world, scene, { subscription_data: { trial_period_days: 731 } })
  await expect(refused).rejects.toThrow('The maximum number of trial period days is 730')
  const data = { application_fee_percent: 10, transfer_data: { destination: scene.account } }
  const { id, url } = await checkout(world, scene, { subscription_data: { ...data, trial_period_days: 7 } })
  const page = await open(url)
  expect(words(page)).toContain('7 days free, then $10.00 a month')
  const paid = await press(page, 'Subscribe', CARD)
  expect(paid.location).toBe(`http://localhost:9/payment/success?session_id=${id}`)
  const session = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription', 'invoice'] })
  expect(session).toMatchObject({
    status: 'complete',
    payment_status: 'no_payment_required',
    amount_total: 0,
    invoice: { status: 'paid', total: 0 },
    subscription: { status: 'trialing', application_fee_percent: 10 },
  })
  const { trial_end, start_date, default_payment_method } = session.subscription as Stripe.Subscription
  expect((trial_end ?? 0) - start_date).toBe(7 * DAY)
  const method = await stripe.paymentMethods.retrieve(String(default_payment_method))
  expect(method.card?.last4).toBe('4242')
  expect((await stripe.charges.list({ customer: scene.customer })).data).toEqual([])
})

here(
  'at the end of a trial a full period is asked for, announced three days before',
  async (stripe, world) => {
    const scene = await setScene(world, 'full')
    const { id, trial_end } = await tried(stripe, world, scene, 7)
    const end = trial_end ?? 0
    await control(world, 'advance', { days: 4 })
    const notices = await about(stripe, 'customer.subscription.trial_will_end', id)
    expect(notices.map(({ created }) => created)).toEqual([end - 3 * DAY])
    await control(world, 'advance', { days: 3 })
    const renewed = await stripe.subscriptions.retrieve(id)
    expect([renewed.status, renewed.billing_cycle_anchor]).toEqual(['active', end])
    expect(renewed.items.data[0]?.current_period_start).toBe(end)
    expect(await latest(stripe, id)).toMatchObject({
      status: 'draft',
      billing_reason: 'subscription_cycle',
      amount_due: 1000,
    })
    const [change] = await about(stripe, 'customer.subscription.updated', id)
    expect(change?.data.previous_attributes).toMatchObject({ status: 'trialing' })
    await control(world, 'advance', { seconds: 3600 })
    expect(await latest(stripe, id)).toMatchObject({ status: 'paid' })
    await passMonth(world)
    expect(await balance(world, scene.account)).toBe(1800)
    expect(await about(stripe, 'customer.subscription.trial_will_end', id)).toHaveLength(1)
  },
)

here('a trial of less than three days is announced at its beginning', async (stripe, world) => {
  const { id, created } = await tried(stripe, world, await setScene(world, 'short'), 2)
  const notices = await about(stripe, 'customer.subscription.trial_will_end', id)
  expect(notices.map((event) => event.created)).toEqual([created])
})

here(
  'a card that can be saved alone begins a trial, and owes at its end until another comes',
  async (stripe, world) => {
    const scene = await setScene(world, 'owes')
    const { id, status } = await tried(stripe, world, scene, 7, '4000000000000341')
    expect(status).toBe('trialing')
    await control(world, 'advance', { days: 7 })
    await control(world, 'advance', { seconds: 3600 })
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
    const features = { payment_method_update: { enabled: true }, invoice_history: { enabled: true } }
    const { id: configuration } = await stripe.billingPortal.configurations.create({ features })
    const visit = await stripe.billingPortal.sessions.create({ customer: scene.customer, configuration })
    await press(await open(visit.url), 'Update card', CARD)
    await control(world, 'advance', { days: 3 })
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
    expect(await balance(world, scene.account)).toBe(900)
  },
)

here(
  'a card that the bank asks about once is approved at the beginning of a trial',
  async (stripe, world) => {
    const scene = await setScene(world, 'asked')
    const { url } = await checkout(world, scene, {
      subscription_data: { transfer_data: { destination: scene.account }, trial_period_days: 1 },
    })
    const page = await open(url)
    expect(words(page)).toContain('1 day free, then')
    const question = await press(page, 'Subscribe', { ...CARD, number: '4000002500003155' })
    expect(words(question)).toContain('Your bank asks whether you want to use this card here.')
    await press(question, 'Approve')
    await control(world, 'advance', { days: 1 })
    await control(world, 'advance', { seconds: 3600 })
    const [subscription] = (await stripe.subscriptions.list({ customer: scene.customer })).data
    expect(subscription?.status).toBe('active')
    expect(await latest(stripe, subscription?.id ?? '')).toMatchObject({ status: 'paid', amount_paid: 1000 })
  },
)

here('a refused card begins no trial', async (stripe, world) => {
  const scene = await setScene(world, 'no-trial')
  const { id, url } = await checkout(world, scene, { subscription_data: { trial_period_days: 7 } })
  const answer = await press(await open(url), 'Subscribe', { ...CARD, number: '4000000000000002' })
  expect(words(answer)).toContain('Your card was declined.')
  expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open')
  expect((await stripe.subscriptions.list({ customer: scene.customer, status: 'all' })).data).toEqual([])
})

here('a trial that is canceled ends at its end without an invoice', async (stripe, world) => {
  const scene = await setScene(world, 'left')
  const { id, trial_end } = await tried(stripe, world, scene, 7)
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: { subscription_cancel: { enabled: true } },
  })
  const visit = await stripe.billingPortal.sessions.create({ customer: scene.customer, configuration })
  expect(words(await open(visit.url))).toContain('$10.00 a month Free until')
  await press(await open(visit.url), 'Cancel subscription')
  await control(world, 'advance', { days: 7 })
  const ended = await stripe.subscriptions.retrieve(id)
  expect([ended.status, ended.ended_at]).toEqual(['canceled', trial_end])
  expect((await stripe.invoices.list({ subscription: id })).data.map((one) => one.total)).toEqual([0])
})

here('a trial that is canceled at once is not announced any more', async (stripe, world) => {
  const { id } = await tried(stripe, world, await setScene(world, 'gone'), 7)
  await stripe.subscriptions.cancel(id)
  await control(world, 'advance', { days: 7 })
  expect(await about(stripe, 'customer.subscription.trial_will_end', id)).toEqual([])
})

here('at the end of a trial without a card it owes or ends, as was agreed', async (stripe, world) => {
  const scene = await setScene(world, 'cardless')
  const ends: string[] = []
  for (const missing_payment_method of ['create_invoice', 'cancel'] as const) {
    const made = await stripe.subscriptions.create({
      customer: scene.customer,
      items: [{ price: scene.price }],
      trial_period_days: 7,
      trial_settings: { end_behavior: { missing_payment_method } },
    })
    ends.push(made.id)
  }
  await control(world, 'advance', { days: 7 })
  await control(world, 'advance', { seconds: 3600 })
  const status = async (id: string) => (await stripe.subscriptions.retrieve(id)).status
  expect(await Promise.all(ends.map(status))).toEqual(['past_due', 'canceled'])
})

here('while collection is paused the end of a trial charges nothing', async (stripe, world) => {
  const scene = await setScene(world, 'trial-paused')
  const { id } = await tried(stripe, world, scene, 7)
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })
  await control(world, 'advance', { days: 8 })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  expect(await latest(stripe, id)).toMatchObject({ status: 'void', amount_due: 1000 })
  await stripe.subscriptions.update(id, { pause_collection: '' })
  await passMonth(world)
  expect(await balance(world, scene.account)).toBe(900)
})

here('the next invoice of a trial is previewed as the first that is paid', async (stripe, world) => {
  const { id, trial_end } = await tried(stripe, world, await setScene(world, 'preview'), 7)
  const next = await stripe.invoices.createPreview({ subscription: id })
  expect([next.amount_due, next.lines.data[0]?.period.start]).toEqual([1000, trial_end])
})

here(
  'a card has one fingerprint with every customer, and another number has another',
  async (stripe, world) => {
    const scene = await setScene(world, 'prints')
    const print = async (customer: string, number: string) => {
      const made = await tried(stripe, world, { ...scene, customer }, 7, number)
      const method = await stripe.paymentMethods.retrieve(String(made.default_payment_method))
      return method.card?.fingerprint
    }
    const { id: other } = await stripe.customers.create({ email: 'other@example.com' })
    const first = await print(scene.customer, '4242424242424242')
    expect(first).toBe(await print(other, '4242424242424242'))
    expect(first).not.toBe(await print(other, '5555555555554444'))
  },
)

here('the control desk shows a trial, and lets its first payment fail', async (stripe, world) => {
  const scene = await setScene(world, 'desk')
  const { id } = await tried(stripe, world, scene, 7)
  expect(words(await open(`${world.url}/control`))).toContain('desk-buyer@example.com, trialing, free until')
  await control(world, 'fail-next', { id })
  await control(world, 'advance', { days: 7 })
  await control(world, 'advance', { seconds: 3600 })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
})
