import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, passMonth, suite } from './cases.ts'
import { balance, CARD, checkout, newAccount, setScene } from './scene.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

here('a session opens, is listed, has its line, and expires on request', async (stripe, world) => {
  const scene = await setScene(world)
  const { id, url } = await checkout(world, scene)
  expect(url).toContain(`${world.url}/c/pay/${id}`)
  const session = await stripe.checkout.sessions.retrieve(id, {
    expand: ['line_items.data.price.product', 'customer'],
  })
  expect([session.status, session.payment_status, session.amount_total, session.ui_mode]).toEqual([
    'open',
    'unpaid',
    1000,
    'hosted_page',
  ])
  expect(session.line_items?.data[0]?.price?.product).toMatchObject({ name: 'Signals by @ann' })
  expect((await stripe.checkout.sessions.listLineItems(id)).data[0]?.amount_total).toBe(1000)
  expect((await stripe.checkout.sessions.list({ customer: scene.customer })).data).toHaveLength(1)
  expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired', url: null })
  await expect(stripe.checkout.sessions.expire(id)).rejects.toMatchObject({ statusCode: 400 })
  expect((await open(url)).status).toBe(410)
})

here('a session stores all fields that a platform sets, and returns them', async (stripe, world) => {
  const scene = await setScene(world, 'whole')
  const expires_at = Math.floor(Date.now() / 1000) + 31 * 60 + (await offset(world))
  const metadata = { app: 'a', env: 'e', intent_id: 'i', subscriber_id: 's', trader_id: 't' }
  const made = await stripe.checkout.sessions.create({
    mode: 'subscription',
    ui_mode: 'hosted_page',
    customer: scene.customer,
    client_reference_id: 'intent-7',
    line_items: [{ price: scene.price, quantity: 1 }],
    allowed_payment_method_types: ['card'],
    automatic_tax: { enabled: false },
    customer_update: { address: 'auto' },
    subscription_data: {
      application_fee_percent: 12.5,
      transfer_data: { destination: scene.account },
      metadata,
      billing_mode: { type: 'flexible' },
    },
    metadata,
    success_url: 'http://localhost:9/payment/success?trader=ann&session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:9/trader/ann/subscribe?canceled=1',
    expires_at,
    integration_identifier: 'platform_checkout_1',
  })
  const given = {
    mode: 'subscription',
    ui_mode: 'hosted_page',
    status: 'open',
    payment_status: 'unpaid',
    customer: scene.customer,
    client_reference_id: 'intent-7',
    allowed_payment_method_types: ['card'],
    metadata,
    success_url: 'http://localhost:9/payment/success?trader=ann&session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:9/trader/ann/subscribe?canceled=1',
    expires_at,
    integration_identifier: 'platform_checkout_1',
    amount_total: 1000,
    currency: 'usd',
    subscription: null,
  }
  expect(made).toMatchObject(given)
  expect(await stripe.checkout.sessions.retrieve(made.id)).toMatchObject(given)
  const paid = await press(await open(made.url ?? ''), 'Subscribe', CARD)
  expect(paid.location).toBe(`http://localhost:9/payment/success?trader=ann&session_id=${made.id}`)
  const done = await stripe.checkout.sessions.retrieve(made.id, { expand: ['subscription'] })
  expect(done).toMatchObject({
    ...given,
    status: 'complete',
    payment_status: 'paid',
    url: null,
    subscription: { application_fee_percent: 12.5, transfer_data: { destination: scene.account }, metadata },
  })
  await expect(stripe.checkout.sessions.expire(made.id)).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('complete'),
  })
  expect(await balance(world, scene.account)).toBe(875)
})

here('a session expires automatically', async (stripe, world) => {
  const { id } = await checkout(world, await setScene(world), {
    expires_at: Math.floor(Date.now() / 1000) + 31 * 60 + (await offset(world)),
  })
  await control(world, 'advance', { seconds: 30 * 60 })
  expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open')
  await control(world, 'advance', { seconds: 120 })
  expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('expired')
})

