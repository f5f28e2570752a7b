import { afterAll, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { call } from '../../../test/factories.ts'
import {
  findSubscription,
  giveClock,
  makeCustomer,
  makePaidTrader,
  owedMails,
  startBillingScenario,
  subscribeAtStripe,
  takeAlerts,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { StripeClient } from '../../stripe/sdk.ts'
import { pairLock } from '../provider/provider-lock.ts'
import { endForDispute } from '../subscriptions/end-without-asking.ts'
import { oweDebt } from './debts.queries.ts'
import { collectionDebt } from './debts.ts'
import { settleDebts } from './settle-debts.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

const debts = (...words: string[]) => runOperator(testApp, 'debts', ...words)

const refuse = (status: number, method: string, path: string) =>
  sandbox.control('fault', { kind: 'refuse', status, method, path, times: 100 })

async function makePair() {
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const bought = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  await takeAlerts(scenario)
  return { trader, person, bought }
}

const chargeOf = async (customer: string) => (await stripe.charges.list({ customer })).data[0]

/** Everything arrives and every job runs while Stripe refuses. */
async function work(): Promise<void> {
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
}

const debtsOf = (traderId: string) =>
  testApp.db
    .selectFrom('debts')
    .select(['kind', 'cause', 'amount_cents', 'state', 'tries', 'error', 'due_at'])
    .where('trader_id', '=', traderId)
    // By kind: ids of the same millisecond come in any order.
    .orderBy('kind')
    .execute()

test('a dispute whose reversal Stripe refuses ends access at once, and the operator is mailed at the first answer', async () => {
  const { bought, person, trader } = await makePair()
  const charge = await chargeOf(person.customer)
  await refuse(400, 'POST', '/v1/transfers')
  await refuse(400, 'POST', '/v1/refunds')
  await sandbox.control('dispute', { id: charge?.id })
  await work()

  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'dispute',
    entitled_until_event: 0,
    ended_at: testApp.clock.now(),
  })
  const { body } = await call(testApp, person, 'GET', `/v1/subscriptions/${trader.username}`)
  expect(body).toMatchObject({ subscribed: false })
  expect((await stripe.subscriptions.retrieve(bought.id)).status).toBe('canceled')
  expect((await owedMails(scenario, person)).map(({ kind }) => kind)).toEqual(['subscription_ended'])
  expect((await takeAlerts(scenario)).toSorted()).toEqual([
    "Tradepost: payments: Stripe refused a trader's return of a disputed payment",
    'Tradepost: payments: a payment is disputed (needs_response)',
  ])
  expect(await debtsOf(trader.userId)).toMatchObject([
    { kind: 'end', state: 'settled', tries: 0, amount_cents: null },
    {
      kind: 'reversal',
      cause: 'dispute',
      amount_cents: 1000,
      state: 'open',
      tries: 1,
      error: 'StripeInvalidRequestError balance_insufficient',
      due_at: new Date(testApp.clock.now().getTime() + 6 * HOUR_MS),
    },
    { kind: 'void', state: 'settled', tries: 0 },
  ])

  // Six hours later the same answer is no news; once Stripe takes the call, the debt is settled without help.
  testApp.clock.advance(6 * HOUR_MS)
  await work()
  expect(await debtsOf(trader.userId)).toMatchObject([{}, { state: 'open', tries: 2 }, {}])
  expect(await takeAlerts(scenario)).toEqual([])
  await sandbox.control('calm')
  testApp.clock.advance(6 * HOUR_MS)
  await work()
  expect(await debtsOf(trader.userId)).toMatchObject([{}, { state: 'settled', due_at: null }, {}])
  expect(await moneyOf(stripe, trader.account)).toBe(0)
})

