import assert from 'node:assert/strict'
import { endpoints } from '../../contract/src/endpoints.ts'
import type { Trader } from '../../server/test/factories.ts'
import { moneyOf } from '../../server/test/money-of.ts'
import { type SignedIn, signIn } from '../../server/test/sign-in.ts'
import type { Counted } from '../../server/test/stripe-proxy.ts'
import { pay, subscribeAtStripe } from '../../server/test/webhook-room.ts'
import {
  accountOf,
  type Customer,
  chargeOf,
  makeBeginner,
  makeCustomer,
  makePaidTrader,
  makeSomebody,
  type PaidTrader,
  pageOf,
  pricesHere,
  standing,
} from './money-people.ts'
import type { MoneyStage } from './money-stage.ts'

/** Something about money that the product does by several calls to Stripe. */
export type Step<Somebody> = {
  name: string
  /** The process that makes the calls. */
  victim: 'api' | 'worker'
  /** Every call, or those alone that change something: between two of these nothing is done. */
  counts: Counted
  /** Calls that it makes, at least. */
  calls: number
  begin(stage: MoneyStage): Promise<Somebody>
  work(stage: MoneyStage, somebody: Somebody): Promise<unknown>
  /** Whether all that was asked for has been done, by nobody else's doing. */
  isDone(stage: MoneyStage, somebody: Somebody): Promise<boolean>
  /** What must be true at Stripe whatever happened. @throws */
  check(stage: MoneyStage, somebody: Somebody): Promise<void>
}

type Pair = { person: Customer; trader: PaidTrader }

const setUpCustomer: Step<SignedIn> = {
  name: 'a customer is set up',
  victim: 'api',
  counts: 'changes',
  calls: 1,
  begin: ({ testApp }) => signIn(testApp),
  work: (stage, person) => stage.ask(person, endpoints.setUpCustomer),
  isDone: async (stage, person) => (await stage.ask(person, endpoints.customer)).said.configured === true,
  async check({ stripe }, { email }) {
    assert.equal((await stripe.customers.list({ email })).data.length, 1)
  },
}

const onboard: Step<Trader> = {
  name: 'a trader begins to set up payouts',
  victim: 'api',
  counts: 'changes',
  // The account, the link.
  calls: 2,
  begin: makeSomebody,
  work: (stage, trader) => stage.ask(trader, endpoints.startOnboarding),
  isDone: async ({ count }, { userId }) =>
    (await count('select count(stripe_account_id) from payout_accounts where user_id = $1', userId)) === 1,
  async check(stage, trader) {
    assert.equal((await stage.ask(trader, endpoints.startOnboarding)).status, 200)
    const opened: string[] = []
    for await (const account of stage.stripe.v2.core.accounts.list())
      if (account.metadata?.user_id === trader.userId) opened.push(account.id)
    assert.deepEqual(opened, [await accountOf(stage, trader)])
  },
}

const checkOnePrice = async ({ stripe }: MoneyStage, { userId }: SignedIn) => {
  const { data } = await stripe.prices.list({ active: true, limit: 100 })
  assert.equal(data.filter(({ metadata }) => metadata.trader_id === userId).length, 1)
}

const makePrice: Step<PaidTrader> = {
  name: 'Stripe approves a trader, whose price is made',
  victim: 'worker',
  counts: 'changes',
  // The product, the price.
  calls: 2,
  begin: makeBeginner,
  work: ({ sandbox }, { account }) => sandbox.control('restore', { id: account }),
  isDone: async (stage, trader) => (await pricesHere(stage, trader)) === 1,
  check: checkOnePrice,
}

async function checkPaidOnce(stage: MoneyStage, { person, trader }: Pair): Promise<void> {
  assert.equal(await standing(stage, person, trader, 'active'), 1)
  const { data } = await stage.stripe.charges.list({ customer: person.customer })
  assert.equal(data.length, 1)
  const live = await stage.stripe.subscriptions.list({ customer: person.customer })
  assert.equal(live.data.length, 1)
}

const beginCheckout: Step<Pair> = {
  name: 'a checkout begins, and whoever gets no answer presses again',
  victim: 'api',
  counts: 'changes',
  // The product, the price, the page.
  calls: 3,
  async begin(stage) {
    const pair = { person: await makeCustomer(stage), trader: await makePaidTrader(stage) }
    await stage.count('delete from trader_prices where trader_id = $1', pair.trader.userId)
    return pair
  },
  work: (stage, { person, trader }) =>
    stage.ask(person, endpoints.newSubscription, { body: { username: trader.username } }),
  isDone: async (stage, { person, trader }) => {
    const { url } = await stage.ask(person, endpoints.newSubscription, {
      body: { username: trader.username },
    })
    return url !== null
  },
  async check(stage, { person, trader }) {
    const { data } = await stage.stripe.checkout.sessions.list({ customer: person.customer })
    assert.deepEqual(
      data.map(({ url }) => url),
      [await pageOf(stage, person, trader)],
      'another page than the first',
    )
    await pay(await pageOf(stage, person, trader))
    await stage.quiet()
    await checkPaidOnce(stage, { person, trader })
    await checkOnePrice(stage, trader)
  },
}

