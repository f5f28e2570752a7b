import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { suite } from './cases.ts'
import { balance, setScene, subscribe } from './scene.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

here('a part of the fee goes back to the account, until nothing is left of it', async (stripe, world) => {
  const scene = await setScene(world, 'fee')
  await subscribe(world, scene)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  const fee = String(charge?.application_fee)
  const platform = await balance(world)
  const made = await stripe.applicationFees.createRefund(fee, { amount: 40, metadata: { why: 'tax' } })
  expect(made).toMatchObject({ amount: 40, currency: 'usd', fee, metadata: { why: 'tax' } })
  expect([await balance(world, scene.account), (await balance(world)) - platform]).toEqual([940, -40])
  await expect(stripe.applicationFees.createRefund(fee, { amount: 61 })).rejects.toMatchObject({
    statusCode: 400,
    param: 'amount',
  })
  expect((await stripe.applicationFees.createRefund(fee)).amount).toBe(60)
  expect(await stripe.applicationFees.retrieve(fee)).toMatchObject({ amount_refunded: 100, refunded: true })
  expect((await stripe.applicationFees.listRefunds(fee)).data.map(({ amount }) => amount)).toEqual([60, 40])
  await expect(stripe.applicationFees.createRefund(fee)).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('already been refunded'),
  })
  const [event] = (await stripe.events.list({ type: 'application_fee.refunded', limit: 1 })).data
  expect(event?.data.object).toMatchObject({ id: fee, amount_refunded: 100 })
})

here('a refund of the payment gives back what is left of the fee’s part', async (stripe, world) => {
  const scene = await setScene(world, 'fee-then-refund')
  await subscribe(world, scene)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  const fee = String(charge?.application_fee)
  await stripe.applicationFees.createRefund(fee, { amount: 70 })
  const all = { charge: charge?.id ?? '', reverse_transfer: true, refund_application_fee: true }
  // Half of the fee is 50, and 70 went back already.
  await stripe.refunds.create({ ...all, amount: 500 })
  expect((await stripe.applicationFees.retrieve(fee)).amount_refunded).toBe(70)
  await stripe.refunds.create(all)
  expect((await stripe.applicationFees.retrieve(fee)).amount_refunded).toBe(100)
  expect(await balance(world, scene.account)).toBe(0)
})
