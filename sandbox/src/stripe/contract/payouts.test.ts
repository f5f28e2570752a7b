import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, words } from './browser.ts'
import { control, suite } from './cases.ts'
import { setScene, subscribe } from './scene.ts'
import type { TestWorld } from './world.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const DAY = 86_400

/** A trader who was just paid nine dollars, by a payment of ten. */
async function paid(stripe: Stripe, world: TestWorld, name: string) {
  const scene = await setScene(world, name)
  await subscribe(world, scene)
  const whose = { stripeAccount: scene.account }
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  if (charge === undefined) throw new Error('Nothing was charged.')
  const balance = async () => {
    const { available, pending } = await stripe.balance.retrieve({}, whose)
    return [available[0]?.amount, pending[0]?.amount]
  }
  const payouts = async () => (await stripe.payouts.list({}, whose)).data
  const dashboard = async () => words(await open((await stripe.accounts.createLoginLink(scene.account)).url))
  return { ...scene, whose, charge, balance, payouts, dashboard }
}

here(
  'money that arrives is pending for two days, and goes to the bank automatically the day after',
  async (stripe, world) => {
    const { balance, charge, dashboard, payouts, whose } = await paid(stripe, world, 'daily')
    expect([await balance(), await payouts()]).toEqual([[0, 900], []])
    expect(await dashboard()).toContain('Balance $9.00 Available $0.00 Pending $9.00')
    await control(world, 'advance', { seconds: 2 * DAY - 60 })
    expect((await balance())[1]).toBe(900)
    await control(world, 'advance', { days: 1 })
    const [payout] = await payouts()
    expect(await balance()).toEqual([0, 0])
    expect(payout).toMatchObject({ amount: 900, currency: 'usd', automatic: true, status: 'in_transit' })
    const made = payout?.created ?? 0
    // At the beginning of a day, once two days have passed, and at the bank a day later.
    expect([made % DAY, Math.floor((made - charge.created) / DAY), payout?.arrival_date]).toEqual([
      0,
      2,
      made + DAY,
    ])
    expect(await dashboard()).toMatch(/Payouts \$9\.00 Arrives/)
    await control(world, 'advance', { days: 1 })
    expect(await stripe.payouts.retrieve(payout?.id ?? '', {}, whose)).toMatchObject({ status: 'paid' })
    expect((await stripe.payouts.list({ status: 'paid' }, whose)).data).toHaveLength(1)
    expect(await dashboard()).toMatch(/Payouts \$9\.00 Arrived/)
  },
)

here('money that is taken back while it is pending never was available', async (stripe, world) => {
  const { balance, charge, payouts } = await paid(stripe, world, 'early')
  await stripe.refunds.create({ charge: charge.id, reverse_transfer: true, refund_application_fee: true })
  expect(await balance()).toEqual([0, 0])
  await control(world, 'advance', { days: 4 })
  expect([await balance(), await payouts()]).toEqual([[0, 0], []])
})

here(
  'money that is taken back after it was paid out makes the balance negative, until more comes',
  async (stripe, world) => {
    const { account, balance, charge, dashboard, payouts } = await paid(stripe, world, 'negative')
    await control(world, 'advance', { days: 4 })
    expect((await payouts()).map(({ amount }) => amount)).toEqual([900])
    await stripe.transfers.createReversal(String(charge.transfer), { amount: 1000 })
    expect(await balance()).toEqual([-1000, 0])
    const page = await dashboard()
    expect(page).toContain('Available -$10.00')
    expect(page).toContain('The balance is negative')
    await stripe.transfers.create({ amount: 1500, currency: 'usd', destination: account })
    await control(world, 'advance', { days: 4 })
    expect((await payouts()).map(({ amount }) => amount)).toEqual([500, 900])
    expect(await balance()).toEqual([0, 0])
  },
)

here(
  'while an account may not receive money nothing is paid out, and afterwards all of it',
  async (stripe, world) => {
    const { account, balance, payouts } = await paid(stripe, world, 'held')
    await control(world, 'restrict', { id: account })
    await control(world, 'advance', { days: 5 })
    expect([await balance(), await payouts()]).toEqual([[900, 0], []])
    await control(world, 'restore', { id: account })
    await control(world, 'advance', { days: 1 })
    expect((await payouts()).map(({ amount }) => amount)).toEqual([900])
  },
)

here('payouts are their account’s alone', async (stripe, world) => {
  const one = await paid(stripe, world, 'mine')
  const other = await paid(stripe, world, 'yours')
  await control(world, 'advance', { days: 4 })
  const [payout] = await one.payouts()
  const missing = { statusCode: 404, code: 'resource_missing' }
  await expect(stripe.payouts.retrieve(payout?.id ?? '', {}, other.whose)).rejects.toMatchObject(missing)
  await expect(stripe.payouts.retrieve(payout?.id ?? '')).rejects.toMatchObject(missing)
  expect((await stripe.payouts.list()).data).toEqual([])
  await expect(stripe.payouts.list({}, { stripeAccount: 'acct_never' })).rejects.toMatchObject({
    code: 'account_invalid',
  })
})
