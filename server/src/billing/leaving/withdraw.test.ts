import { afterAll, beforeEach, expect, test } from 'vitest'
import { buy, owedMails } from '../../../test/money/billing-scenario.ts'
import { startLeavingScenario } from '../../../test/money/leaving-scenario.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeFollower, pass, sandbox, stripe, testApp } = scenario
const { clock, pool } = testApp

const OVER = { status: 409, body: { code: 'withdrawal_over' } }
const MINUTE = 1 / 1440

beforeEach(() => scenario.toNextMonth())

test('everything goes back where nothing was published, and the trader gives their share', async () => {
  const { atStripe, atTrader, leaving, mails, money, now, person, trader, withdraw } = await makeFollower()
  expect(await atTrader()).toBe(1125)
  const until = new Date(clock.now().getTime() + 14 * 86_400_000).toISOString()
  const cancelAt = new Date(clock.now().getTime() + 31 * 86_400_000).toISOString()
  await pass(3)
  expect(await leaving()).toEqual({
    endsAt: null,
    cancelAt,
    inTrial: false,
    withdrawal: {
      until,
      paidCents: 1250,
      returnsCents: 1250,
      currency: 'usd',
      delivered: false,
      daysLeft: null,
    },
    asOf: clock.now().toISOString(),
  })
  expect(await withdraw()).toEqual({
    status: 200,
    body: { paidCents: 1250, returnsCents: 1250, currency: 'usd' },
  })
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: 'withdrawn', ended_at: clock.now() })
  await scenario.settle()
  expect(await money()).toEqual([[1250, 1250]])
  expect(await atTrader()).toBe(0)
  expect(await stripe.subscriptions.retrieve(atStripe)).toMatchObject({ status: 'canceled' })
  expect(await mails()).toEqual(['subscription_withdrawn'])
  expect(await mails(trader)).toEqual(['subscription_withdrawn'])
  expect((await owedMails(scenario, person))[0]?.facts).toEqual({
    trader: trader.username,
    to: 'subscriber',
    at: clock.now().toISOString(),
    paidCents: 1250,
    amountCents: 1250,
    shareCents: 1125,
    currency: 'usd',
    delivered: false,
    asOf: clock.now().toISOString(),
    daysLeft: null,
  })
})

test('on the first day the part for the days left is the whole, and is said to be that part', async () => {
  const { leaving, publish } = await makeFollower()
  await publish()
  // A cent is the price of 36 minutes.
  await pass(0.01)
  expect(await leaving()).toMatchObject({ withdrawal: { returnsCents: 1250, delivered: true, daysLeft: 31 } })
})

test('once something was published the part for the days that are left goes back, rounded up', async () => {
  const { atTrader, leaving, money, publish, withdraw } = await makeFollower()
  await publish()
  await pass(4)
  // 27 of 31 days of $12.50: 1088.7 cents. The fee of $1.25 goes back in proportion: 108.9 cents.
  expect(await leaving()).toMatchObject({ withdrawal: { returnsCents: 1089, delivered: true, daysLeft: 27 } })
  expect(await withdraw()).toMatchObject({ status: 200, body: { paidCents: 1250, returnsCents: 1089 } })
  await scenario.settle()
  expect(await money()).toEqual([[1250, 1089]])
  expect(await atTrader()).toBe(145)
})

test('the fourteen days end to the millisecond', async () => {
  const { leaving, now, publish, withdraw } = await makeFollower()
  await publish()
  const paidAt = clock.now().getTime()
  clock.set(new Date(paidAt + 14 * 86_400_000))
  expect(await leaving()).toMatchObject({ withdrawal: null })
  expect(await withdraw()).toMatchObject(OVER)
  expect(await now()).toMatchObject({ status: 'active' })
  const other = await makeFollower()
  await other.publish()
  clock.set(new Date(clock.now().getTime() + 14 * 86_400_000 - 1))
  // 17 of 31 days, and the second that has begun: 685.48 cents.
  expect(await other.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 686 } })
})

test('pressed twice and five times at once it returns once, and each press is answered the same', async () => {
  const { mails, money, publish, trader, withdraw } = await makeFollower()
  await publish()
  await pass(4)
  const answer = { status: 200, body: { paidCents: 1250, returnsCents: 1089, currency: 'usd' } }
  expect(await Promise.all([1, 2, 3, 4, 5].map(() => withdraw()))).toEqual(Array(5).fill(answer))
  await scenario.settle()
  await pass(2)
  expect(await withdraw()).toEqual(answer)
  await scenario.settle()
  expect(await money()).toEqual([[1250, 1089]])
  expect([await mails(), await mails(trader)]).toEqual([
    ['subscription_withdrawn'],
    ['subscription_withdrawn'],
  ])
})