test('a debt of a pair that somebody else deals with is left to them, and looked at again twenty seconds later', async () => {
  const { bought, person, trader } = await makePair()
  const pair = { traderId: trader.userId, subscriberId: person.userId }
  const now = testApp.clock.now()
  await oweDebt(testApp.db, pair, collectionDebt({ id: bought.id, currency: 'usd' }), now)
  const holding = await testApp.pool.connect()
  onTestFinished(() => holding.release(true))
  await holding.query('select pg_advisory_lock(hashtextextended($1, 0))', [pairLock(pair)])
  await scenario.work()
  // It stays due for the holder of the lock.
  const left = { state: 'open', tries: 0, error: null, due_at: now }
  expect(await debtsOf(trader.userId)).toMatchObject([left])
  await holding.query('select pg_advisory_unlock_all()')
  testApp.clock.advance(20 * SECOND_MS - 1)
  await scenario.work()
  expect(await debtsOf(trader.userId)).toMatchObject([left])
  testApp.clock.advance(1)
  await scenario.work()
  expect(await debtsOf(trader.userId)).toMatchObject([{ state: 'settled', due_at: null }])
})

test('an inquiry and a dispute that was prevented end nothing and take nothing back', async () => {
  const { person, trader } = await makePair()
  const payment = String((await chargeOf(person.customer))?.payment_intent)
  const { db, settings } = testApp
  const now = testApp.clock.now()
  for (const status of ['warning_needs_response', 'warning_closed', 'prevented'])
    await endForDispute(
      { db, settings, log: silentLog, stripe: new StripeClient(stripe) },
      { id: `du_${status}`, status, amountCents: 1000, createdAt: now, takenAt: now },
      payment,
      now,
    )
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    end_reason: null,
  })
  expect(await debtsOf(trader.userId)).toEqual([])
})

test('a dispute ends a subscription by what is stored here, so that it does not wait for Stripe', async () => {
  const { person, trader } = await makePair()
  const payment = String((await chargeOf(person.customer))?.payment_intent)
  const { db, settings } = testApp
  const now = testApp.clock.now()
  const dispute = { id: 'du_real', status: 'needs_response', amountCents: 1000, createdAt: now, takenAt: now }
  await endForDispute(
    { db, settings, log: silentLog, stripe: new StripeClient(stripe) },
    dispute,
    payment,
    now,
  )
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'dispute',
  })
  expect(await debtsOf(trader.userId)).toMatchObject([
    { kind: 'end' },
    { kind: 'reversal', amount_cents: 1000 },
    { kind: 'void' },
  ])
})

test('Stripe failures are retried from ten seconds on, and after nine tries the operator is mailed', async () => {
  const { person, trader } = await makePair()
  await sandbox.control('fault', { kind: 'error', method: 'POST', path: '/v1/refunds', times: 1000 })
  testApp.clock.advance(SECOND_MS)
  await subscribeAtStripe(scenario, person, trader)
  const pauses: number[] = []
  for (let tries = 1; tries <= 9; tries += 1) {
    await work()
    const refund = (await debtsOf(trader.userId)).find(({ kind }) => kind === 'refund')
    expect(refund).toMatchObject({ tries, state: 'open', error: 'StripeAPIError' })
    pauses.push(((refund?.due_at?.getTime() ?? 0) - testApp.clock.now().getTime()) / SECOND_MS)
    expect(await takeAlerts(scenario)).toEqual(
      tries < 9 ? [] : ['Tradepost: payments: Stripe fails at a refund'],
    )
    testApp.clock.set(refund?.due_at ?? testApp.clock.now())
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560])
  // Nobody is notified that money went back before it has.
  expect(await owedMails(scenario, person)).toEqual([])
  await sandbox.control('calm')
  await work()
  const facts = { trader: trader.username, amountCents: 1000, currency: 'usd' }
  expect(await owedMails(scenario, person)).toMatchObject([
    { kind: 'double_payment_returned', facts: { ...facts, to: 'subscriber' } },
  ])
})

