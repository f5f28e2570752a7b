import { afterAll, expect, test } from 'vitest'
import { open as visit } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { call } from '../../../test/factories.ts'
import {
  checkout,
  findSubscription,
  makeCustomer,
  makeFollowed,
  makePairWithClock,
  owedMails,
  startBillingScenario,
  subscribeAtStripe,
  takeAlerts,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { enqueueSubscription, lookAtLostPayouts } from './subscriptions.jobs.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const DAY_MS = 86_400_000

const invoiceOf = (traderId: string) =>
  testApp.db.selectFrom('invoices').selectAll().where('trader_id', '=', traderId).executeTakeFirstOrThrow()

const balanceOf = (account: string) => moneyOf(stripe, account)

test('a disputed payment ends its subscription, and the trader bears it', async () => {
  const { person, trader } = await makeFollowed(scenario)
  await takeAlerts(scenario)
  await sandbox.control('dispute', { id: (await invoiceOf(trader.userId)).charge_id })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'dispute',
  })
  expect(await invoiceOf(trader.userId)).toMatchObject({
    dispute_status: 'needs_response',
    refunded_cents: 0,
    reversed_cents: 1000,
    fee_refunded_cents: 100,
  })
  expect(await balanceOf(trader.account)).toBe(0)
  expect((await owedMails(scenario, person)).map(({ facts, kind }) => [kind, facts])).toEqual([
    ['subscription_ended', { trader: trader.username, why: 'disputed' }],
  ])
  expect(await owedMails(scenario, trader)).toMatchObject([
    { kind: 'payment_disputed', facts: { trader: trader.username, amountCents: 1000, currency: 'usd' } },
  ])
  expect(await takeAlerts(scenario)).toEqual(['Tradepost: payments: a payment is disputed (needs_response)'])
})

test.each([
  ['won', 'winning_evidence', 900, 1900],
  ['lost', 'losing_evidence', 0, 1000],
] as const)(
  'a dispute that is %s leaves the trader with what is theirs',
  async (status, words, net, passed) => {
    const { person, trader } = await makeFollowed(scenario)
    const { charge_id: charge } = await invoiceOf(trader.userId)
    await sandbox.control('dispute', { id: charge })
    await scenario.settle()
    const [dispute] = (await stripe.disputes.list({ charge: charge ?? '' })).data
    await stripe.disputes.update(dispute?.id ?? '', { evidence: { uncategorized_text: words }, submit: true })
    await scenario.settle()
    expect(await invoiceOf(trader.userId)).toMatchObject({
      dispute_status: status,
      transferred_cents: passed,
    })
    expect(await balanceOf(trader.account)).toBe(net)
    expect(await findSubscription(scenario, person, trader)).toMatchObject({
      status: 'canceled',
      end_reason: 'dispute',
    })
  },
)

test('a dispute that was won before it was reported leaves the trader whole too', async () => {
  const { person, trader } = await makePairWithClock(scenario)
  const { id } = await subscribeAtStripe(scenario, person, trader)
  const [charge] = (await stripe.charges.list({ customer: person.customer })).data
  await sandbox.control('dispute', { id: charge?.id })
  const [dispute] = (await stripe.disputes.list({ charge: charge?.id ?? '' })).data
  await stripe.disputes.update(dispute?.id ?? '', {
    evidence: { uncategorized_text: 'winning_evidence' },
    submit: true,
  })
  await scenario.settle()
  expect(await balanceOf(trader.account)).toBe(900)
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' })
})

test('a refund ends nothing, and is known', async () => {
  const { person, trader } = await makeFollowed(scenario)
  await sandbox.control('refund', { id: (await invoiceOf(trader.userId)).charge_id })
  await scenario.settle()
  expect(await invoiceOf(trader.userId)).toMatchObject({
    refunded_cents: 1000,
    reversed_cents: 1000,
    fee_refunded_cents: 100,
  })
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
})

