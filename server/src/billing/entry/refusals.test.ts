import type Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import {
  checkout,
  giveClock,
  makeCustomer,
  makePaidTrader,
  startBillingScenario,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { ANSWERS, refuseEveryCall, type Situation } from '../../../test/product/refusal-matrix.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

async function makePair() {
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  return buyPair(trader, person)
}

async function buyPair(
  trader: Awaited<ReturnType<typeof makePaidTrader>>,
  person: Awaited<ReturnType<typeof makeCustomer>>,
) {
  const bought = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  return { trader, person, bought }
}
type Pair = Awaited<ReturnType<typeof makePair>>

const rowsOf = ({ person }: Pair) =>
  testApp.db
    .selectFrom('subscriptions')
    .select(['stripe_subscription_id', 'status', 'end_reason', 'entitled_until_event', 'ended_at'])
    .where('subscriber_id', '=', person.userId)
    .orderBy('started_at')
    .execute()

const balanceOf = ({ trader }: Pair) => moneyOf(stripe, trader.account)

async function chargesOf({ person }: Pair): Promise<Stripe.Charge[]> {
  return (await stripe.charges.list({ customer: person.customer })).data
}

const statusOf = async (id: string) => (await stripe.subscriptions.retrieve(id)).status

/** Nobody can read positions or is mailed because of this pair. */
async function checkNoAccess(pair: Pair): Promise<void> {
  expect(await rowsOf(pair)).toMatchObject([{ status: 'canceled', entitled_until_event: 0 }])
}

const dispute: Situation<Pair> = {
  begin: makePair,
  happen: async (pair) => sandbox.control('dispute', { id: (await chargesOf(pair))[0]?.id }),
  calls: [
    { call: ['GET', '/v1/disputes'], blind: true },
    { call: ['POST', '/v1/disputes/'] },
    { call: ['GET', '/v1/invoice_payments'] },
    { call: ['GET', '/v1/subscriptions'] },
    { call: ['GET', '/v1/invoices'] },
    { call: ['GET', '/v1/payment_intents'] },
    { call: ['POST', '/v1/subscriptions/'] },
    { call: ['DELETE', '/v1/subscriptions/'] },
    { call: ['GET', '/v1/transfers'] },
    { call: ['POST', '/v1/transfers'] },
  ],
  checkAccess: checkNoAccess,
  async checkMoney(pair) {
    expect(await balanceOf(pair)).toBe(0)
    expect(await statusOf(pair.bought.id)).toBe('canceled')
    expect((await chargesOf(pair)).map(({ amount_refunded }) => amount_refunded)).toEqual([0])
  },
}

const double: Situation<Pair & { second?: string }> = {
  begin: makePair,
  async happen(pair) {
    testApp.clock.advance(1000)
    pair.second = (await subscribeAtStripe(scenario, pair.person, pair.trader)).id
  },
  calls: [
    { call: ['GET', '/v1/subscriptions'], hasNone: true },
    { call: ['GET', '/v1/invoices'] },
    { call: ['GET', '/v1/payment_intents'] },
    { call: ['POST', '/v1/subscriptions/'] },
    { call: ['DELETE', '/v1/subscriptions/'] },
    { call: ['GET', '/v1/refunds'] },
    { call: ['POST', '/v1/refunds'] },
  ],
  async checkAccess(pair) {
    const [first, ...others] = await rowsOf(pair)
    expect(first).toMatchObject({ stripe_subscription_id: pair.bought.id, status: 'active' })
    for (const other of others) expect(other).toMatchObject({ status: 'canceled', end_reason: 'double' })
  },
  async checkMoney(pair) {
    expect((await chargesOf(pair)).map(({ amount_refunded }) => amount_refunded)).toEqual([1000, 0])
    expect(await balanceOf(pair)).toBe(900)
    expect(await statusOf(pair.second ?? '')).toBe('canceled')
    expect(await statusOf(pair.bought.id)).toBe('active')
  },
}

const closedAccount: Situation<Pair & { page: string; other: string }> = {
  async begin() {
    const pair = await makePair()
    const other = await makeCustomer(scenario)
    return { ...pair, other: other.customer, page: await checkout(scenario, other, pair.trader) }
  },
  happen: ({ trader }) => sandbox.control('close', { id: trader.account }),
  calls: [
    { call: ['GET', '/v2/core/accounts'], blind: true, hasNone: true },
    { call: ['GET', '/v1/subscriptions'] },
    { call: ['GET', '/v1/invoices'] },
    { call: ['GET', '/v1/payment_intents'] },
    { call: ['POST', '/v1/subscriptions/'] },
    { call: ['DELETE', '/v1/subscriptions/'] },
    { call: ['GET', '/v1/refunds'] },
    { call: ['POST', '/v1/refunds'] },
    { call: ['GET', '/v1/checkout/sessions'], hasNone: true },
    { call: ['POST', '/v1/checkout/sessions/'] },
  ],
  checkAccess: checkNoAccess,
  async checkMoney(pair) {
    // A month that has just begun goes back whole; of one that was used for a few hours more, what was not used.
    const [{ ended_at: ended } = { ended_at: null }] = await rowsOf(pair)
    const [item] = pair.bought.items.data
    const [start, end] = [item?.current_period_start ?? 0, item?.current_period_end ?? 0]
    const unused = Math.ceil((1000 * (end - (ended?.getTime() ?? 0) / 1000)) / (end - start))
    expect((await chargesOf(pair)).map(({ amount_refunded }) => amount_refunded)).toEqual([unused])
    expect(await balanceOf(pair)).toBe(900 - Math.round((900 * unused) / 1000))
    expect(await statusOf(pair.bought.id)).toBe('canceled')
  },
}

const cancellation: Situation<Pair> = {
  async begin() {
    const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
    const pass = await giveClock(scenario, person.customer)
    const pair = await buyPair(trader, person)
    await sandbox.control('fail-next', { id: pair.bought.id })
    await pass(32)
    await scenario.settle()
    return pair
  },
  happen: ({ bought }) => stripe.subscriptions.cancel(bought.id),
  calls: [
    { call: ['GET', '/v1/subscriptions'], blind: true, hasNone: true },
    { call: ['GET', '/v1/invoices'] },
    { call: ['GET', '/v1/payment_intents'] },
    { call: ['POST', '/v1/invoices/'] },
  ],
  checkAccess: checkNoAccess,
  async checkMoney({ bought }) {
    const { data } = await stripe.invoices.list({ subscription: bought.id })
    expect(data.map(({ status }) => status)).toEqual(['void', 'paid'])
  },
}

const SITUATIONS = {
  'a dispute': dispute,
  'a double payment': double,
  'a closed account': closedAccount,
  'a cancellation': cancellation,
} as Record<string, Situation<unknown>>

/** One that needs a person and one that heals, or every one: `npm run faults`. */
const answers = ANSWERS.filter(([, , kind]) => kind === 'always' || process.env.REFUSALS === 'all')

test.each(
  Object.entries(SITUATIONS).flatMap(([name, situation]) =>
    answers.map(([answer, heals]) => [name, answer, heals, situation] as const),
  ),
)('%s holds when any call of it is answered by %s', (_name, answer, heals, situation) =>
  refuseEveryCall(scenario, situation, answer, heals),
)
