import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { passMonth, suite } from './cases.ts'
import { CARD, setScene, subscribe } from './scene.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const FEATURES: Stripe.BillingPortal.ConfigurationCreateParams['features'] = {
  payment_method_update: { enabled: true },
  invoice_history: { enabled: true },
  customer_update: { enabled: false },
  subscription_cancel: {
    enabled: true,
    mode: 'at_period_end',
    cancellation_reason: { enabled: true, options: ['too_expensive', 'other'] },
  },
}

both('a configuration of the portal, made and changed', async (stripe) => {
  const made = await stripe.billingPortal.configurations.create({
    features: FEATURES,
    business_profile: { headline: 'Signals' },
  })
  expect(made.features.subscription_cancel).toMatchObject({ enabled: true, mode: 'at_period_end' })
  const changed = await stripe.billingPortal.configurations.update(made.id, {
    business_profile: { headline: 'More signals' },
    metadata: { v: '2' },
  })
  expect(changed.business_profile.headline).toBe('More signals')
  return stripe.billingPortal.configurations.retrieve(made.id)
})

both('a session of the portal', async (stripe) => {
  const { id: configuration } = await stripe.billingPortal.configurations.create({ features: FEATURES })
  const { id: customer } = await stripe.customers.create({})
  const session = await stripe.billingPortal.sessions.create({
    customer,
    configuration,
    return_url: 'https://example.com/account',
  })
  expect([session.customer, session.return_url]).toEqual([customer, 'https://example.com/account'])
  await expect(
    stripe.billingPortal.sessions.create({ customer: 'cus_none', configuration }),
  ).rejects.toMatchObject({ code: 'resource_missing', param: 'customer' })
  return session
})

async function visit(stripe: Stripe, customer: string, more: object = {}): Promise<string> {
  const { id: configuration } = await stripe.billingPortal.configurations.create({ features: FEATURES })
  const session = await stripe.billingPortal.sessions.create({
    customer,
    configuration,
    return_url: 'http://localhost:9/account',
    ...more,
  })
  return session.url
}

here('cancelling sets the end and not the old flag; renewing lifts it', async (stripe, world) => {
  const scene = await setScene(world, 'cancel')
  const { id, items } = await subscribe(world, scene)
  const url = await visit(stripe, scene.customer, {
    flow_data: { type: 'subscription_cancel', subscription_cancel: { subscription: id } },
  })
  const page = await open(url)
  expect(words(page)).toContain('You came here to cancel')
  const canceled = await press(page, 'Cancel subscription')
  expect(words(canceled)).toContain('Ends on')
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
    status: 'active',
    cancel_at: items.data[0]?.current_period_end,
    cancel_at_period_end: false,
  })
  await press(canceled, 'Renew subscription')
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ cancel_at: null, canceled_at: null })
  await press(await open(url), 'Cancel subscription')
  await passMonth(world)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  expect((await open(url)).status).toBe(410)
})

here('another card: refused, saved, and charged at the next renewal', async (stripe, world) => {
  const scene = await setScene(world, 'card')
  const { id } = await subscribe(world, scene)
  const url = await visit(stripe, scene.customer)
  expect(
    words(await press(await open(url), 'Update card', { ...CARD, number: '4000000000000002' })),
  ).toContain('Your card was declined.')
  expect(
    words(await press(await open(url), 'Update card', { ...CARD, number: '4000000000000341' })),
  ).toContain('Your card was updated.')
  await passMonth(world)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
  const late = await visit(stripe, scene.customer)
  expect(words(await open(late))).toContain('past due')
  const good = await press(await open(late), 'Update card', CARD)
  const paid = await press(good, 'Pay invoice')
  expect(words(paid)).toContain('The invoice is paid.')
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  expect(paid.html).toContain('href="http://localhost:9/account"')
})

