import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fields, nullable, number } from '../shape/shape.ts'
import { control, suite } from './cases.ts'
import { balance, type Scene, setScene, subscribe } from './scene.ts'
import type { TestWorld } from './world.ts'

const { both, here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

async function paidCharge(stripe: Stripe): Promise<Stripe.Charge> {
  const { id: customer } = await stripe.customers.create({})
  const product = await stripe.products.create({ name: 'Signals' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
  })
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.subscriptions.create({ customer, items: [{ price: price.id }], default_payment_method: card })
  const [charge] = (await stripe.charges.list({ customer })).data
  if (charge === undefined) throw new Error('Nothing was charged.')
  return charge
}

both('a refund in two parts, and no third', async (stripe) => {
  const charge = await paidCharge(stripe)
  const part = await stripe.refunds.create({ charge: charge.id, amount: 400, metadata: { a: 'b' } })
  expect([part.amount, part.status]).toEqual([400, 'succeeded'])
  await expect(stripe.refunds.create({ charge: charge.id, amount: 601 })).rejects.toMatchObject({
    param: 'amount',
  })
  await stripe.refunds.create({ payment_intent: String(charge.payment_intent) })
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ refunded: true, amount_refunded: 1000 })
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: 'charge_already_refunded',
  })
  expect((await stripe.refunds.list({ charge: charge.id })).data).toHaveLength(2)
  return stripe.refunds.retrieve(part.id)
})

both('a refund with nothing to reverse or no fee to give back is refused', async (stripe) => {
  const { id } = await paidCharge(stripe)
  await expect(stripe.refunds.create({ charge: id, reverse_transfer: true })).rejects.toMatchObject({
    statusCode: 400,
  })
  await expect(stripe.refunds.create({ charge: id, refund_application_fee: true })).rejects.toMatchObject({
    statusCode: 400,
  })
})

both('a card is listed, detached, and gone', async (stripe) => {
  const { id: customer } = await stripe.customers.create({})
  const { id } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  expect((await stripe.customers.listPaymentMethods(customer)).data.map((one) => one.id)).toEqual([id])
  const changed = await stripe.customers.update(customer, {
    invoice_settings: { default_payment_method: id },
  })
  expect(changed.invoice_settings.default_payment_method).toBe(id)
  const detached = await stripe.paymentMethods.detach(id)
  expect(detached.customer).toBeNull()
  return detached
})

both('the platform’s balance', (stripe) => stripe.balance.retrieve())

here('refund, reversal and fee refund are in proportion, and add up at the last', async (stripe, world) => {
  const scene = await setScene(world, 'parts')
  const before = await balance(world)
  await subscribe(world, scene)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  for (const amount of [333, 333, 334])
    await stripe.refunds.create({
      charge: charge?.id ?? '',
      amount,
      reverse_transfer: true,
      refund_application_fee: true,
    })
  expect([await balance(world, scene.account), (await balance(world)) - before]).toEqual([0, 0])
  const transfer = await stripe.transfers.retrieve(String(charge?.transfer))
  expect([transfer.amount_reversed, transfer.reversed, transfer.reversals.data.length]).toEqual([
    1000,
    true,
    3,
  ])
  const [fee] = (await stripe.applicationFees.list({ charge: charge?.id ?? '' })).data
  expect([fee?.amount_refunded, fee?.refunded]).toEqual([100, true])
})

here('a transfer is reversed without a refund, and money is sent again', async (stripe, world) => {
  const scene = await setScene(world, 'reverse')
  await subscribe(world, scene)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  const transfer = String(charge?.transfer)
  const reversal = await stripe.transfers.createReversal(transfer, { amount: 250 })
  expect(reversal).toMatchObject({ object: 'transfer_reversal', amount: 250 })
  expect(await balance(world, scene.account)).toBe(650)
  expect((await stripe.transfers.listReversals(transfer)).data).toHaveLength(1)
  await expect(stripe.transfers.createReversal(transfer, { amount: 751 })).rejects.toMatchObject({
    param: 'amount',
  })
  await stripe.transfers.create({ amount: 250, currency: 'usd', destination: scene.account })
  expect(await balance(world, scene.account)).toBe(900)
})

here('a dispute takes the money until it is won', async (stripe, world) => {
  const scene = await setScene(world, 'won')
  const before = await balance(world)
  await subscribe(world, scene, 'pm_card_createDispute')
  await control(world, 'advance', { seconds: 1 })
  const [dispute] = (await stripe.disputes.list({ limit: 1 })).data
  expect([dispute?.status, dispute?.amount, (await balance(world)) - before]).toEqual([
    'needs_response',
    1000,
    100 - 1000,
  ])
  const charge = await stripe.charges.retrieve(String(dispute?.charge))
  expect(charge.disputed).toBe(true)
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: 'charge_disputed',
  })
  const won = await stripe.disputes.update(dispute?.id ?? '', {
    evidence: { uncategorized_text: 'winning_evidence' },
    submit: true,
  })
  expect([won.status, (await balance(world)) - before]).toEqual(['won', 100])
})