here('an invalid session is refused', async (_stripe, world) => {
  const scene = await setScene(world)
  const refused = async (more: object) =>
    (await checkout(world, scene, more).catch((error: Error) => error.message)) as string
  expect(await refused({ expires_at: 5 })).toContain('at least 30 minutes')
  expect(await refused({ success_url: 'nowhere' })).toContain('Not a valid URL')
  expect(await refused({ mode: 'setup' })).toContain('subscription')
  expect(await refused({ payment_method_types: ['card'] })).toContain(
    'Received unknown parameter: payment_method_types',
  )
  expect(await refused({ customer: 'cus_none' })).toContain("No such customer: 'cus_none'")
  expect(await refused({ line_items: [{ price: 'price_none', quantity: 1 }] })).toContain('No such price')
  const unready = await newAccount(world, 'unready')
  expect(await refused({ subscription_data: { transfer_data: { destination: unready } } })).toContain(
    'capabilities',
  )
  expect(await refused({ subscription_data: { application_fee_percent: 10 } })).toContain('transfer_data')
  expect(await refused({ subscription_data: { billing_mode: { type: 'classic' } } })).toContain('flexible')
  expect(await refused({ subscription_data: { trial_end: 2_000_000_000 } })).toContain(
    "does not carry out the parameter 'subscription_data[trial_end]'",
  )
  expect(await refused({ payment_method_collection: 'if_required' })).toContain('`always` only')
  expect(
    await refused({
      line_items: [{ price: scene.price, quantity: 1, adjustable_quantity: { enabled: true } }],
    }),
  ).toContain("'line_items[0][adjustable_quantity]'")
  expect(await refused({ allowed_payment_method_types: ['paypal'] })).toContain('cards only')
  expect(
    await refused({
      subscription_data: { application_fee_percent: 10.001, transfer_data: { destination: scene.account } },
    }),
  ).toContain('two decimal')
})

here(
  'paying makes the subscription, its invoice and the trader’s part, to the cent',
  async (stripe, world) => {
    const scene = await setScene(world, 'payer')
    const before = await balance(world)
    const { id, url } = await checkout(world, scene)
    const paid = await press(await open(url), 'Subscribe', CARD)
    expect(paid.location).toBe(`http://localhost:9/payment/success?session_id=${id}`)
    const session = await stripe.checkout.sessions.retrieve(id, {
      expand: ['subscription.latest_invoice.payments', 'invoice'],
    })
    expect([session.status, session.payment_status, session.client_reference_id]).toEqual([
      'complete',
      'paid',
      'intent-1',
    ])
    const subscription = session.subscription as Stripe.Subscription
    expect(subscription).toMatchObject({
      status: 'active',
      metadata: { intent: '1' },
      billing_mode: { type: 'flexible' },
      application_fee_percent: 10,
    })
    const invoice = subscription.latest_invoice as Stripe.Invoice
    expect(invoice).toMatchObject({
      status: 'paid',
      amount_paid: 1000,
      billing_reason: 'subscription_create',
    })
    expect(invoice.parent?.subscription_details?.subscription).toBe(subscription.id)
    const intent = invoice.payments?.data[0]?.payment.payment_intent as string
    const { latest_charge } = await stripe.paymentIntents.retrieve(intent, {
      expand: ['latest_charge.transfer', 'latest_charge.application_fee'],
    })
    const charge = latest_charge as Stripe.Charge
    expect(charge).toMatchObject({
      status: 'succeeded',
      amount: 1000,
      application_fee_amount: 100,
      transfer: { amount: 1000, destination: scene.account },
      application_fee: { amount: 100 },
    })
    expect([await balance(world, scene.account), (await balance(world)) - before]).toEqual([900, 100])
    expect(words(await open(url))).toContain('paid already')
  },
)

