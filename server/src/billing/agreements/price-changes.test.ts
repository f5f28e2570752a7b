import { afterAll, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { findSubscription, makeCustomer, startBillingScenario } from '../../../test/money/billing-scenario.ts'
import { makeFollowing } from '../../../test/money/following-at-a-price.ts'
import { lookAtAgreements } from '../subscriptions/subscriptions.jobs.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const HOUR_MS = 3_600_000

/** The hour after a change, in which it may be changed again, is over. */
async function passHour(): Promise<void> {
  testApp.clock.advance(HOUR_MS)
  await scenario.settle()
}

test('a lower price is charged from the next renewal on, and the month that runs keeps what was paid', async () => {
  const { asked, listed, mails, name, paid, pass } = await makeFollowing(scenario)
  await name('8')
  expect([await asked(), await paid()]).toEqual([800, [1000]])
  expect(await listed()).toEqual({ priceCents: 800, newPrice: null })
  expect(await mails()).toEqual([])
  await passHour()
  expect(await mails()).toEqual([['price_lowered', 1000, 800]])
  await pass(32)
  expect(await paid()).toEqual([1000, 800])
  expect(await mails()).toHaveLength(1)
})

test('a higher price without an answer is charged at no renewal of half a year', async () => {
  const { asked, listed, mails, name, paid, pass } = await makeFollowing(scenario)
  await name('15')
  for (let month = 0; month < 6; month += 1) await pass(31)
  expect(await paid()).toEqual([1000, 1000, 1000, 1000, 1000, 1000, 1000])
  expect(await asked()).toBe(1000)
  expect(await listed()).toMatchObject({ priceCents: 1000, newPrice: { priceCents: 1500, agreed: false } })
  expect(await mails()).toEqual([['price_proposed', 1000, 1500]])
})

test('an agreed price is charged at the first renewal that is thirty days after the proposal, not at the one before', async () => {
  const { agree, asked, listed, name, paid, pass } = await makeFollowing(scenario)
  await pass(21)
  await name('15')
  await pass(1)
  // The renewals come ten and forty days after the proposal.
  const second = await findSecondRenewal()
  expect(await agree(1500)).toEqual({ priceCents: 1500, agreed: true, from: second })
  expect(await asked()).toBe(1000)
  expect(await listed()).toEqual({
    priceCents: 1000,
    newPrice: { priceCents: 1500, agreed: true, from: second },
  })
  await pass(11)
  expect(await paid()).toEqual([1000, 1000])
  // The period that runs now ends at that renewal: Stripe has the price, and the follower still pays the other one.
  expect([await asked(), (await listed()).priceCents]).toEqual([1500, 1000])
  await pass(30)
  expect(await paid()).toEqual([1000, 1000, 1500])
  expect(await listed()).toEqual({ priceCents: 1500, newPrice: null })

  async function findSecondRenewal() {
    const { rows } = await testApp.pool.query<{ at: Date }>(
      "select current_period_end + interval '1 month' as at from subscriptions order by started_at desc, id desc limit 1",
    )
    return rows[0]?.at.toISOString()
  }
})

test('only the newest amount can be agreed to, and going back withdraws what was agreed', async () => {
  const { agree, asked, listed, mails, name, paid, pass } = await makeFollowing(scenario)
  await pass(1)
  await name('15')
  await passHour()
  expect(await agree(1500)).toMatchObject({ agreed: true })
  await name('20')
  expect(await agree(1500)).toBe('subscription_price_changed')
  expect(await listed()).toMatchObject({ newPrice: { priceCents: 2000, agreed: false } })
  await name('15')
  // The same amount is proposed once more: an earlier agreement speaks of the first proposal.
  expect(await listed()).toMatchObject({ newPrice: { priceCents: 1500, agreed: false } })
  await name('10')
  expect(await listed()).toEqual({ priceCents: 1000, newPrice: null })
  await passHour()
  for (const _ of [1, 2, 3]) await pass(31)
  expect(await paid()).toEqual([1000, 1000, 1000, 1000])
  expect(await asked()).toBe(1000)
  expect(await mails()).toEqual([['price_proposed', 1000, 1500]])
})

test('a price that Stripe has already goes back once the trader withdraws it', async () => {
  const { agree, asked, name, paid, pass } = await makeFollowing(scenario)
  await name('15')
  await agree(1500)
  expect(await asked()).toBe(1500)
  await name('20')
  expect(await asked()).toBe(1000)
  await pass(31)
  expect(await paid()).toEqual([1000, 1000])
})

test('an agreement is taken back until the renewal has come that has its price', async () => {
  const { agree, asked, listed, name, paid, pass } = await makeFollowing(scenario)
  await name('15')
  await agree(1500)
  expect(await asked()).toBe(1500)
  expect(await agree(null)).toMatchObject({ priceCents: 1500, agreed: false })
  expect(await agree(null)).toMatchObject({ priceCents: 1500, agreed: false })
  expect([await asked(), (await listed()).priceCents]).toEqual([1000, 1000])
  await pass(31)
  expect(await paid()).toEqual([1000, 1000])
  await agree(1500)
  await pass(31)
  expect(await paid()).toEqual([1000, 1000, 1500])
  expect(await agree(null)).toBe('subscription_price_changed')
  expect(await agree(1500)).toBeNull()
  expect(await listed()).toEqual({ priceCents: 1500, newPrice: null })
})

test('the same answer again changes nothing', async () => {
  const { agree, debts, name, person, trader } = await makeFollowing(scenario)
  await name('15')
  await agree(1500)
  const { synced_at: _1, ...before } = await findSubscription(scenario, person, trader)
  testApp.clock.advance(60_000)
  await agree(1500)
  const { synced_at: _2, ...after } = await findSubscription(scenario, person, trader)
  expect(after).toEqual(before)
  expect(await debts()).toEqual(['price settled'])
})

test('an answer about an amount that is not proposed, or of somebody else, is refused and changes nothing', async () => {
  const { agree, answer, listed, name, person } = await makeFollowing(scenario)
  const [other, subscriptions] = [await makeCustomer(scenario), '/v1/subscriptions']
  expect(await agree(1500)).toBe('subscription_price_changed')
  expect(await agree(null)).toBe('subscription_price_changed')
  await name('15')
  expect(await agree(1400)).toBe('subscription_price_changed')
  expect((await answer(1500, other)).body).toMatchObject({ code: 'subscription_not_found' })
  for (const id of ['0199c000-0000-7000-8000-000000000001', 'not-a-uuid'])
    expect(
      (await call(testApp, person, 'POST', `${subscriptions}/${id}/price`, { priceCents: 1500 })).body,
    ).toMatchObject({ code: 'subscription_not_found' })
  expect((await answer(15.5)).status).toBe(400)
  expect(await listed()).toMatchObject({ newPrice: { agreed: false } })
})

test('a renewal that Stripe never reported is made up for by the daily look', async () => {
  const { agree, asked, name, paid, pass, passAtStripe, stayIn } = await makeFollowing(scenario)
  await pass(21)
  await name('15')
  await agree(1500)
  testApp.clock.advance(12 * 24 * HOUR_MS)
  await stayIn()
  await passAtStripe(12)
  await sandbox.control('calm', { settle: true })
  await testApp.pool.query("delete from stripe_events where state = 'received'")
  await scenario.settle()
  expect(await asked()).toBe(1000)
  await scenario.runScheduled(lookAtAgreements)
  await scenario.settle()
  expect(await asked()).toBe(1500)
  await pass(31)
  expect(await paid()).toEqual([1000, 1000, 1500])
})

test('a typing error that is mended within the hour mails nobody', async () => {
  const { mails, name } = await makeFollowing(scenario)
  await name('100')
  testApp.clock.advance(30 * 60_000)
  await name('12')
  testApp.clock.advance(30 * 60_000)
  await scenario.settle()
  expect(await mails()).toEqual([])
  await name('10')
  await passHour()
  expect(await mails()).toEqual([])
})

test('a follower who has agreed before the hour is over is not asked once more', async () => {
  const { agree, mails, name } = await makeFollowing(scenario)
  await name('15')
  await agree(1500)
  await passHour()
  expect(await mails()).toEqual([])
})

test('several lower prices within the hour are one mail, from the price that was known', async () => {
  const { asked, mails, name } = await makeFollowing(scenario)
  for (const monthly of ['9', '8', '7']) await name(monthly)
  await passHour()
  expect(await asked()).toBe(700)
  expect(await mails()).toEqual([['price_lowered', 1000, 700]])
  await name('7.50')
  await passHour()
  expect(await mails()).toEqual([
    ['price_lowered', 1000, 700],
    ['price_proposed', 700, 750],
  ])
})

test('a price of a year and one of a month change apart from each other', async () => {
  const yearly = await makeFollowing(scenario, { yearly: '100' })
  expect(await yearly.asked()).toBe(10_000)
  await yearly.name('15', '100')
  expect(await yearly.listed()).toEqual({ priceCents: 10_000, newPrice: null })
  await yearly.name('15', '120')
  const renewal = (await findSubscription(scenario, yearly.person, yearly.trader)).current_period_end
  expect(await yearly.agree(12_000)).toEqual({
    ...{ priceCents: 12_000, agreed: true, from: renewal?.toISOString() },
  })
  expect(await yearly.asked()).toBe(12_000)
  // The month changes, and the agreement about the year stays.
  await yearly.name('14', '120')
  expect(await yearly.listed()).toMatchObject({ newPrice: { priceCents: 12_000, agreed: true } })
  await yearly.name('14', '90')
  expect(await yearly.asked()).toBe(9000)
  // Without a price of a year everybody who pays by the year keeps theirs.
  await yearly.name('14')
  expect(await yearly.asked()).toBe(9000)
  await yearly.pass(366)
  expect(await yearly.paid()).toEqual([10_000, 9000])
})

test('forty changes leave one active price of each interval at Stripe, and nobody is charged more than agreed', async () => {
  const { agree, name, paid, pass, trader } = await makeFollowing(scenario)
  await testApp.pool.query("delete from rate_limits where key like 'prices:%'")
  await name('15')
  await agree(1500)
  for (let nth = 0; nth < 40; nth += 1) {
    if (nth % 10 === 9) testApp.clock.advance(25 * HOUR_MS)
    const body = { monthly: String(11 + (nth % 7)), yearly: nth % 2 === 0 ? '' : null, currency: 'usd' }
    const { status } = await call(testApp, trader, 'POST', '/v1/accounts/prices', body)
    expect([200, 429]).toContain(status)
    if (nth % 5 === 0) await scenario.settle()
  }
  testApp.clock.advance(25 * HOUR_MS)
  await name('12', '')
  const { data } = await stripe.prices.list({
    ...{ product: `prod_local_${trader.userId.replaceAll('-', '')}`, active: true, limit: 100 },
  })
  expect(data.map(({ recurring, unit_amount }) => [recurring?.interval, unit_amount]).toSorted()).toEqual([
    ['month', 1200],
    ['year', 12_000],
  ])
  for (const _ of [1, 2, 3]) await pass(31)
  expect(await paid()).toEqual([1000, 1000, 1000, 1000])
})

test('a trader reads how many pay less, and how many of them have agreed', async () => {
  const { agree, name, trader } = await makeFollowing(scenario)
  const counts = async () => {
    const { body } = await call(testApp, trader, 'GET', '/v1/accounts/prices')
    return [body.followersBelow, body.followersAgreed]
  }
  expect(await counts()).toEqual([undefined, undefined])
  await name('15')
  expect(await counts()).toEqual([1, 0])
  await agree(1500)
  expect(await counts()).toEqual([0, 1])
  await name('9')
  expect(await counts()).toEqual([0, 0])
})