const makePair = async (stage: MoneyStage): Promise<Pair> => ({
  person: await makeCustomer(stage),
  trader: await makePaidTrader(stage),
})

const writePayment: Step<Pair & { page: string }> = {
  name: 'a payment is written',
  victim: 'worker',
  counts: 'calls',
  calls: 4,
  async begin(stage) {
    const pair = await makePair(stage)
    return { ...pair, page: await pageOf(stage, pair.person, pair.trader) }
  },
  work: (_stage, { page }) => pay(page),
  isDone: async (stage, { person, trader }) => (await standing(stage, person, trader, 'active')) === 1,
  check: checkPaidOnce,
}

/** Bought once, and everything about it written. */
async function makeFollower(stage: MoneyStage): Promise<Pair & { subscription: string }> {
  const pair = await makePair(stage)
  const { id } = await subscribeAtStripe(stage, pair.person, pair.trader)
  await stage.quiet()
  return { ...pair, subscription: id }
}

/** @throws unless so much of the subscription's payment went back, in one refund, and the trader has so much */
async function checkReturned(
  stage: MoneyStage,
  subscription: string,
  trader: PaidTrader,
  cents: { returned: number; atTrader: number },
): Promise<void> {
  const { data } = await stage.stripe.refunds.list({ charge: await chargeOf(stage, subscription) })
  assert.deepEqual(
    data.map(({ amount }) => amount),
    [cents.returned],
  )
  await checkBalance(stage, trader, cents.atTrader)
}

async function checkBalance({ stripe }: MoneyStage, { account }: PaidTrader, cents: number): Promise<void> {
  assert.equal(await moneyOf(stripe, account), cents)
}

/** Of two that began in the same second either may be the one to stay. */
async function endedOf({ stripe }: MoneyStage, { customer }: Customer): Promise<string> {
  const { data } = await stripe.subscriptions.list({ customer, status: 'canceled' })
  return data[0]?.id ?? assert.fail('none has ended')
}

const returnDouble: Step<Pair> = {
  name: 'a second subscription is returned',
  victim: 'worker',
  counts: 'changes',
  // The reason, the end, the refund.
  calls: 3,
  begin: makeFollower,
  work: (stage, { person, trader }) => subscribeAtStripe(stage, person, trader),
  isDone: async (stage, { person, trader }) =>
    (await standing(stage, person, trader, 'canceled', 'double')) === 1,
  async check(stage, { person, trader }) {
    assert.equal(await standing(stage, person, trader, 'active'), 1)
    await checkReturned(stage, await endedOf(stage, person), trader, { returned: 1000, atTrader: 900 })
  },
}

const settleDispute: Step<Pair & { charge: string }> = {
  name: 'a dispute is settled',
  victim: 'worker',
  counts: 'changes',
  // The reason, the end, what the trader gives back.
  calls: 3,
  async begin(stage) {
    const { subscription, ...pair } = await makeFollower(stage)
    return { ...pair, charge: await chargeOf(stage, subscription) }
  },
  work: ({ sandbox }, { charge }) => sandbox.control('dispute', { id: charge }),
  isDone: async (stage, { person, trader }) =>
    (await standing(stage, person, trader, 'canceled', 'dispute')) === 1,
  async check(stage, { charge, trader }) {
    assert.equal((await stage.stripe.disputes.list({ charge })).data.length, 1)
    await checkBalance(stage, trader, 0)
  },
}

const leave: Step<Pair & { subscription: string; other: Customer }> = {
  name: 'a trader leaves, with a follower and an open checkout',
  victim: 'worker',
  counts: 'changes',
  // The checkout's end, the reason, the end, the refund.
  calls: 4,
  async begin(stage) {
    const follower = await makeFollower(stage)
    const other = await makeCustomer(stage)
    await pageOf(stage, other, follower.trader)
    return { ...follower, other }
  },
  work: ({ sandbox }, { trader }) => sandbox.control('close', { id: trader.account }),
  isDone: async (stage, { other, person, trader }) => {
    const open = await stage.stripe.checkout.sessions.list({ customer: other.customer, status: 'open' })
    const ended = await standing(stage, person, trader, 'canceled', 'trader_unavailable')
    return open.data.length === 0 && ended === 1
  },
  async check(stage, { subscription, trader }) {
    // A month that has just begun is paid back whole.
    await checkReturned(stage, subscription, trader, { returned: 1000, atTrader: 0 })
  },
}

/** Each knows its own kind of people, so a list of them can only be walked by whoever asks nothing of these. */
export const STEPS = [
  setUpCustomer,
  onboard,
  makePrice,
  beginCheckout,
  writePayment,
  returnDouble,
  settleDispute,
  leave,
] as Step<unknown>[]