test('a subscriber is notified that their trader is gone although the refund is refused', async () => {
  const { person, trader } = await makePair()
  await refuse(402, 'POST', '/v1/refunds')
  await sandbox.control('close', { id: trader.account })
  await work()
  const facts = { trader: trader.username, amountCents: 1000, currency: 'usd' }
  expect(await owedMails(scenario, person)).toMatchObject([{ kind: 'trader_unavailable', facts }])
  expect(await takeAlerts(scenario)).toEqual(['Tradepost: payments: Stripe refused a refund'])
  await sandbox.control('calm')
  testApp.clock.advance(6 * HOUR_MS)
  await work()
  expect(await owedMails(scenario, person)).toHaveLength(1)
  expect((await chargeOf(person.customer))?.amount_refunded).toBe(1000)
})

test('a subscription that Stripe refuses to end gives no access, and what it charges meanwhile goes back', async () => {
  const { bought, person, trader } = await makePair()
  await refuse(403, 'DELETE', '/v1/subscriptions/')
  await sandbox.control('close', { id: trader.account })
  await work()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'canceled' })
  expect((await stripe.subscriptions.retrieve(bought.id)).status).toBe('active')
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: Stripe refused the end of a subscription',
  ])
  await sandbox.control('calm')
  // Ten days later somebody has given the key its right back. The subscriber had nothing of these days.
  testApp.clock.advance(10 * 24 * HOUR_MS)
  await work()
  expect((await stripe.subscriptions.retrieve(bought.id)).status).toBe('canceled')
  expect((await chargeOf(person.customer))?.amount_refunded).toBe(1000)
})

test('charges of a disputed subscription while Stripe refuses to end it go back with its end', async () => {
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const pass = await giveClock(scenario, person.customer)
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  await refuse(403, 'DELETE', '/v1/subscriptions/')
  await sandbox.control('dispute', { id: (await chargeOf(person.customer))?.id })
  await work()
  // Open invoices are voided once the subscription has ended at Stripe, so that no later invoice is left.
  expect(await debtsOf(trader.userId)).toMatchObject([
    { kind: 'end', state: 'open' },
    { kind: 'reversal' },
    { kind: 'void', state: 'open', tries: 0 },
  ])
  await pass(32)
  testApp.clock.advance(32 * 24 * HOUR_MS)
  await work()
  await sandbox.control('calm')
  testApp.clock.advance(6 * HOUR_MS)
  await work()
  const { data } = await stripe.charges.list({ customer: person.customer })
  expect(data.map(({ amount_refunded }) => amount_refunded)).toEqual([1000, 0])
  expect(await moneyOf(stripe, trader.account)).toBe(0)
  await takeAlerts(scenario)
})

test('a refund that the bank has overtaken waits for the dispute, and is not made twice', async () => {
  const { person, trader } = await makePair()
  await sandbox.control('fault', { kind: 'error', method: 'POST', path: '/v1/refunds', times: 2 })
  testApp.clock.advance(SECOND_MS)
  await subscribeAtStripe(scenario, person, trader)
  await work()
  const second = await chargeOf(person.customer)
  await sandbox.control('calm')
  await sandbox.control('dispute', { id: second?.id })
  testApp.clock.advance(60 * SECOND_MS)
  await work()
  const refund = async () => (await debtsOf(trader.userId)).find(({ kind }) => kind === 'refund')
  expect(await refund()).toMatchObject({ state: 'open', error: 'charge_disputed' })
  const [dispute] = (await stripe.disputes.list({ charge: second?.id ?? '' })).data
  await stripe.disputes.update(dispute?.id ?? '', {
    evidence: { uncategorized_text: 'losing_evidence' },
    submit: true,
  })
  testApp.clock.advance(6 * HOUR_MS)
  await work()
  // The bank has given it back already.
  expect(await refund()).toMatchObject({ state: 'settled', amount_cents: 0 })
  expect((await chargeOf(person.customer))?.amount_refunded).toBe(0)
  expect(await moneyOf(stripe, trader.account)).toBe(900)
})