test('a refund that the bank sends back is known, and the operator mailed once', async () => {
  const { person, trader } = await makePairWithClock(scenario)
  await subscribeAtStripe(scenario, person, trader, { default_payment_method: 'pm_card_refundFail' })
  await scenario.settle()
  await takeAlerts(scenario)
  await sandbox.control('refund', { id: (await invoiceOf(trader.userId)).charge_id })
  await sandbox.control('advance', { seconds: 1 })
  await scenario.settle()
  expect(await invoiceOf(trader.userId)).toMatchObject({ refunded_cents: 0 })
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: a refund failed: the money is with the platform again',
  ])
})

test('while a trader cannot be paid nobody pays and nobody can begin; after that all goes on', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  const bought = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  const other = await makeCustomer(scenario)
  await checkout(scenario, other, trader)
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    paused_since: testApp.clock.now(),
  })
  const open = await stripe.checkout.sessions.list({ customer: other.customer, status: 'open' })
  expect(open.data).toEqual([])
  const begin = () => call(testApp, other, 'POST', '/v1/subscriptions/new', { username: trader.username })
  expect(await begin()).toMatchObject({ status: 409, body: { code: 'not_subscribable' } })

  await pass(32)
  await scenario.settle()
  const renewal = await stripe.invoices.list({ subscription: bought.id, limit: 1 })
  expect(renewal.data[0]?.status).toBe('void')
  const { body } = await call(testApp, person, 'GET', '/v1/subscriptions')
  expect(body).toMatchObject({ subscriptions: [{ status: 'active', currentPeriodEnd: null }] })
  const mailed = [{ kind: 'collection_paused', facts: { trader: trader.username } }]
  expect(await owedMails(scenario, person)).toMatchObject(mailed)
  expect(await owedMails(scenario, trader)).toMatchObject([{ kind: 'payouts_paused' }])

  await sandbox.control('restore', { id: trader.account })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    paused_since: null,
  })
  expect(await owedMails(scenario, person)).toMatchObject([...mailed, { kind: 'collection_resumed' }])
  expect((await begin()).status).toBe(200)
  await pass(31)
  await scenario.settle()
  expect(await balanceOf(trader.account)).toBe(1800)
})

test('a pause that somebody ordered at Stripe is left alone', async () => {
  const { person, trader } = await makePairWithClock(scenario)
  const { id } = await subscribeAtStripe(scenario, person, trader)
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    paused_since: testApp.clock.now(),
  })
  expect((await stripe.subscriptions.retrieve(id)).pause_collection).toMatchObject({ behavior: 'void' })
})

test('thirty days after payouts were lost, not a day before, what is left of the month is paid back', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  const { id } = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  await pass(10)
  const began = testApp.clock.now().getTime()
  const look = async (at: number) => {
    testApp.clock.set(new Date(at))
    await scenario.runScheduled(lookAtLostPayouts)
    await scenario.settle()
    return findSubscription(scenario, person, trader)
  }
  expect(await look(began + 30 * DAY_MS - 1)).toMatchObject({ status: 'active' })
  expect(await look(began + 30 * DAY_MS)).toMatchObject({
    status: 'canceled',
    end_reason: 'trader_unavailable',
  })
  testApp.clock.set(new Date(began))
  // 21 of March's 31 days, rounded up: 1000 * 21 / 31 = 677.4
  expect(await invoiceOf(trader.userId)).toMatchObject({ refunded_cents: 678, amount_paid_cents: 1000 })
  expect(await balanceOf(trader.account)).toBe(290)
  expect(await owedMails(scenario, person)).toEqual([
    expect.objectContaining({ kind: 'collection_paused' }),
    {
      kind: 'trader_unavailable',
      cause: id,
      facts: { trader: trader.username, amountCents: 678, currency: 'usd', paidCents: 1000, daysLeft: 21 },
    },
  ])
  const lost = { kind: 'payouts_lost', facts: { trader: trader.username, after: 'waiting' } }
  expect(await owedMails(scenario, trader)).toMatchObject([{ kind: 'payouts_paused' }, lost])
})

