import type Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import {
  checkout,
  findSubscription,
  giveClock,
  makeCustomer,
  makePaidTrader,
  owedMails,
  pay,
  startBillingScenario,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { type CrashingProcess, startCrashingProcess } from '../../../test/processes/crashing-process.ts'
import { lookAtLostPayouts, lookAtSubscription } from '../subscriptions/subscriptions.jobs.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
const processes: CrashingProcess[] = []
afterAll(async () => {
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
  await scenario[Symbol.asyncDispose]()
})

/** Everything converges in this time (R14). */
const CONVERGES_MS = 60_000

async function converge(): Promise<void> {
  testApp.clock.advance(CONVERGES_MS)
  await scenario.settle()
}

/**
 * Lets `work` die after its first call to Stripe, after its second, and so on, each time with somebody new, until it
 * lives.
 * @param counts every call, or those alone that change something
 * @param begin makes somebody and what is to be done with them
 * @param check what must be true whatever happened
 * @returns how many calls it makes
 */
async function dieEverywhere<Somebody>(
  counts: 'calls' | 'changes',
  steps: {
    begin(): Promise<Somebody>
    work(crashing: CrashingProcess, somebody: Somebody): Promise<unknown>
    check(somebody: Somebody, at: number): Promise<void>
  },
): Promise<number> {
  for (let at = 0; ; at += 1) {
    const somebody = await steps.begin()
    const crashing = await startCrashingProcess(scenario)
    processes.push(crashing)
    const lived = await crashing.dieAfter(at, counts, () => steps.work(crashing, somebody))
    await steps.check(somebody, at)
    if (lived) return at
  }
}

/** Delivers everything, and keeps the event that was asked for from being dealt with by anybody but the crashing process and those who come after it. */
async function deliverOnly(objectId: string, type: string): Promise<string> {
  await sandbox.control('calm', { settle: true })
  const { event_id: id } = await testApp.db
    .selectFrom('stripe_events')
    .select('event_id')
    .where('object_id', '=', objectId)
    .where('type', '=', type)
    .executeTakeFirstOrThrow()
  await testApp.pool.query("delete from stripe_events where state = 'received' and event_id <> $1", [id])
  await testApp.pool.query('delete from work')
  return id
}

async function chargeOf(subscription: Stripe.Subscription): Promise<string> {
  const { data } = await stripe.invoices.list({ subscription: subscription.id, expand: ['data.payments'] })
  const intent = String(data[0]?.payments?.data[0]?.payment.payment_intent)
  return String((await stripe.paymentIntents.retrieve(intent)).latest_charge)
}

const balanceOf = (account: string) => moneyOf(stripe, account)

test('when the process dies between Stripe and us while a checkout begins, nothing is paid twice', async () => {
  const calls = await dieEverywhere('changes', {
    async begin() {
      const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
      await testApp.pool.query('delete from trader_prices where trader_id = $1', [trader.userId])
      return { trader, person }
    },
    async work(crashing, { person, trader }) {
      const api = await crashing.buildApi()
      await call(api, person, 'POST', '/v1/subscriptions/new', { username: trader.username })
    },
    async check({ person, trader }, at) {
      // Right away, the same page once more. After a minute another one, and nobody is led to the first.
      if (at === 2) {
        const url = await checkout(scenario, person, trader)
        const { data } = await stripe.checkout.sessions.list({ customer: person.customer })
        expect(data).toMatchObject([{ url }])
      }
      await converge()
      await pay(await checkout(scenario, person, trader))
      await scenario.settle()
      expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
      expect(await stripe.charges.list({ customer: person.customer })).toMatchObject({ data: [{}] })
      expect(
        (await stripe.prices.list({ lookup_keys: [`local:trader:${trader.userId}:monthly`] })).data,
      ).toHaveLength(1)
    },
  })
  expect(calls).toBe(3)
})

test('a checkout that was cut off and that nobody asks for again is given up automatically, and nobody else’s', async () => {
  const [trader, other] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const person = await makeCustomer(scenario)
  await checkout(scenario, other, trader)
  const crashing = await startCrashingProcess(scenario)
  processes.push(crashing)
  const api = await crashing.buildApi()
  await crashing.dieAfter(0, 'changes', () =>
    call(api, person, 'POST', '/v1/subscriptions/new', { username: trader.username }),
  )
  await converge()
  const rows = await testApp.db
    .selectFrom('checkout_sessions')
    .select(['subscriber_id', 'state'])
    .where('trader_id', '=', trader.userId)
    .orderBy('id')
    .execute()
  expect(rows).toEqual([
    { subscriber_id: other.userId, state: 'open' },
    { subscriber_id: person.userId, state: 'failed' },
  ])
})

test('after a process dies at any call while a payment is written, it is written and mailed once', async () => {
  const trader = await makePaidTrader(scenario)
  const calls = await dieEverywhere('calls', {
    async begin() {
      const person = await makeCustomer(scenario)
      await pay(await checkout(scenario, person, trader))
      const [session] = (await stripe.checkout.sessions.list({ customer: person.customer })).data
      const eventId = await deliverOnly(session?.id ?? '', 'checkout.session.completed')
      return { eventId, person }
    },
    work: (crashing, { eventId }) => crashing.handleEvent(eventId),
    async check({ person }) {
      await converge()
      const rows = await testApp.db
        .selectFrom('subscriptions')
        .select('status')
        .where('subscriber_id', '=', person.userId)
        .execute()
      expect(rows).toEqual([{ status: 'active' }])
      const started = testApp.db.selectFrom('outbox').select('kind').where('user_id', '=', person.userId)
      expect(await started.execute()).toEqual([{ kind: 'subscription_started' }])
    },
  })
  expect(calls).toBeGreaterThan(3)
  // Of several followers, each after crashes, one is the first.
  const first = testApp.db.selectFrom('outbox').select('kind').where('user_id', '=', trader.userId)
  expect(await first.execute()).toEqual([{ kind: 'first_follower' }])
})

test('a second subscription is returned once, even when the process dies while returning it', async () => {
  const calls = await dieEverywhere('changes', {
    async begin() {
      const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
      await subscribeAtStripe(scenario, person, trader)
      testApp.clock.advance(1000)
      const newer = await subscribeAtStripe(scenario, person, trader)
      return { eventId: await deliverOnly(newer.id, 'customer.subscription.created'), newer, person, trader }
    },
    work: (crashing, { eventId }) => crashing.handleEvent(eventId),
    async check({ newer, person, trader }) {
      await converge()
      const returned = { status: 'canceled', end_reason: 'double' }
      expect(await findSubscription(scenario, person, trader)).toMatchObject(returned)
      const { data } = await stripe.refunds.list({ charge: await chargeOf(newer) })
      expect(data.map(({ amount }) => amount)).toEqual([1000])
      expect(await balanceOf(trader.account)).toBe(900)
      expect(await owedMails(scenario, person)).toHaveLength(1)
    },
  })
  // The reason, the end, the refund.
  expect(calls).toBe(3)
})

test('when the process dies while a dispute is settled, the trader gives the money back once', async () => {
  const calls = await dieEverywhere('changes', {
    async begin() {
      const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
      const charge = await chargeOf(await subscribeAtStripe(scenario, person, trader))
      await scenario.settle()
      await sandbox.control('dispute', { id: charge })
      const [dispute] = (await stripe.disputes.list({ charge })).data
      return { eventId: await deliverOnly(dispute?.id ?? '', 'charge.dispute.created'), person, trader }
    },
    work: (crashing, { eventId }) => crashing.handleEvent(eventId),
    async check({ person, trader }) {
      await converge()
      const ended = { status: 'canceled', end_reason: 'dispute' }
      expect(await findSubscription(scenario, person, trader)).toMatchObject(ended)
      expect(await balanceOf(trader.account)).toBe(0)
    },
  })
  // The draft of the bank's evidence is one of them.
  expect(calls).toBe(4)
})

test('when the process dies while a trader leaves, what is left of the month is paid back once', async () => {
  const calls = await dieEverywhere('changes', {
    async begin() {
      const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
      const pass = await giveClock(scenario, person.customer)
      const bought = await subscribeAtStripe(scenario, person, trader)
      await scenario.settle()
      await pass(10)
      await testApp.pool.query(
        "update payout_accounts set closed_at = now(), state = 'closed' where user_id = $1",
        [trader.userId],
      )
      return { bought, person, trader }
    },
    work: (crashing, { bought }) => crashing.runJob(lookAtSubscription.name, { subscriptionId: bought.id }),
    async check({ bought, person, trader }) {
      await scenario.runScheduled(lookAtLostPayouts)
      await scenario.settle()
      const gone = { status: 'canceled', end_reason: 'trader_unavailable' }
      expect(await findSubscription(scenario, person, trader)).toMatchObject(gone)
      const { data } = await stripe.refunds.list({ charge: await chargeOf(bought) })
      expect(data.map(({ amount }) => amount)).toEqual([678])
      expect(await owedMails(scenario, person)).toHaveLength(1)
    },
  })
  expect(calls).toBe(3)
})

test('when the process dies while a withdrawal is settled, the payment goes back once', async () => {
  const calls = await dieEverywhere('changes', {
    async begin() {
      const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
      const bought = await subscribeAtStripe(scenario, person, trader)
      await scenario.settle()
      const { id } = await findSubscription(scenario, person, trader)
      const withdrawn = await call(testApp, person, 'POST', `/v1/subscriptions/${id}/withdraw`, {})
      expect(withdrawn).toMatchObject({ status: 200, body: { returnsCents: 1000 } })
      return { bought, person, trader }
    },
    work: (crashing, { bought }) => crashing.runJob(lookAtSubscription.name, { subscriptionId: bought.id }),
    async check({ bought, person, trader }) {
      await converge()
      const over = { status: 'canceled', end_reason: 'withdrawn' }
      expect(await findSubscription(scenario, person, trader)).toMatchObject(over)
      const { data } = await stripe.refunds.list({ charge: await chargeOf(bought) })
      expect(data.map(({ amount }) => amount)).toEqual([1000])
      expect(await balanceOf(trader.account)).toBe(0)
      expect(await owedMails(scenario, person)).toHaveLength(1)
    },
  })
  // The reason, the end, the refund.
  expect(calls).toBe(3)
})
