import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, suite } from './cases.ts'
import { setScene, subscribe } from './scene.ts'
import type { TestWorld } from './world.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

async function paid(stripe: Stripe, world: TestWorld, name: string, card = 'pm_card_visa') {
  const scene = await setScene(world, name)
  await subscribe(world, scene, card)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  if (charge === undefined) throw new Error('Nothing was charged.')
  return charge
}

async function warningOf(stripe: Stripe, charge: string) {
  const { data } = await stripe.radar.earlyFraudWarnings.list({ charge })
  return data[0] ?? expect.fail('There is no warning.')
}

/** The events of a warning, the first first. */
async function saidOf(stripe: Stripe, id: string) {
  const { data } = await stripe.events.list({ type: 'radar.early_fraud_warning.*', limit: 100 })
  return data
    .map((event) => ({ type: event.type, object: event.data.object as Stripe.Radar.EarlyFraudWarning }))
    .filter(({ object }) => object.id === id)
    .map(({ object, type }) => [type.replace('radar.early_fraud_warning.', ''), object.actionable])
    .reverse()
}

here('a warning can be acted on until the payment is refunded in full', async (stripe, world) => {
  const charge = await paid(stripe, world, 'warned')
  await control(world, 'warn-of-fraud', { id: charge.id })
  const { id } = await warningOf(stripe, charge.id)
  await stripe.refunds.create({ charge: charge.id, amount: 400 })
  expect(await stripe.radar.earlyFraudWarnings.retrieve(id, { expand: ['charge'] })).toMatchObject({
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: { id: charge.id, amount_refunded: 400 },
    payment_intent: charge.payment_intent,
    livemode: false,
  })
  await stripe.refunds.create({ charge: charge.id })
  expect((await stripe.radar.earlyFraudWarnings.retrieve(id)).actionable).toBe(false)
  expect(await saidOf(stripe, id)).toEqual([
    ['created', true],
    ['updated', false],
  ])
})

here('a dispute ends what can be done about a warning, and a later one begins so', async (stripe, world) => {
  const charge = await paid(stripe, world, 'taken')
  await control(world, 'warn-of-fraud', { id: charge.id })
  const first = await warningOf(stripe, charge.id)
  await control(world, 'dispute', { id: charge.id })
  await control(world, 'warn-of-fraud', { id: charge.id })
  const { data } = await stripe.radar.earlyFraudWarnings.list({
    payment_intent: String(charge.payment_intent),
  })
  expect(data.map(({ actionable }) => actionable)).toEqual([false, false])
  expect(await saidOf(stripe, first.id)).toEqual([
    ['created', true],
    ['updated', false],
  ])
})

here('the test card of warnings is warned of after the payment', async (stripe, world) => {
  const charge = await paid(stripe, world, 'card', 'pm_card_createIssuerFraudRecord')
  await control(world, 'advance', { seconds: 1 })
  expect(await warningOf(stripe, charge.id)).toMatchObject({ actionable: true })
  expect((await stripe.charges.retrieve(charge.id)).disputed).toBe(false)
})