here('each refused card leaves the page, the session and the account as they were', async (stripe, world) => {
  const scene = await setScene(world, 'refused')
  const { id, url } = await checkout(world, scene)
  const cards: [string, string][] = [
    ['4000000000000002', 'Your card was declined.'],
    ['4000000000009995', 'Your card has insufficient funds.'],
    ['4000000000000069', 'Your card has expired.'],
    ['4000000000000127', "Your card's security code is incorrect."],
    ['4000000000000119', 'An error occurred while processing your card.'],
    ['4000000000000341', 'Your card was declined.'],
    ['4242424242424241', 'Your card number is invalid.'],
    ['4111111111111111', 'This is not a test card.'],
  ]
  for (const [number, message] of cards) {
    const answer = await press(await open(url), 'Subscribe', { ...CARD, number })
    expect([number, words(answer).includes(message)]).toEqual([number, true])
    expect(answer.html).toContain('aria-invalid="true"')
    expect(answer.html).not.toContain(
      'name="cvc" inputmode="numeric" autocomplete="off" maxlength="4" required placeholder="123" value',
    )
  }
  for (const [field, value, message] of [
    ['expiry', '01 / 20', 'past'],
    ['expiry', '13/30', 'invalid'],
    ['cvc', '1', 'incomplete'],
  ] as const)
    expect(words(await press(await open(url), 'Subscribe', { ...CARD, [field]: value }))).toContain(message)
  expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open')
  expect((await stripe.subscriptions.list({ customer: scene.customer, status: 'all' })).data).toEqual([])
  expect((await stripe.paymentMethods.list({ customer: scene.customer })).data).toEqual([])
})

here('3-D Secure: failing goes back to the form, approving pays', async (stripe, world) => {
  const scene = await setScene(world, 'secure')
  const { id, url } = await checkout(world, scene)
  const question = await press(await open(url), 'Subscribe', { ...CARD, number: '4000002500003155' })
  expect(words(question)).toContain('3-D Secure')
  expect(words(await press(question, 'Fail'))).toContain('unable to authenticate')
  expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open')
  const again = await press(await open(url), 'Subscribe', { ...CARD, number: '4000002500003155' })
  expect((await press(again, 'Approve')).location).toContain('/payment/success')
  const [subscription] = (await stripe.subscriptions.list({ customer: scene.customer })).data
  expect(subscription?.status).toBe('active')
  // Approved once, such a card pays renewals without a further approval.
  await passMonth(world)
  expect((await stripe.subscriptions.retrieve(subscription?.id ?? '')).status).toBe('active')
  expect(
    (await stripe.invoices.list({ subscription: subscription?.id ?? '' })).data.map((one) => one.status),
  ).toEqual(['paid', 'paid'])
})

here('a session is paid once, even from two tabs', async (stripe, world) => {
  const scene = await setScene(world, 'tabs')
  const { url } = await checkout(world, scene)
  const [left, right] = [await open(url), await open(url)]
  await Promise.all([press(left, 'Subscribe', CARD), press(right, 'Subscribe', CARD)])
  expect((await stripe.subscriptions.list({ customer: scene.customer })).data).toHaveLength(1)
  expect((await stripe.charges.list({ customer: scene.customer })).data).toHaveLength(1)
})

here(
  'the page’s policy names where its form may lead, runs no script, and takes no forged form',
  async (_stripe, world) => {
    const { url } = await checkout(world, await setScene(world, 'csrf'))
    const page = await open(url)
    expect(page.policy).toMatch(/default-src 'none'.*form-action 'self' http:\/\/localhost:9/)
    expect(page.html).not.toContain('<script')
    expect(words(page)).toContain('No real money')
    expect(page.html).toContain('<a class="tall" href="http://localhost:9/back">Back</a>')
    const address = url.replace(/#.*/, '')
    const forged = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams({ ...CARD, token: 'guess' }),
    })
    expect(forged.status).toBe(403)
    const token = /name="token" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
    const elsewhere = await fetch(address, {
      method: 'POST',
      headers: { origin: 'http://evil.example' },
      body: new URLSearchParams({ ...CARD, token }),
    })
    expect(elsewhere.status).toBe(403)
  },
)