test('an amount that was shown holds for ten minutes, whatever is published meanwhile', async () => {
  const [held, late] = [await makeFollower(), await makeFollower()]
  await pass(5)
  const [shown, alsoShown] = [await held.leaving(), await late.leaving()]
  await held.publish()
  await late.publish()
  const later = (ms: number) => clock.set(new Date(Date.parse(String(shown.asOf)) + ms))
  later(600_000)
  expect(await held.withdraw({ asOf: shown.asOf })).toMatchObject({ body: { returnsCents: 1250 } })
  later(660_000)
  // 26 of 31 days less eleven minutes: 1048.1 cents.
  expect(await late.withdraw({ asOf: alsoShown.asOf })).toMatchObject({ body: { returnsCents: 1049 } })
  const future = await makeFollower()
  await pass(15)
  const tomorrow = new Date(clock.now().getTime() - 86_400_000 * 15).toISOString()
  expect(await future.withdraw({ asOf: tomorrow })).toMatchObject(OVER)
})

test('after eleven minutes the amount is that of the press, and a date to come counts as now', async () => {
  const [late, early] = [await makeFollower(), await makeFollower()]
  const shown = await late.leaving()
  for (const one of [late, early]) await one.publish()
  await pass(1)
  // 30 of 31 days.
  expect(await late.withdraw({ asOf: shown.asOf })).toMatchObject({ body: { returnsCents: 1210 } })
  const ahead = new Date(clock.now().getTime() + 5 * MINUTE * 86_400_000).toISOString()
  expect(await early.withdraw({ asOf: ahead })).toMatchObject({ body: { returnsCents: 1210 } })
  expect(await early.withdraw({ asOf: 'yesterday' })).toMatchObject({ status: 400 })
})

test('an event from before, one of a split, and one of another trader count as nothing delivered', async () => {
  const trader = await scenario.makeTrader()
  const first = await scenario.follow(trader)
  await first.publish('MSFT')
  await pass(MINUTE)
  const second = await scenario.follow(trader)
  await pool.query(
    `insert into position_events (trader_id, event_no, position_id, kind, created_at)
     select trader_id, last_event_no + 1, (select id from positions where trader_id = traders.trader_id limit 1), 'adjusted', $2
     from traders where trader_id = $1`,
    [trader.userId, clock.now()],
  )
  await pool.query('update traders set last_event_no = last_event_no + 1 where trader_id = $1', [
    trader.userId,
  ])
  await (await makeFollower()).publish('NVDA')
  await pass(1)
  expect(await second.leaving()).toMatchObject({ withdrawal: { delivered: false, returnsCents: 1250 } })
  expect(await first.leaving()).toMatchObject({ withdrawal: { delivered: true, returnsCents: 1210 } })
})

test('of a year the days of the year that are left go back, and of a discounted month what was paid', async () => {
  const yearly = await scenario.makeTrader('125')
  const person = await scenario.makePerson()
  await scenario.buyAs(person, yearly, { interval: 'year', priceCents: 12_500 })
  const year = await scenario.holdOf(person, yearly)
  await year.publish()
  const spring = { code: 'SPRING', off: '20 %', months: 1, maxUses: null, lastDay: null, currency: 'usd' }
  const discounting = await scenario.makeTrader()
  expect((await scenario.ask(discounting, '/v1/accounts/discount-codes', spring)).status).toBe(200)
  const other = await scenario.makePerson()
  await scenario.buyAs(other, discounting, { discountCode: 'spring' })
  const month = await scenario.holdOf(other, discounting)
  expect(await month.leaving()).toMatchObject({ withdrawal: { paidCents: 1000, returnsCents: 1000 } })
  await month.publish()
  await pass(4)
  // 361 of 365 days of $125; 27 of 31 days of $10.
  expect(await year.withdraw()).toMatchObject({ body: { paidCents: 12_500, returnsCents: 12_364 } })
  expect(await month.withdraw()).toMatchObject({ body: { paidCents: 1000, returnsCents: 871 } })
  await scenario.settle()
  expect([await year.money(), await month.money()]).toEqual([[[12_500, 12_364]], [[1000, 871]]])
  // Of $1.36 and $1.29 that stay, less the fee.
  expect(await year.atTrader()).toBe(122)
  expect(await month.atTrader()).toBe(116)
})