test('of refused debts twenty an hour are mailed to the operator, and the list has them all', async () => {
  const { person, trader } = await makePair()
  // The mails of earlier tests are then more than an hour old.
  testApp.clock.advance(2 * HOUR_MS)
  await refuse(400, 'POST', '/v1/refunds')
  for (let double = 1; double <= 21; double += 1) {
    testApp.clock.advance(SECOND_MS)
    await subscribeAtStripe(scenario, person, trader)
  }
  await work()
  const refunds = (await debtsOf(trader.userId)).filter(({ kind }) => kind === 'refund')
  expect(refunds.map(({ state }) => state)).toEqual(Array(21).fill('open'))
  expect(await takeAlerts(scenario)).toEqual(Array(20).fill('Tradepost: payments: Stripe refused a refund'))
  await sandbox.control('calm')
  testApp.clock.advance(6 * HOUR_MS)
  await work()
  expect(await debts()).toBe('Nothing is owed.\n')
  await takeAlerts(scenario)
})

test('the operator lists what is owed, has it tried at once, and gives up what was seen to by hand', async () => {
  expect(await debts()).toBe('Nothing is owed.\n')
  const { person, trader } = await makePair()
  await refuse(400, 'POST', '/v1/refunds')
  await sandbox.control('close', { id: trader.account })
  await work()
  const listed = await debts()
  const [id = ''] = /[0-9a-f-]{36}$/.exec(listed.trim()) ?? []
  expect(listed.trim()).toMatch(
    new RegExp(
      `^\\d{4}\\S+Z {2}refund {2}\\$10\\.00 {2}trader_unavailable {2}in_\\w+ {2}sub_\\w+ {2}@${trader.username} {2}` +
        `refused, 1 try: StripeInvalidRequestError balance_insufficient {2}next \\S+Z {2}${id}$`,
    ),
  )
  expect(listed).not.toContain('@example')
  await expect(debts('retry', 'x')).rejects.toThrow('Say the id of a debt')
  await expect(debts('drop', id)).rejects.toThrow('Say why')
  await expect(debts('pay')).rejects.toThrow('Say `retry` or `drop`')
  expect(await debts('retry', id)).toBe('Trying 1 again within half a minute.\n')
  testApp.clock.advance(60 * SECOND_MS)
  await work()
  expect(await debts()).toContain('refused, 2 tries')
  expect(await debts('drop', id, 'paid', 'by', 'bank')).toBe('Dropped 1.\n')
  expect(await debts()).toBe('Nothing is owed.\n')
  expect(await debts('retry', 'all')).toBe('Trying 0 again within half a minute.\n')
  await sandbox.control('calm')
  const pair = { traderId: trader.userId, subscriberId: person.userId }
  testApp.clock.advance(24 * HOUR_MS)
  const { clock, db, settings } = testApp
  await settleDebts({ db, settings, stripe: new StripeClient(stripe), log: silentLog }, pair, clock.now())
  await scenario.settle()
  expect((await chargeOf(person.customer))?.amount_refunded).toBe(0)
})

test('an event that Stripe refuses to explain is reported at once and is in the list', async () => {
  const { person, trader } = await makePair()
  const charge = await chargeOf(person.customer)
  testApp.clock.advance(HOUR_MS)
  await refuse(403, 'GET', '/v1/disputes')
  await sandbox.control('dispute', { id: charge?.id })
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: some events of Stripe cannot be dealt with',
  ])
  expect(await debts()).toMatch(/event {2}charge\.dispute\.created {2}du_\w+ {2}1 try: StripePermissionError/)
  await sandbox.control('calm')
  testApp.clock.advance(10 * SECOND_MS)
  await work()
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ end_reason: 'dispute' })
  expect(await debts()).toBe('Nothing is owed.\n')
})