here('a dispute that is not answered is lost', async (stripe, world) => {
  const scene = await setScene(world, 'lost')
  await subscribe(world, scene)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  await control(world, 'dispute', { id: charge?.id })
  const [dispute] = (await stripe.disputes.list({ charge: charge?.id ?? '' })).data
  const lost = await stripe.disputes.close(dispute?.id ?? '')
  expect(lost.status).toBe('lost')
  await expect(stripe.disputes.close(lost.id)).rejects.toMatchObject({ statusCode: 400 })
})

here('a refund that the bank sends back fails later', async (stripe, world) => {
  const scene = await setScene(world, 'bounce')
  await subscribe(world, scene, 'pm_card_refundFail')
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  const { id, status } = await stripe.refunds.create({ charge: charge?.id ?? '', amount: 100 })
  expect(status).toBe('succeeded')
  await control(world, 'advance', { seconds: 1 })
  expect(await stripe.refunds.retrieve(id)).toMatchObject({
    status: 'failed',
    failure_reason: 'expired_or_canceled_card',
  })
  expect((await stripe.charges.retrieve(charge?.id ?? '')).amount_refunded).toBe(0)
})

here('money in = transfers + fees + refunds + balance, whatever happens', async (stripe, world) => {
  const scenes: Scene[] = []
  for (const name of ['m1', 'm2', 'm3']) scenes.push(await setScene(world, name))
  const odd = await stripe.prices.create({
    product: scenes[0]?.product ?? '',
    currency: 'usd',
    unit_amount: 1333,
    recurring: { interval: 'week' },
  })
  const percents = [10, 12.5, 33.33]
  for (const [index, scene] of scenes.entries()) {
    for (const card of ['pm_card_visa', 'pm_card_createDispute', 'pm_card_refundFail'])
      await subscribe(world, { ...scene, price: odd.id }, card, { application_fee_percent: percents[index] })
  }
  await control(world, 'advance', { days: 40 })
  const charges = (await stripe.charges.list({ limit: 100 })).data.filter(
    (one) => one.status === 'succeeded' && !one.disputed,
  )
  for (const [index, charge] of charges.slice(0, 12).entries()) {
    const amount = [1, 500, 1333, 667][index % 4] ?? 1
    const fee = charge.application_fee_amount ?? 0
    if (charge.transfer === undefined || amount > charge.amount) continue
    await stripe.refunds.create({
      charge: charge.id,
      amount,
      reverse_transfer: true,
      ...(fee > 0 && { refund_application_fee: true }),
    })
  }
  await control(world, 'advance', { days: 3 })
  await expectBalanced(stripe, world)
})

/** Adds up every object that the API shows, and holds it against the balances of all accounts. */
async function expectBalanced(stripe: Stripe, world: TestWorld): Promise<void> {
  let moneyIn = 0
  let refunded = 0
  for await (const charge of stripe.charges.list({ limit: 100 }))
    if (charge.status === 'succeeded') moneyIn += charge.amount
  for await (const refund of stripe.refunds.list({ limit: 100 }))
    if (refund.status === 'succeeded') refunded += refund.amount
  let disputed = 0
  for await (const one of stripe.disputes.list({ limit: 100 }))
    if (one.status !== 'won') disputed += one.amount
  let transferred = 0
  let sent = 0
  for await (const one of stripe.transfers.list({ limit: 100 })) {
    transferred += one.amount - one.amount_reversed
    if (one.source_transaction === null) sent += one.amount
  }
  let fees = 0
  for await (const one of stripe.applicationFees.list({ limit: 100 }))
    fees += one.amount - one.amount_refunded
  const accounts = world.world.db.all(
    fields({ amount: nullable(number) }),
    "SELECT sum(amount) AS amount FROM ledger WHERE account <> 'platform'",
  )
  const traders = accounts[0]?.amount ?? 0
  const platform = await balance(world)
  expect(moneyIn).toBeGreaterThan(50_000)
  expect(traders).toBe(transferred - fees)
  expect(platform).toBe(moneyIn - refunded - disputed - transferred + fees)
  expect(moneyIn).toBe(refunded + disputed + traders + platform)
  expect(sent).toBeGreaterThanOrEqual(0)
}

here('the fee and each movement of money can be read separately', async (stripe, world) => {
  const scene = await setScene(world, 'movement')
  await subscribe(world, scene)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  const fee = await stripe.applicationFees.retrieve(String(charge?.application_fee))
  expect([fee.amount, fee.charge]).toEqual([100, charge?.id])
  const moved = await stripe.balanceTransactions.list({ source: charge?.id ?? '' })
  expect(moved.data.map(({ type, amount }) => [type, amount])).toEqual([['charge', 1000]])
  const movement = await stripe.balanceTransactions.retrieve(moved.data[0]?.id ?? '')
  expect(movement.source).toBe(charge?.id)
})