test('a refund that was made before is not made again', async () => {
  const [some, all] = [await makeFollower(), await makeFollower()]
  await stripe.refunds.create({ charge: await some.charge(), amount: 500 })
  await stripe.refunds.create({ charge: await all.charge() })
  await scenario.settle()
  expect(await some.leaving()).toMatchObject({ withdrawal: { paidCents: 1250, returnsCents: 750 } })
  expect(await some.withdraw()).toMatchObject({ body: { returnsCents: 750 } })
  expect(await all.withdraw()).toMatchObject({ status: 200, body: { paidCents: 1250, returnsCents: 0 } })
  await scenario.settle()
  expect([await some.money(), await all.money()]).toEqual([[[1250, 1250]], [[1250, 1250]]])
  expect(await all.mails()).toEqual(['subscription_withdrawn'])
})

test('money that another debt is returning already is not returned a second time', async () => {
  const { money, row, atStripe, withdraw } = await makeFollower()
  await sandbox.control('fault', {
    kind: 'refuse',
    status: 400,
    method: 'POST',
    path: '/v1/refunds',
    times: 1,
  })
  await pool.query(
    `insert into debts (trader_id, id, subscriber_id, kind, stripe_subscription_id, subject, invoice_id, cause, amount_cents,
       currency, state, due_at, created_at)
     select trader_id, gen_random_uuid(), $2, 'refund', $3, invoice_id, invoice_id, 'not_agreed', 300, 'usd', 'open', $4, $4
     from invoices where subscription_id = $1`,
    [row.id, row.subscriber_id, atStripe, clock.now()],
  )
  expect(await withdraw()).toMatchObject({ body: { returnsCents: 950 } })
  await sandbox.control('calm')
  await scenario.settle()
  await pass(1)
  expect(await money()).toEqual([[1250, 1250]])
})

test('a withdrawal after a cancellation ends it at once, and a cancellation after a withdrawal finds nothing', async () => {
  const { cancel, keep, mails, money, now, withdraw } = await makeFollower()
  expect((await cancel()).status).toBe(200)
  expect((await withdraw()).status).toBe(200)
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: 'withdrawn' })
  await scenario.settle()
  expect(await cancel()).toMatchObject({ status: 409, body: { code: 'subscription_over' } })
  expect(await keep()).toMatchObject({ status: 409, body: { code: 'subscription_over' } })
  expect(await money()).toEqual([[1250, 1250]])
  expect(await mails()).toEqual(['subscription_canceled', 'subscription_withdrawn'])
})

test('a trial is not withdrawn from, and the fourteen days begin with its first payment', async () => {
  const [trader, person] = [await scenario.makeOffering(14), await scenario.makePerson()]
  await scenario.tryOut(person, trader, '5555 5555 5555 4444', 14)
  const hold = await scenario.holdOf(person, trader)
  await hold.publish()
  expect(await hold.leaving()).toMatchObject({ withdrawal: null })
  expect(await hold.withdraw()).toMatchObject(OVER)
  await pass(14.01)
  expect(await hold.now()).toMatchObject({ status: 'active' })
  await pass(13.5)
  // The one event came in free days.
  expect(await hold.leaving()).toMatchObject({ withdrawal: { paidCents: 1250, delivered: false } })
  expect(await hold.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1250 } })
  await scenario.settle()
  expect(await hold.money()).toEqual([[1250, 1250]])
})

test('somebody who follows again after a withdrawal can withdraw again, and gets the second payment back', async () => {
  const first = await makeFollower()
  await first.publish()
  await pass(4)
  await first.withdraw()
  await scenario.settle()
  await buy(scenario, first.person, first.trader)
  const second = await scenario.holdOf(first.person, first.trader)
  expect(second.row.id).not.toBe(first.row.id)
  expect(await second.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1250 } })
  expect(await first.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1089 } })
  await scenario.settle()
  expect(await second.money()).toEqual([
    [1250, 1089],
    [1250, 1250],
  ])
  expect(await first.atTrader()).toBe(145)
})

test('somebody else’s, one that was never bought, and one that is no subscription is not found', async () => {
  const [one, other] = [await makeFollower(), await makeFollower()]
  for (const act of [one.cancel, one.keep] as const)
    expect(await act(other.person)).toMatchObject({ status: 404, body: { code: 'subscription_not_found' } })
  expect(await one.withdraw({}, other.person)).toMatchObject({ status: 404 })
  for (const id of ['0199c000-0000-7000-8000-000000000001', 'maria', 'no%20such%20thing'])
    expect((await scenario.ask(one.person, `/v1/subscriptions/${id}/withdraw`, {})).status).toBe(404)
  expect(await one.now()).toMatchObject({ status: 'active', cancel_at: null })
  await pool.query('update subscriptions set stripe_subscription_id = null where id = $1', [one.row.id])
  expect(await one.withdraw()).toMatchObject(OVER)
  expect(await one.cancel()).toMatchObject({ status: 409, body: { code: 'subscription_over' } })
})