/** Seconds that the sandbox's clock is ahead of the machine's. */
async function offset(world: { url: string }): Promise<number> {
  const { now } = (await (await fetch(`${world.url}/control/api/state`)).json()) as { now: string }
  return Math.round((new Date(now).getTime() - Date.now()) / 1000)
}

here('a seller who lost the right to receive money cannot be paid', async (stripe, world) => {
  const scene = await setScene(world, 'unable')
  const { id, url } = await checkout(world, scene)
  await control(world, 'restrict', { id: scene.account })
  expect(words(await press(await open(url), 'Subscribe', CARD))).toContain('cannot receive payments')
  await control(world, 'restore', { id: scene.account })
  await press(await open(url), 'Subscribe', CARD)
  expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('complete')
})

const AGREED = { ...CARD, terms_of_service: 'on' }
const TERMS = { consent_collection: { terms_of_service: 'required' } }

here('a session that asks for consent is paid by nobody who does not agree', async (stripe, world) => {
  const scene = await setScene(world, 'consent')
  const message = 'I agree to the [terms](https://shop.example/terms), version 7.'
  const { id, url } = await checkout(world, scene, {
    ...TERMS,
    custom_text: { terms_of_service_acceptance: { message } },
  })
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
    consent: { promotions: null, terms_of_service: null },
    consent_collection: { terms_of_service: 'required' },
    custom_text: { terms_of_service_acceptance: { message } },
  })
  const page = await open(url)
  expect(page.html).toContain('<a href="https://shop.example/terms" target="_blank" rel="noopener">terms</a>')
  const refused = await press(page, 'Subscribe', CARD)
  expect(words(refused)).toContain('Agree to the terms of service to continue.')
  expect(refused.html).toMatch(/<input type="checkbox" name="terms_of_service" aria-invalid="true"/)
  expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open')
  const declined = await press(refused, 'Subscribe', { ...AGREED, number: '4000000000000002' })
  expect(declined.html).toContain('name="terms_of_service" checked')
  expect((await press(declined, 'Subscribe', AGREED)).location).toContain('/payment/success')
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
    status: 'complete',
    consent: { promotions: null, terms_of_service: 'accepted' },
  })
})

here('who agreed before the bank asked has agreed behind it', async (stripe, world) => {
  const { id, url } = await checkout(world, await setScene(world, 'bank'), TERMS)
  expect(words(await open(url))).toContain('I agree to the Terms of Service')
  const question = await press(await open(url), 'Subscribe', { ...AGREED, number: '4000002500003155' })
  await press(question, 'Approve')
  expect((await stripe.checkout.sessions.retrieve(id)).consent?.terms_of_service).toBe('accepted')
})

here('without an address of the terms no session asks for consent to them', async (stripe, world) => {
  const scene = await setScene(world, 'no-terms')
  await control(world, 'terms-url', { url: '' })
  await expect(
    stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: scene.customer,
      line_items: [{ price: scene.price, quantity: 1 }],
      consent_collection: { terms_of_service: 'required' },
      success_url: 'http://localhost:9/done',
    }),
  ).rejects.toMatchObject({
    statusCode: 400,
    param: 'consent_collection[terms_of_service]',
    message: expect.stringContaining('unless a URL is set in the Stripe Dashboard'),
  })
  const { id } = await checkout(world, scene)
  expect((await stripe.checkout.sessions.retrieve(id)).consent).toBeNull()
  await expect(control(world, 'terms-url', { url: 'nowhere' })).rejects.toThrow('Not a valid URL')
  await control(world, 'terms-url', { url: 'https://sandbox.example/terms' })
  await checkout(world, scene, TERMS)
})

here('a text on the page has 1,200 characters at most', async (_stripe, world) => {
  const scene = await setScene(world, 'long')
  const saying = (length: number) =>
    checkout(world, scene, {
      ...TERMS,
      custom_text: { terms_of_service_acceptance: { message: 'x'.repeat(length) } },
    })
  await saying(1200)
  await expect(saying(1201)).rejects.toThrow('must be at most 1200 characters')
})
