import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, passMonth, suite } from './cases.ts'
import { api, balance, setScene, subscribe } from './scene.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

async function buyer(stripe: Stripe): Promise<{ customer: string; price: string; card: string }> {
  const { id: customer } = await stripe.customers.create({ email: 'b@example.com' })
  const product = await stripe.products.create({ name: 'Signals' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
  })
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  return { customer, price: price.id, card }
}

both('a subscription with a card is active, and its periods stand at its item', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
    metadata: { a: 'b' },
  })
  expect([made.status, made.billing_mode.type, made.items.data.length]).toEqual(['active', 'flexible', 1])
  expect(made).not.toHaveProperty('current_period_end')
  return stripe.subscriptions.retrieve(made.id)
})

both('a subscription can have begun in the past, and is asked for from now on', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const start = (await stripe.prices.retrieve(price)).created - 100 * 86_400
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
    backdate_start_date: start,
    proration_behavior: 'none',
  })
  expect([made.status, made.start_date]).toEqual(['active', start])
  const [item] = made.items.data
  expect(item?.current_period_start).toBe(made.billing_cycle_anchor)
  expect((item?.current_period_end ?? 0) - made.created).toBeGreaterThan(27 * 86_400)
  return made
})

both('an invoice leads to its subscription and its payment', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  const invoice = await stripe.invoices.retrieve(String(made.latest_invoice), { expand: ['payments'] })
  expect([invoice.status, invoice.parent?.subscription_details?.subscription]).toEqual(['paid', made.id])
  expect(invoice.payments?.data[0]?.payment.type).toBe('payment_intent')
  return invoice
})

both(
  'an invoice shows what was paid outside of Stripe, also as a preview and in its events',
  async (stripe) => {
    const { customer, price, card } = await buyer(stripe)
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price }],
      default_payment_method: card,
    })
    const id = String(made.latest_invoice)
    const { data: events } = await stripe.events.list({ type: 'invoice.paid', limit: 100 })
    const invoice = events.map(({ data }) => data.object as Stripe.Invoice).find((one) => one.id === id)
    expect([
      (await stripe.invoices.retrieve(id)).amount_paid_off_stripe,
      (await stripe.invoices.list({ customer })).data.map((one) => one.amount_paid_off_stripe),
      (await stripe.invoices.createPreview({ subscription: made.id })).amount_paid_off_stripe,
      invoice?.amount_paid_off_stripe,
    ]).toEqual([0, [0], 0, 0])
  },
)

both('items, lines and payments of a subscription can be read separately', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  const items = await stripe.subscriptionItems.list({ subscription: made.id })
  expect(items.data.map(({ id }) => id)).toEqual(made.items.data.map(({ id }) => id))
  const invoice = String(made.latest_invoice)
  const lines = await stripe.invoices.listLineItems(invoice)
  expect(lines.data.map(({ amount }) => amount)).toEqual([1000])
  const [payment] = (await stripe.invoicePayments.list({ invoice })).data
  const read = await stripe.invoicePayments.retrieve(payment?.id ?? '')
  expect([read.invoice, read.amount_paid]).toEqual([invoice, 1000])
  const method = await stripe.paymentMethods.retrieve(card)
  expect([method.customer, method.card?.last4]).toEqual([customer, '4242'])
  return { items, lines, read, method }
})

both('its charge and its payment', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  await stripe.subscriptions.create({ customer, items: [{ price }], default_payment_method: card })
  const charges = await stripe.charges.list({ customer })
  expect(charges.data.map((one) => [one.amount, one.status, one.paid])).toEqual([[1000, 'succeeded', true]])
  return charges.data[0]
})

both('a payment intent leads to its invoice, and to no other', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const buy = () =>
    stripe.subscriptions.create({
      customer,
      items: [{ price }],
      default_payment_method: card,
      expand: ['latest_invoice.payments'],
    })
  const [one, other] = [await buy(), await buy()].map(
    ({ latest_invoice }) => latest_invoice as Stripe.Invoice,
  )
  const intent = String(one?.payments?.data[0]?.payment.payment_intent)
  expect(intent).not.toBe(String(other?.payments?.data[0]?.payment.payment_intent))
  const byIntent = { payment: { type: 'payment_intent' as const, payment_intent: intent } }
  const found = await stripe.invoicePayments.list(byIntent)
  expect(found.data.map(({ invoice, status }) => [invoice, status])).toEqual([[one?.id, 'paid']])
  expect((await stripe.invoicePayments.list({ ...byIntent, status: 'canceled' })).data).toEqual([])
  return found
})

