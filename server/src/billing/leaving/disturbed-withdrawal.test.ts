import { afterAll, beforeEach, expect, test } from 'vitest'
import { closeBy, makeClosings } from '../../../test/closing.ts'
import { silentLog } from '../../../test/database/database.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import { buy, subscribeAtStripe, takeAlerts } from '../../../test/money/billing-scenario.ts'
import { followEveryCent } from '../../../test/money/follow-every-cent.ts'
import { type Hold, startLeavingScenario } from '../../../test/money/leaving-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { StripeClient } from '../../stripe/sdk.ts'
import { storeStripeOnlyFacts } from '../entitlements/pair.queries.ts'
import { endForDispute } from '../subscriptions/end-without-asking.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeFollower, pass, sandbox, stripe, testApp } = scenario
const { clock, db, pool } = testApp
const closings = makeClosings(scenario)

const OVER = { status: 409, body: { code: 'withdrawal_over' } }
const WITHDRAWN = { status: 'canceled', end_reason: 'withdrawn' }

beforeEach(() => scenario.toNextMonth())

/** Somebody who paid four days ago, and whose trader has published since. */
async function makeUsed(): Promise<Hold> {
  const used = await makeFollower()
  await used.publish()
  await pass(4)
  return used
}

const disputesOf = async (charge: string) => (await stripe.disputes.list({ charge })).data
const answerDispute = async (charge: string, evidence: 'winning_evidence' | 'losing_evidence') => {
  const [dispute] = await disputesOf(charge)
  await stripe.disputes.update(dispute?.id ?? '', {
    evidence: { uncategorized_text: evidence },
    submit: true,
  })
}

test.each(['rate-limit', 'error', 'lost-answer'])(
  'where Stripe meets %s at the refund and the end, access is over at once and the money goes back once',
  async (kind) => {
    const { atStripe, atTrader, debts, mails, money, now, withdraw } = await makeUsed()
    const open = async () => (await debts()).filter(({ state }) => state === 'open').length
    for (const [method, path] of [
      ['DELETE', `/v1/subscriptions/${atStripe}`],
      ['POST', '/v1/refunds'],
    ])
      for (let nth = 0; nth < 3; nth += 1) await sandbox.control('fault', { kind, method, path })
    expect(await withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1089 } })
    expect(await now()).toMatchObject(WITHDRAWN)
    await scenario.work()
    expect(await open()).toBeGreaterThan(0)
    await pass(0.1)
    await pass(0.3)
    expect(await money()).toEqual([[1250, 1089]])
    expect(await atTrader()).toBe(145)
    expect(await mails()).toEqual(['subscription_withdrawn'])
  },
)

test('facts that were read at Stripe before a withdrawal leave its day', async () => {
  const { atStripe, withdraw } = await makeUsed()
  const read = await stripe.subscriptions.retrieve(atStripe)
  expect(await withdraw()).toMatchObject({ status: 200 })
  const ended = () =>
    pool.query<{ trader_id: string; id: string; ended_at: Date | null }>(
      'select trader_id, id, ended_at from subscriptions where stripe_subscription_id = $1',
      [read.id],
    )
  const [row] = (await ended()).rows
  expect(row?.ended_at).toEqual(clock.now())
  const facts = {
    ...{ startedAt: new Date(read.start_date * 1000), endedAt: null, priceCents: 1250, currency: 'usd' },
    ...{ interval: 'month' as const, trialEnd: null, feePercent: null, pastDueSince: null },
    ...{ paused: false, endReason: null },
  }
  await storeStripeOnlyFacts(db, { traderId: row?.trader_id ?? '', id: row?.id ?? '' }, facts, clock.now())
  expect((await ended()).rows).toEqual([row])
})

