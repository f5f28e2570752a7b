import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, suite } from './cases.ts'
import { balance, setScene, subscribe } from './scene.ts'
import type { TestWorld } from './world.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

/** A payment of ten dollars to a trader, ten percent of it for the platform. */
async function paid(stripe: Stripe, world: TestWorld, name: string, card = 'pm_card_visa') {
  const scene = await setScene(world, name)
  const before = await balance(world)
  const { id } = await subscribe(world, scene, card)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  if (charge === undefined) throw new Error('Nothing was charged.')
  const money = async () => [await balance(world, scene.account), (await balance(world)) - before]
  return { ...scene, charge, intent: String(charge.payment_intent), subscription: id, money }
}

here(
  'a part goes back by the payment intent: of the trader’s money and of the fee alike',
  async (stripe, world) => {
    const { intent, charge, money } = await paid(stripe, world, 'part')
    expect(await money()).toEqual([900, 100])
    const refund = await stripe.refunds.create({
      payment_intent: intent,
      amount: 250,
      reverse_transfer: true,
      refund_application_fee: true,
      metadata: { why: 'half a week' },
      expand: ['transfer_reversal', 'charge'],
    })
    expect(refund).toMatchObject({
      amount: 250,
      status: 'succeeded',
      payment_intent: intent,
      transfer_reversal: { amount: 250, source_refund: refund.id },
      charge: { amount_refunded: 250, refunded: false },
    })
    expect(await money()).toEqual([675, 75])
    await stripe.refunds.create({
      payment_intent: intent,
      reverse_transfer: true,
      refund_application_fee: true,
    })
    expect(await money()).toEqual([0, 0])
    expect((await stripe.charges.retrieve(charge.id)).refunded).toBe(true)
  },
)

here(
  'the fee goes back only with the transfer; without both the platform pays alone',
  async (stripe, world) => {
    const { intent, money } = await paid(stripe, world, 'alone')
    await expect(
      stripe.refunds.create({ payment_intent: intent, refund_application_fee: true }),
    ).rejects.toMatchObject({ statusCode: 400, param: 'refund_application_fee' })
    await stripe.refunds.create({ payment_intent: intent, amount: 1000 })
    expect(await money()).toEqual([900, -900])
  },
)

here('a refund is done once for one key, also when its answer was lost', async (stripe, world) => {
  const { intent, money } = await paid(stripe, world, 'once')
  await control(world, 'fault', { kind: 'lost-answer', method: 'POST', path: '/v1/refunds' })
  const retrying = new Stripe('sk_test_1', { ...world.target, maxNetworkRetries: 2 })
  const params = { payment_intent: intent, reverse_transfer: true, refund_application_fee: true }
  await retrying.refunds.create(params, { idempotencyKey: 're:once' })
  expect(await money()).toEqual([0, 0])
  expect((await stripe.refunds.list({ payment_intent: intent })).data).toHaveLength(1)
})

type SeenEvent = { type: string; status: string }

async function eventsOf(stripe: Stripe, dispute: string): Promise<SeenEvent[]> {
  const { data } = await stripe.events.list({ type: 'charge.dispute.*', limit: 100 })
  return data
    .map((event) => ({ type: event.type, object: event.data.object as Stripe.Dispute }))
    .filter(({ object }) => object.id === dispute)
    .map(({ type, object }) => ({ type: type.replace('charge.dispute.', ''), status: object.status }))
    .reverse()
}