both('the payment intent of a paid invoice', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  await stripe.subscriptions.create({ customer, items: [{ price }], default_payment_method: card })
  const { data } = await stripe.paymentIntents.list({ customer })
  expect([data[0]?.status, data[0]?.amount_received]).toEqual(['succeeded', 1000])
  return data[0]
})

both('cancelling now ends it, and a second time it is no longer there', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const { id } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  const ended = await stripe.subscriptions.cancel(id, { prorate: false })
  expect([ended.status, ended.cancellation_details?.reason, ended.ended_at !== null]).toEqual([
    'canceled',
    'cancellation_requested',
    true,
  ])
  await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ code: 'resource_missing' })
  const shown = await stripe.subscriptions.list({ customer })
  expect(shown.data).toEqual([])
  expect((await stripe.subscriptions.list({ customer, status: 'all' })).data).toHaveLength(1)
  return ended
})

both('an end planned by the flag or by a time, and lifted again', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const { id, items } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  const end = items.data[0]?.current_period_end
  const planned = await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  expect([planned.cancel_at_period_end, planned.cancel_at, planned.status]).toEqual([true, end, 'active'])
  const lifted = await stripe.subscriptions.update(id, { cancel_at_period_end: false })
  expect([lifted.cancel_at_period_end, lifted.cancel_at, lifted.canceled_at]).toEqual([false, null, null])
  const timed = await stripe.subscriptions.update(id, { cancel_at: 'min_period_end' })
  expect([timed.cancel_at_period_end, timed.cancel_at]).toEqual([false, end])
  return timed
})

both('collection is paused and resumed', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const { id } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  const paused = await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })
  expect([paused.status, paused.pause_collection?.behavior]).toEqual(['active', 'void'])
  expect((await stripe.subscriptions.update(id, { pause_collection: '' })).pause_collection).toBeNull()
  return paused
})

both('a card that is declined when attached', async (stripe) => {
  const { id: customer } = await stripe.customers.create({})
  await expect(stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer })).rejects.toMatchObject({
    type: 'StripeCardError',
    statusCode: 402,
    code: 'card_declined',
    decline_code: 'generic_decline',
  })
})

both('a card that fails when charged leaves an incomplete subscription', async (stripe) => {
  const { customer, price } = await buyer(stripe)
  const { id: card } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  expect(made.status).toBe('incomplete')
  const invoice = await stripe.invoices.retrieve(String(made.latest_invoice))
  expect([invoice.status, invoice.attempt_count]).toEqual(['open', 1])
  return invoice
})

both('paying an open invoice with another card', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const { id: bad } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: bad,
  })
  const paid = await stripe.invoices.pay(String(made.latest_invoice), { payment_method: card })
  expect(paid.status).toBe('paid')
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
  await expect(stripe.invoices.pay(paid.id ?? '')).rejects.toMatchObject({ code: 'invoice_already_paid' })
  return paid
})

both('the next invoice is previewed', async (stripe) => {
  const { customer, price, card } = await buyer(stripe)
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    default_payment_method: card,
  })
  const next = await stripe.invoices.createPreview({ subscription: made.id })
  expect([next.amount_due, next.status]).toEqual([1000, 'draft'])
  expect((await stripe.invoices.list({ subscription: made.id })).data).toHaveLength(1)
})

here('a failed payment is kept as an attempt although the call is refused', async (stripe, world) => {
  const scene = await setScene(world, 'attempt')
  const { latest_invoice } = await subscribe(world, scene, 'pm_card_chargeCustomerFail')
  await expect(stripe.invoices.pay(latest_invoice)).rejects.toMatchObject({
    type: 'StripeCardError',
    code: 'card_declined',
  })
  expect((await stripe.invoices.retrieve(latest_invoice)).attempt_count).toBe(2)
  expect((await stripe.charges.list({ customer: scene.customer })).data.map((one) => one.status)).toEqual([
    'failed',
    'failed',
  ])
})

here('an incomplete subscription expires after 23 hours', async (stripe, world) => {
  const { id, latest_invoice } = await subscribe(
    world,
    await setScene(world, 'late'),
    'pm_card_chargeCustomerFail',
  )
  await control(world, 'advance', { seconds: 23 * 3600 + 5 })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete_expired')
  expect((await stripe.invoices.retrieve(latest_invoice)).status).toBe('void')
})