test('of a withdrawal and a dispute at one moment the first ends it, once', async () => {
  const { charge, debts, now, trader, withdraw } = await makeUsed()
  const { payment_intent: paymentId } = await stripe.charges.retrieve(await charge())
  const deps = { db, settings: testApp.settings, stripe: new StripeClient(stripe), log: silentLog }
  const [free, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const others = withTransaction(db, async (tx) => {
    await lockTraderSequence(tx, trader.userId)
    held.resolve()
    await free.promise
  })
  await held.promise
  const withdrawing = withdraw()
  await expect.poll(() => countWaiting(testApp)).toBe(1)
  const dispute = {
    id: 'du_1',
    status: 'needs_response',
    amountCents: 1250,
    createdAt: clock.now(),
    takenAt: clock.now(),
  }
  const disputing = endForDispute(deps, dispute, String(paymentId), clock.now())
  await expect.poll(() => countWaiting(testApp)).toBe(2)
  free.resolve()
  await Promise.all([others, withdrawing, disputing])
  expect(await now()).toMatchObject(WITHDRAWN)
  expect((await debts()).filter(({ kind }) => kind === 'end')).toMatchObject([{ cause: 'withdrawn' }])
})

test('a refund that Stripe refuses stays open for the operator, and is made once the cause is gone', async () => {
  const { debts, money, now, withdraw } = await makeUsed()
  await takeAlerts(scenario)
  await sandbox.control('fault', {
    kind: 'refuse',
    status: 400,
    method: 'POST',
    path: '/v1/refunds',
    times: 100,
  })
  expect((await withdraw()).status).toBe(200)
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  expect(await now()).toMatchObject(WITHDRAWN)
  expect(await takeAlerts(scenario)).toEqual(['Tradepost: payments: Stripe refused a refund'])
  expect((await debts()).find(({ kind }) => kind === 'refund')).toMatchObject({
    cause: 'withdrawn',
    amount_cents: 1089,
    state: 'open',
  })
  expect(await runOperator(testApp, 'debts')).toContain('refund  $10.89  withdrawn')
  expect(await money()).toEqual([[1250, 0]])
  await sandbox.control('calm')
  await pass(0.3)
  expect(await money()).toEqual([[1250, 1089]])
})

test('events that are lost, late and doubled change nothing of the amounts', async () => {
  const { atTrader, mails, money, now, withdraw } = await makeUsed()
  await sandbox.control('chaos', { seed: 3, duplicate: 0.5, reorder: 0.5, drop: 0.5 })
  expect((await withdraw()).status).toBe(200)
  await scenario.work()
  expect(await now()).toMatchObject(WITHDRAWN)
  await scenario.settle()
  await pass(1)
  expect(await money()).toEqual([[1250, 1089]])
  expect(await atTrader()).toBe(145)
  expect(await mails()).toEqual(['subscription_withdrawn'])
})

test('a renewal that Stripe charges before it can end the subscription goes back whole', async () => {
  const { atStripe, money, withdraw } = await makeUsed()
  const path = `/v1/subscriptions/${atStripe}`
  await sandbox.control('fault', { kind: 'refuse', status: 400, method: 'DELETE', path, times: 1000 })
  expect((await withdraw()).status).toBe(200)
  await scenario.work()
  clock.advance(28 * 86_400_000)
  await sandbox.control('advance', { seconds: 0 })
  clock.advance(7_200_000)
  await sandbox.control('advance', { seconds: 0 })
  expect(await money()).toEqual([
    [1250, 1089],
    [1250, 0],
  ])
  await sandbox.control('calm')
  await pass(0.3)
  expect(await money()).toEqual([
    [1250, 1089],
    [1250, 1250],
  ])
})

test('a dispute that nobody knew of holds the refund back: lost, nothing more is returned', async () => {
  const { atTrader, charge, debts, money, withdraw } = await makeUsed()
  await sandbox.control('chaos', { seed: 1, drop: 1 })
  await sandbox.control('dispute', { id: await charge() })
  expect((await withdraw()).status).toBe(200)
  await scenario.work()
  expect((await debts()).find(({ kind }) => kind === 'refund')).toMatchObject({ state: 'open' })
  await answerDispute(await charge(), 'losing_evidence')
  await sandbox.control('calm', { settle: true })
  await pass(1)
  await pass(1)
  expect(await money()).toEqual([[1250, 0]])
  expect(await atTrader()).toBe(0)
  expect((await debts()).find(({ kind }) => kind === 'refund')).toMatchObject({
    amount_cents: 0,
    state: 'settled',
  })
})

test('a dispute that was won leaves the refund of the withdrawal', async () => {
  const { atTrader, charge, money, withdraw } = await makeUsed()
  await sandbox.control('chaos', { seed: 1, drop: 1 })
  await sandbox.control('dispute', { id: await charge() })
  expect((await withdraw()).status).toBe(200)
  await scenario.work()
  await answerDispute(await charge(), 'winning_evidence')
  await sandbox.control('calm', { settle: true })
  await pass(1)
  await pass(1)
  expect(await money()).toEqual([[1250, 1089]])
  // Of the $1.61 that are kept 16 cents are the platform's.
  expect(await atTrader()).toBe(145)
})

test('a dispute that is known has ended the subscription: there is nothing to withdraw from', async () => {
  const { charge, mails, money, withdraw } = await makeUsed()
  await sandbox.control('dispute', { id: await charge() })
  await scenario.settle()
  expect(await withdraw()).toMatchObject(OVER)
  await scenario.settle()
  expect(await money()).toEqual([[1250, 0]])
  expect(await mails()).toEqual(['subscription_ended'])
})

test('a trader whose payouts are gone has ended it, and the unused part goes back once', async () => {
  const { money, now, trader, withdraw } = await makeUsed()
  await sandbox.control('close', { id: trader.account })
  await scenario.settle()
  expect(await now()).toMatchObject({ end_reason: 'trader_unavailable' })
  expect(await withdraw()).toMatchObject(OVER)
  expect(await money()).toEqual([[1250, 1089]])
})

test('while a trader is suspended or cannot be paid the subscription is withdrawn from as ever', async () => {
  const [held, unpayable] = [await makeUsed(), await makeUsed()]
  await runOperator(testApp, 'suspend', held.trader.email, 'A question.')
  await sandbox.control('restrict', { id: unpayable.trader.account })
  await scenario.settle()
  expect((await held.now()).paused_since).not.toBeNull()
  expect(await held.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 928 } })
  expect(await unpayable.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1089 } })
  await scenario.settle()
  expect([await held.money(), await unpayable.money()]).toEqual([[[1250, 928]], [[1250, 1089]]])
})