here('a card with 3-D Secure is approved once and then renews', async (stripe, world) => {
  const scene = await setScene(world, 'portal3ds')
  const { id } = await subscribe(world, scene)
  const url = await visit(stripe, scene.customer)
  const asked = await press(await open(url), 'Update card', { ...CARD, number: '4000002500003155' })
  expect(words(await press(asked, 'Fail'))).toContain('unable to authenticate')
  const again = await press(await open(url), 'Update card', { ...CARD, number: '4000002500003155' })
  expect(words(await press(again, 'Approve'))).toContain('ending in 3155')
  await passMonth(world)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
})

here('a person who was sent here to cancel is led back afterwards', async (stripe, world) => {
  const scene = await setScene(world, 'flow')
  const { id } = await subscribe(world, scene)
  const flow_data: Stripe.BillingPortal.SessionCreateParams.FlowData = {
    type: 'subscription_cancel',
    subscription_cancel: { subscription: id },
    after_completion: { type: 'redirect', redirect: { return_url: 'http://localhost:9/account?canceled=1' } },
  }
  const { id: configuration } = await stripe.billingPortal.configurations.create({ features: FEATURES })
  const session = await stripe.billingPortal.sessions.create({
    customer: scene.customer,
    configuration,
    flow_data,
  })
  expect(session.flow).toMatchObject({
    type: 'subscription_cancel',
    subscription_cancel: { subscription: id },
    after_completion: { type: 'redirect', redirect: { return_url: 'http://localhost:9/account?canceled=1' } },
  })
  const page = await open(session.url)
  expect(page.policy).toContain("form-action 'self' http://localhost:9")
  const left = await press(page, 'Cancel subscription')
  expect(left.location).toBe('http://localhost:9/account?canceled=1')
  const again = await open(await visit(stripe, scene.customer))
  expect(words(again)).toContain('Why did you cancel?')
  expect(words(await press(again, 'Send answer', { feedback: 'nonsense' }))).toContain('Why did you cancel?')
  const thanked = words(await press(again, 'Send answer', { feedback: 'too_expensive' }))
  expect([thanked.includes('Thank you'), thanked.includes('Why did you cancel?')]).toEqual([true, false])
  expect((await stripe.subscriptions.retrieve(id)).cancellation_details).toMatchObject({
    feedback: 'too_expensive',
    reason: 'cancellation_requested',
  })
  await expect(
    stripe.billingPortal.sessions.create({ customer: scene.customer, configuration, flow_data }),
  ).rejects.toMatchObject({ param: 'flow_data[subscription_cancel][subscription]' })
})

here('the portal offers what its configuration enables, and cancels in its mode', async (stripe, world) => {
  const scene = await setScene(world, 'bare')
  const { id } = await subscribe(world, scene)
  const { id: bare } = await stripe.billingPortal.configurations.create({
    features: { invoice_history: { enabled: false } },
  })
  const shown = async (configuration: string) =>
    open((await stripe.billingPortal.sessions.create({ customer: scene.customer, configuration })).url)
  const little = await shown(bare)
  for (const word of ['Update card', 'Cancel subscription', 'Invoices'])
    expect([word, words(little).includes(word)]).toEqual([word, false])
  const { id: atOnce } = await stripe.billingPortal.configurations.create({
    features: { subscription_cancel: { enabled: true, mode: 'immediately' } },
  })
  expect(words(await press(await shown(atOnce), 'Cancel subscription'))).toContain('No subscriptions.')
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  await expect(
    stripe.billingPortal.configurations.create({
      features: { customer_update: { enabled: true, allowed_updates: ['email'] } },
    }),
  ).rejects.toMatchObject({ param: 'features[customer_update][allowed_updates]' })
})

here('one customer sees nothing of another', async (stripe, world) => {
  const [mine, other] = [await setScene(world, 'mine'), await setScene(world, 'other')]
  await subscribe(world, mine)
  const { id } = await subscribe(world, other)
  const page = await open(await visit(stripe, mine.customer))
  expect(page.html).not.toContain('@other')
  await press(page, 'Cancel subscription', { subscription: id })
  expect((await stripe.subscriptions.retrieve(id)).cancel_at).toBeNull()
})
