import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import {
  findSubscription,
  owedMails,
  startBillingScenario,
  subscribeAtStripe,
  takeAlerts,
} from '../../../test/money/billing-scenario.ts'
import { makeFollowing } from '../../../test/money/following-at-a-price.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { FAULTS } from '../../../test/money/payments-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { makeStripe } from '../../stripe/stripe-client.ts'
import { settleDebts } from '../debts/settle-debts.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const HOUR_MS = 3_600_000

const REFUSED = [{ kind: 'refuse', status: 400, times: 1000 }]
const AWAY = [{ kind: 'error', times: 1000 }]

test.each(FAULTS)('Stripe %s when a lower price is put on, and a try later it has it', async (_, faults) => {
  const { asked, debts, name, paid, pass, underFaults } = await makeFollowing(scenario)
  await underFaults(faults, async () => {
    await name('8')
    expect(await debts()).toEqual(['price open'])
  })
  expect([await asked(), await debts()]).toEqual([800, ['price settled']])
  await pass(31)
  expect(await paid()).toEqual([1000, 800])
})

test.each(FAULTS)(
  'Stripe %s when an agreed price is put on, and it is charged once it has it',
  async (_, faults) => {
    const { agree, asked, name, paid, pass, underFaults } = await makeFollowing(scenario)
    await name('15')
    await underFaults(faults, () => agree(1500))
    expect(await asked()).toBe(1500)
    await pass(31)
    expect(await paid()).toEqual([1000, 1500])
  },
)

test.each(FAULTS)(
  'Stripe %s when a price goes back that was agreed to, and nobody pays it',
  async (_, faults) => {
    const { agree, asked, name, paid, pass, underFaults } = await makeFollowing(scenario)
    await name('15')
    await agree(1500)
    await underFaults(faults, () => agree(null))
    expect(await asked()).toBe(1000)
    await pass(31)
    expect(await paid()).toEqual([1000, 1000])
  },
)

test('a price that Stripe refuses is in the list of an operator, who is mailed, and is put on at a later try', async () => {
  const { asked, debts, mails, name, underFaults } = await makeFollowing(scenario)
  await underFaults(REFUSED, async () => {
    await name('8')
    expect([await asked(), await debts()]).toEqual([1000, ['price open']])
    expect(await takeAlerts(scenario)).toEqual([
      'Tradepost: payments: Stripe refused another price of a subscription',
    ])
    expect(await runOperator(testApp, 'debts')).toContain('  price  -  named  ')
    // Nobody is mailed of a price that Stripe does not have.
    testApp.clock.advance(HOUR_MS)
    await scenario.work()
    expect(await mails()).toEqual([])
  })
  testApp.clock.advance(7 * HOUR_MS)
  await scenario.settle()
  expect([await asked(), await debts()]).toEqual([800, ['price settled']])
  expect(await mails()).toEqual([['price_lowered', 1000, 800]])
})

test('a price that is gone at Stripe is made once more, and put on', async () => {
  const { asked, name, trader, underFaults } = await makeFollowing(scenario)
  await underFaults(AWAY, async () => {
    await name('8')
    await testApp.pool.query(
      "update trader_prices set stripe_price_id = 'price_none' where trader_id = $1 and price_cents = 800",
      [trader.userId],
    )
  })
  testApp.clock.advance(60_000)
  await scenario.settle()
  expect(await asked()).toBe(800)
})

test('two workers at once put one price on', async () => {
  const { agree, asked, name, paid, pass, person, trader, underFaults } = await makeFollowing(scenario)
  await name('15')
  const { db, settings } = testApp
  const deps = { db, settings, log: silentLog, stripe: makeStripe(settings, 'job') }
  const pair = { traderId: trader.userId, subscriberId: person.userId }
  await underFaults(AWAY, async () => {
    await agree(1500)
    expect(await asked()).toBe(1000)
    await sandbox.control('calm')
    testApp.clock.advance(60_000)
    await Promise.all([1, 2].map(() => settleDebts(deps, pair, testApp.clock.now())))
  })
  expect(await asked()).toBe(1500)
  await pass(31)
  expect(await paid()).toEqual([1000, 1500])
})