test('when the account is rejected its followers are not charged and leave with their money, and nobody is sent to Stripe', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  await takeAlerts(scenario)
  const other = await makeCustomer(scenario)
  await checkout(scenario, other, trader)
  await sandbox.control('reject', { id: trader.account })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    paused_since: testApp.clock.now(),
  })
  expect((await stripe.checkout.sessions.list({ customer: other.customer, status: 'open' })).data).toEqual([])
  const payouts = async () => (await call(testApp, trader, 'GET', '/v1/accounts/stripe/status')).body
  expect(await payouts()).toEqual({ onboardComplete: false, rejected: true, followed: true })
  const mailed = [
    {
      kind: 'payouts_rejected',
      cause: trader.account,
      facts: { trader: trader.username, followed: true },
    },
  ]
  expect(await owedMails(scenario, trader)).toEqual(mailed)
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: a payout account was rejected (rejected_other)',
  ])

  await pass(10)
  const began = testApp.clock.now().getTime()
  testApp.clock.set(new Date(began + 30 * DAY_MS))
  await scenario.runScheduled(lookAtLostPayouts)
  await scenario.settle()
  testApp.clock.set(new Date(began))
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'trader_unavailable',
  })
  expect(await invoiceOf(trader.userId)).toMatchObject({ refunded_cents: 678, amount_paid_cents: 1000 })
  expect(await owedMails(scenario, person)).toMatchObject([
    { kind: 'collection_paused' },
    { kind: 'trader_unavailable' },
  ])
  expect(await owedMails(scenario, trader)).toMatchObject([
    ...mailed,
    { kind: 'payouts_lost', facts: { trader: trader.username, after: 'waiting', rejected: true } },
  ])
  expect(await payouts()).toEqual({ onboardComplete: false, rejected: true, followed: false })
})

test('a refund for another reason is not taken for the refund of the rest of the month', async () => {
  const { pass, person, trader } = await makeFollowed(scenario)
  const { charge_id: charge } = await invoiceOf(trader.userId)
  await stripe.refunds.create({
    charge: charge ?? '',
    amount: 100,
    metadata: { app: 'tradepost', env: 'local', cause: 'courtesy' },
  })
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  await pass(10)
  const began = testApp.clock.now().getTime()
  testApp.clock.set(new Date(began + 30 * DAY_MS))
  await scenario.runScheduled(lookAtLostPayouts)
  await scenario.settle()
  testApp.clock.set(new Date(began))
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ end_reason: 'trader_unavailable' })
  expect(await invoiceOf(trader.userId)).toMatchObject({ refunded_cents: 778 })
})

test('when the account is closed the subscriptions end at once, and the trader is mailed once for them all', async () => {
  const { person, trader } = await makePairWithClock(scenario)
  await subscribeAtStripe(scenario, person, trader)
  await subscribeAtStripe(scenario, await makeCustomer(scenario), trader)
  await scenario.settle()
  await sandbox.control('close', { id: trader.account })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'trader_unavailable',
  })
  expect(await invoiceOf(trader.userId)).toMatchObject({ refunded_cents: 1000 })
  const mailed = [{ kind: 'payouts_lost', facts: { trader: trader.username, after: 'account_closed' } }]
  expect(await owedMails(scenario, trader)).toMatchObject(mailed)
  // Looked at again, it is no news.
  testApp.clock.advance(DAY_MS)
  const { stripe_subscription_id: subscriptionId } = await findSubscription(scenario, person, trader)
  await enqueueSubscription(testApp.db, subscriptionId ?? '')
  await scenario.settle()
  expect(await owedMails(scenario, trader)).toMatchObject(mailed)
})

test('a payment on the page that was still open when the trader lost payouts is refused there', async () => {
  const { person, trader } = await makePairWithClock(scenario)
  const url = await checkout(scenario, person, trader)
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  expect((await visit(url)).html).toContain('This payment page has expired')
})