here(
  'a dispute that is won: what was taken comes back, and the payment can be refunded',
  async (stripe, world) => {
    const { charge, intent, money } = await paid(stripe, world, 'winner')
    await control(world, 'dispute', { id: charge.id })
    const [dispute] = (await stripe.disputes.list({ payment_intent: intent })).data
    const id = dispute?.id ?? ''
    await stripe.transfers.createReversal(String(charge.transfer), { amount: 900, metadata: { dispute: id } })
    expect(await money()).toEqual([0, 0])
    await stripe.disputes.update(id, { evidence: { uncategorized_text: 'winning_evidence' } })
    expect(await money()).toEqual([0, 1000])
    expect(await eventsOf(stripe, id)).toEqual([
      { type: 'created', status: 'needs_response' },
      { type: 'funds_withdrawn', status: 'needs_response' },
      { type: 'updated', status: 'under_review' },
      { type: 'funds_reinstated', status: 'won' },
      { type: 'closed', status: 'won' },
    ])
    await stripe.transfers.create({
      amount: 900,
      currency: 'usd',
      destination: String(charge.transfer_data?.destination),
      description: 'Dispute won',
    })
    expect(await money()).toEqual([900, 100])
    expect((await stripe.charges.retrieve(charge.id)).disputed).toBe(true)
    await expect(stripe.refunds.create({ charge: charge.id, amount: 10 })).resolves.toMatchObject({
      amount: 10,
    })
  },
)

here(
  'a dispute with losing evidence, one that is given up and one that nobody answers are lost',
  async (stripe, world) => {
    const lost = { status: 'lost' }
    const open = async (name: string) => {
      const { charge, money } = await paid(stripe, world, name)
      await control(world, 'dispute', { id: charge.id })
      const [dispute] = (await stripe.disputes.list({ charge: charge.id })).data
      return { id: dispute?.id ?? '', charge, money }
    }
    const losing = await open('losing')
    const evidence = { uncategorized_text: 'losing_evidence' }
    expect(await stripe.disputes.update(losing.id, { evidence, submit: true })).toMatchObject(lost)
    const given = await open('given-up')
    expect(await stripe.disputes.close(given.id)).toMatchObject(lost)
    const silent = await open('silent')
    await control(world, 'advance', { days: 20 })
    expect(await stripe.disputes.retrieve(silent.id)).toMatchObject(lost)
    expect((await eventsOf(stripe, silent.id)).at(-1)).toEqual({ type: 'closed', status: 'lost' })
    expect(await silent.money()).toEqual([900, expect.any(Number)])
    await expect(stripe.refunds.create({ charge: silent.charge.id })).rejects.toMatchObject({
      code: 'charge_disputed',
    })
  },
)

here('by an inquiry the bank takes nothing, and the payment can be refunded', async (stripe, world) => {
  const { charge, money } = await paid(stripe, world, 'inquiry')
  await control(world, 'inquire', { id: charge.id })
  const [inquiry] = (await stripe.disputes.list({ charge: charge.id })).data
  expect(inquiry).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true })
  expect(inquiry?.balance_transactions).toEqual([])
  expect(await money()).toEqual([900, 100])
  await expect(stripe.refunds.create({ charge: charge.id, amount: 10 })).resolves.toMatchObject({
    amount: 10,
  })
  const evidence = { uncategorized_text: 'winning_evidence' }
  expect(await stripe.disputes.update(inquiry?.id ?? '', { evidence, submit: true })).toMatchObject({
    status: 'warning_closed',
  })
  expect((await eventsOf(stripe, inquiry?.id ?? '')).at(-1)).toEqual({
    type: 'closed',
    status: 'warning_closed',
  })
})

here(
  'an inquiry that becomes a chargeback takes what is left, as the same dispute',
  async (stripe, world) => {
    const { charge } = await paid(stripe, world, 'escalated')
    await control(world, 'inquire', { id: charge.id })
    await stripe.refunds.create({ charge: charge.id, amount: 10 })
    const [inquiry] = (await stripe.disputes.list({ charge: charge.id })).data
    const evidence = { uncategorized_text: 'escalate_inquiry_evidence' }
    expect(await stripe.disputes.update(inquiry?.id ?? '', { evidence, submit: true })).toMatchObject({
      id: inquiry?.id,
      status: 'needs_response',
      amount: charge.amount - 10,
    })
    expect((await eventsOf(stripe, inquiry?.id ?? '')).at(-1)).toMatchObject({ type: 'funds_withdrawn' })
    await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
      code: 'charge_disputed',
    })
  },
)