test('a price that was taken back while Stripe was away, and charged meanwhile, has its difference returned', async () => {
  const { agree, asked, name, paid, pass, underFaults } = await makeFollowing(scenario)
  await name('15')
  await agree(1500)
  expect(await asked()).toBe(1500)
  await underFaults(AWAY, async () => {
    await agree(null)
    await pass(31)
    expect(await asked()).toBe(1500)
  })
  testApp.clock.advance(7 * HOUR_MS)
  await scenario.settle()
  expect([await asked(), await paid()]).toEqual([1000, [1000, 1000]])
  await pass(31)
  expect(await paid()).toEqual([1000, 1000, 1000])
})

test.each([{ percent_off: 20 }, { amount_off: 200, currency: 'usd' }])(
  'of what was charged above the price kept all goes back, also with a discount (%o)',
  async (off) => {
    const coupon = await stripe.coupons.create({ ...off, duration: 'forever' })
    const terms = { discounts: [{ coupon: coupon.id }] }
    const { agree, name, paid, pass, underFaults } = await makeFollowing(scenario, { terms })
    await name('15')
    await agree(1500)
    await underFaults(AWAY, async () => {
      await agree(null)
      await pass(31)
    })
    testApp.clock.advance(7 * HOUR_MS)
    await scenario.settle()
    expect(await paid()).toEqual([800, 800])
  },
)

test('a price that the trader withdrew while Stripe was away, and that was charged meanwhile, has its difference returned', async () => {
  const { agree, asked, name, paid, pass, underFaults } = await makeFollowing(scenario)
  await name('15')
  await agree(1500)
  await underFaults(AWAY, async () => {
    await name('20')
    await pass(31)
  })
  testApp.clock.advance(7 * HOUR_MS)
  await scenario.settle()
  expect([await asked(), await paid()]).toEqual([1000, [1000, 1000]])
})

test('a change of the trader after the renewal returns nothing of the price that was agreed to', async () => {
  const { agree, asked, name, paid, pass, passAtStripe } = await makeFollowing(scenario)
  await name('15')
  await agree(1500)
  await pass(30)
  // The renewal comes, and the trader names another price before anything of it has arrived.
  await passAtStripe(2)
  testApp.clock.advance(48 * HOUR_MS)
  await name('20')
  await scenario.settle()
  expect([await asked(), await paid()]).toEqual([1500, [1000, 1500]])
})

test('while a payment is owed a higher price waits, and a lower one does not', async () => {
  const { agree, asked, bought, name, paid, pass, passAtStripe, person, stayIn, trader } =
    await makeFollowing(scenario)
  await name('15')
  const [item] = bought.items.data
  const month = ((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / 86_400
  testApp.clock.advance((month + 0.1) * 24 * HOUR_MS)
  await stayIn()
  await passAtStripe(month)
  await sandbox.control('fail-next', { id: bought.id })
  await passAtStripe(0.1)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'past_due' })
  // The period that runs ends at a renewal that may have it.
  await agree(1500)
  expect(await asked()).toBe(1000)
  await name('8')
  expect(await asked()).toBe(800)
  await pass(4)
  // The invoice that was owed keeps its amount.
  expect(await paid()).toEqual([1000, 1000])
})

test('nothing is proposed while the end is planned, and a higher price waits', async () => {
  const { agree, answer, asked, bought, listed, name, pass } = await makeFollowing(scenario)
  await pass(20)
  await name('15')
  await agree(1500)
  await stripe.subscriptions.update(bought.id, { cancel_at_period_end: true })
  await scenario.settle()
  expect(await listed()).toEqual({ priceCents: 1000, newPrice: null })
  expect((await answer(1500)).body).toMatchObject({ code: 'subscription_price_changed' })
  await stripe.subscriptions.update(bought.id, { cancel_at_period_end: false })
  await scenario.settle()
  expect(await listed()).toMatchObject({ newPrice: { agreed: true } })
  expect(await asked()).toBe(1000)
})

test('somebody who has planned the end is not mailed of a higher price', async () => {
  const { bought, mails, name } = await makeFollowing(scenario)
  await stripe.subscriptions.update(bought.id, { cancel_at_period_end: true })
  await name('15')
  testApp.clock.advance(HOUR_MS)
  await scenario.settle()
  expect(await mails()).toEqual([['subscription_canceled', undefined, undefined]])
})

test('while the trader cannot be paid a proposal stands, and a higher price waits until they can', async () => {
  const { agree, asked, listed, name, trader } = await makeFollowing(scenario)
  await name('15')
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  expect(await listed()).toMatchObject({ newPrice: { priceCents: 1500 } })
  await agree(1500)
  expect(await asked()).toBe(1000)
  await sandbox.control('restore', { id: trader.account })
  await scenario.settle()
  expect(await asked()).toBe(1500)
})