test('a trader or a subscriber who closes the account ends it, and a withdrawal finds nothing', async () => {
  const [left, leaving] = [await makeUsed(), await makeFollower()]
  expect((await closeBy(testApp, left.trader)).status).toBe(200)
  await closings.tend()
  expect(await left.withdraw()).toMatchObject(OVER)
  const byTrader = await left.money()
  expect(byTrader).toEqual([[1250, 1089]])
  expect((await closeBy(testApp, leaving.person)).status).toBe(200)
  await closings.tend()
  expect(await leaving.now()).toMatchObject({ status: 'canceled', end_reason: 'account_closed' })
})

test('of two subscriptions at once the double goes back whole, and the other is withdrawn from', async () => {
  const { atTrader, mails, money, now, person, trader, withdraw } = await makeFollower()
  clock.advance(1000)
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  expect(await mails()).toEqual(['double_payment_returned'])
  expect(await withdraw()).toMatchObject({ status: 200 })
  await scenario.settle()
  expect(await money()).toEqual([
    [1250, 1250],
    [1250, 1250],
  ])
  expect(await atTrader()).toBe(0)
  expect(await now()).toMatchObject({ status: 'canceled' })
})

test('a withdrawal and a sync of the pair at once end it once', async () => {
  const { syncSubscription } = await import('../subscriptions/sync-subscription.ts')
  const { atStripe, mails, money, now, withdraw } = await makeUsed()
  const sync = () => syncSubscription(scenario.deps, atStripe, {}, clock.now())
  await Promise.all([sync(), withdraw(), sync(), withdraw()])
  await scenario.settle()
  expect(await now()).toMatchObject(WITHDRAWN)
  expect(await money()).toEqual([[1250, 1089]])
  expect(await mails()).toEqual(['subscription_withdrawn'])
})

test('a withdrawal beside the sync of another end: both lock the trader before the debts, and neither ends the other', async () => {
  const { syncSubscription } = await import('../subscriptions/sync-subscription.ts')
  const { atStripe, now, row, withdraw } = await makeUsed()
  const other = await pool.connect()
  await other.query('begin')
  await other.query('select from traders where trader_id = $1 for update', [row.trader_id])
  const withdrawing = withdraw()
  await expect.poll(() => countWaiting(testApp)).toBe(1)
  await stripe.subscriptions.cancel(atStripe)
  const syncing = syncSubscription(scenario.deps, atStripe, {}, clock.now())
  await expect.poll(() => countWaiting(testApp)).toBe(2)
  await other.query('rollback')
  other.release()
  expect((await withdrawing).status).toBe(200)
  await syncing
  expect(await now()).toMatchObject(WITHDRAWN)
  await scenario.settle()
})

test('a payment of which no event has arrived is looked for, and then withdrawn from', async () => {
  const { atStripe, money, row, withdraw } = await makeFollower()
  await pool.query("update invoices set status = 'open', amount_paid_cents = 0 where subscription_id = $1", [
    row.id,
  ])
  expect(await withdraw()).toMatchObject({ status: 503, body: { code: 'payment_provider_error' } })
  await scenario.settle()
  expect(await withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1250 } })
  await scenario.settle()
  expect(await money()).toEqual([[1250, 1250]])
  expect((await stripe.subscriptions.retrieve(atStripe)).status).toBe('canceled')
})

test('a person who can subscribe again at once is not held by the withdrawal', async () => {
  const { person, trader, withdraw } = await makeFollower()
  await withdraw()
  await buy(scenario, person, trader)
  const again = await scenario.holdOf(person, trader)
  expect(await again.now()).toMatchObject({ status: 'active' })
})

test('after all of it every cent is where it is written', async () => {
  for (let nth = 0; nth < 4; nth += 1) await pass(0.3)
  const people = await db.selectFrom('payout_accounts').select(['user_id', 'stripe_account_id']).execute()
  const traders = people.map((one) => ({ userId: one.user_id, account: one.stripe_account_id ?? '' }))
  expect(await followEveryCent({ sandbox, stripe, pool }, traders)).toMatchObject({ 'difference, cents': 0 })
})