here('a year of renewals, one a month', async (stripe, world) => {
  const scene = await setScene(world, 'year')
  const { id } = await subscribe(world, scene)
  for (let month = 0; month < 12; month++) await passMonth(world)
  const invoices = await stripe.invoices.list({ subscription: id, limit: 100 })
  expect(invoices.data.map((one) => one.status)).toEqual(Array(13).fill('paid'))
  expect(await balance(world, scene.account)).toBe(13 * 900)
})

here('retries after 3, 5 and 7 days, and then the end', async (stripe, world) => {
  const { id } = await subscribe(world, await setScene(world, 'dunning'))
  const card = await api(world, 'POST', '/v1/payment_methods/pm_card_chargeCustomerFail/attach', {
    customer: (await stripe.subscriptions.retrieve(id)).customer,
  })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  await passMonth(world)
  const look = async () => {
    const found = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    const invoice = found.latest_invoice as Stripe.Invoice
    return [found.status, invoice.attempt_count, invoice.next_payment_attempt !== null]
  }
  expect(await look()).toEqual(['past_due', 1, true])
  await control(world, 'advance', { days: 3 })
  expect(await look()).toEqual(['past_due', 2, true])
  await control(world, 'advance', { days: 5 })
  expect(await look()).toEqual(['past_due', 3, true])
  await control(world, 'advance', { days: 7 })
  expect(await look()).toEqual(['canceled', 4, false])
  expect((await stripe.subscriptions.retrieve(id)).cancellation_details?.reason).toBe('payment_failed')
})

here(
  'after the last attempt a subscription can be left as it is or unpaid, and is tried no more',
  async (stripe, world) => {
    for (const ending of ['unpaid', 'past_due'] as const) {
      await control(world, 'retry-ending', { ending })
      const scene = await setScene(world, `left${ending.length}`)
      const { id } = await subscribe(world, scene)
      const { customer } = scene
      const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
      await stripe.subscriptions.update(id, { default_payment_method: card.id })
      await passMonth(world)
      for (const days of [3, 5, 7]) await control(world, 'advance', { days })
      const left = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
      expect(left).toMatchObject({
        status: ending,
        latest_invoice: { status: 'open', attempt_count: 4, next_payment_attempt: null },
      })
    }
    await control(world, 'retry-ending', { ending: 'cancel' })
  },
)

here('a draft is finalized without being collected, once', async (stripe, world) => {
  const { id } = await subscribe(world, await setScene(world, 'draft'))
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } })
  await passMonth(world)
  const [draft] = (await stripe.invoices.list({ subscription: id, status: 'draft' })).data
  const finalize = () => stripe.invoices.finalizeInvoice(draft?.id ?? '', { auto_advance: false })
  expect(await finalize()).toMatchObject({ status: 'open', attempted: false, amount_due: 1000 })
  await expect(finalize()).rejects.toThrow('already finalized')
  expect(await stripe.invoices.voidInvoice(draft?.id ?? '')).toMatchObject({ status: 'void' })
})

here('one failed renewal recovers at the next attempt', async (stripe, world) => {
  const { id } = await subscribe(world, await setScene(world, 'once'))
  await control(world, 'fail-next', { id })
  await passMonth(world)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
  await control(world, 'advance', { days: 3 })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
})

here('a card that asks for 3-D Secure every time stops a renewal', async (stripe, world) => {
  const scene = await setScene(world, 'always')
  const { id } = await subscribe(world, scene)
  const card = await stripe.paymentMethods.attach('pm_card_authenticationRequired', {
    customer: scene.customer,
  })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  await passMonth(world)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due')
  const types = (
    await stripe.events.list({ types: ['invoice.payment_action_required', 'invoice.payment_failed'] })
  ).data.map((one) => one.type)
  expect(types).toContain('invoice.payment_action_required')
})

here('paused collection renews without charging', async (stripe, world) => {
  const scene = await setScene(world, 'paused')
  const { id } = await subscribe(world, scene)
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })
  await passMonth(world)
  expect((await stripe.invoices.list({ subscription: id })).data.map((one) => one.status)).toEqual([
    'void',
    'paid',
  ])
  expect(await balance(world, scene.account)).toBe(900)
  await stripe.subscriptions.update(id, { pause_collection: '' })
  await passMonth(world)
  expect(await balance(world, scene.account)).toBe(1800)
})

here('an end at the period’s end comes instead of the renewal', async (stripe, world) => {
  const { id } = await subscribe(world, await setScene(world, 'ends'))
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await passMonth(world)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  expect((await stripe.invoices.list({ subscription: id })).data).toHaveLength(1)
})