test('nobody is mailed of the price of a trader who is suspended, until they are back', async () => {
  const { mails, name, trader } = await makeFollowing(scenario)
  await name('15')
  await runOperator(testApp, 'suspend', trader.email, 'Copied.')
  testApp.clock.advance(HOUR_MS)
  await scenario.settle()
  const kinds = async () => (await mails()).map(([kind]) => kind)
  expect(await kinds()).toEqual(['collection_paused'])
  await runOperator(testApp, 'restore', trader.email, 'Their own.')
  testApp.clock.advance(HOUR_MS)
  await scenario.settle()
  expect((await kinds()).toSorted()).toEqual(['collection_paused', 'collection_resumed', 'price_proposed'])
})

/** Somebody who has paid $10 and then, a month later, the $15 that they agreed to. */
async function makeRisen() {
  const one = await makeFollowing(scenario)
  await one.name('15')
  await one.agree(1500)
  await one.pass(31)
  expect(await one.paid()).toEqual([1000, 1500])
  const renewed = (await stripe.charges.list({ customer: one.person.customer })).data[0]
  return { ...one, charge: renewed?.id ?? '' }
}

test('of a price that has risen a dispute takes back the amount that was charged', async () => {
  const { charge, person, trader } = await makeRisen()
  expect(await moneyOf(stripe, trader.account)).toBe(2250)
  await sandbox.control('dispute', { id: charge })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ end_reason: 'dispute' })
  expect(await moneyOf(stripe, trader.account)).toBe(900)
})

test('of a price that has risen the unused part goes back when the trader is gone', async () => {
  const { bought, paid, person, trader } = await makeRisen()
  await sandbox.control('close', { id: trader.account })
  await scenario.settle()
  expect((await stripe.subscriptions.retrieve(bought.id)).status).toBe('canceled')
  const [, renewed = 0] = await paid()
  // Of the month nearly all is left.
  expect(renewed).toBeLessThan(60)
  const [mail] = (await owedMails(scenario, person)).filter(({ kind }) => kind === 'trader_unavailable')
  expect(mail?.facts).toMatchObject({ amountCents: 1500 - renewed })
})

test('a closed account ends a subscription at a price that has risen, and nothing more is charged', async () => {
  const { bought, name, paid, pass, person } = await makeRisen()
  await runOperator(testApp, 'close', person.email, 'Asked for it.')
  await scenario.settle()
  await name('8')
  expect((await stripe.subscriptions.retrieve(bought.id)).status).toBe('canceled')
  await pass(31)
  expect((await paid()).length).toBe(2)
})

test('a suspended trader is paid no higher price: nothing is charged meanwhile, and the price is the same afterwards', async () => {
  const { asked, paid, pass, trader } = await makeRisen()
  await runOperator(testApp, 'suspend', trader.email, 'Copied.')
  await scenario.settle()
  await pass(28)
  expect(await paid()).toEqual([1000, 1500])
  await runOperator(testApp, 'restore', trader.email, 'Their own.')
  await scenario.settle()
  expect(await asked()).toBe(1500)
})

test('a second payment is returned whole at whichever price it was made', async () => {
  const { bought, paid, person, trader } = await makeRisen()
  const second = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  expect((await stripe.subscriptions.retrieve(second.id)).status).toBe('canceled')
  expect((await stripe.subscriptions.retrieve(bought.id)).status).toBe('active')
  const { data } = await stripe.charges.list({ customer: person.customer })
  expect(data.map(({ amount, amount_refunded }) => [amount, amount_refunded])).toEqual([
    [1500, 1500],
    [1500, 0],
    [1000, 0],
  ])
  expect(await paid()).toEqual([1000, 1500])
})

test('of a price that was taken back and charged with a discount, the difference is that of both with the discount', async () => {
  const { id } = await stripe.coupons.create({ percent_off: 25, duration: 'forever' })
  const { agree, name, paid, pass, underFaults } = await makeFollowing(scenario, {
    terms: { discounts: [{ coupon: id }] },
  })
  await name('15')
  await agree(1500)
  await underFaults(AWAY, async () => {
    await agree(null)
    await pass(31)
  })
  testApp.clock.advance(7 * HOUR_MS)
  await scenario.settle()
  // Charged were 75 % of $15, kept 75 % of $10.
  expect(await paid()).toEqual([750, 750])
})
