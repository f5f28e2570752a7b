import assert from 'node:assert/strict'
import { endpoints } from '../../contract/src/endpoints.ts'
import type { Trader } from '../../server/test/factories.ts'
import { pay, subscribeAtStripe } from '../../server/test/money/billing-scenario.ts'
import { moneyOf } from '../../server/test/money/money-of.ts'
import type { Counted } from '../../server/test/money/stripe-proxy.ts'
import { type SignedIn, signIn } from '../../server/test/sign-in/sign-in.ts'
import {
  accountOf,
  type Customer,
  chargeOf,
  countSubscriptions,
  makeBeginner,
  makeCustomer,
  makePaidTrader,
  makeSomebody,
  type PaidTrader,
  pageOf,
  pricesHere,
} from './money-people.ts'
import type { MoneyScenario } from './money-scenario.ts'

/** Something about money that the product does by calls to Stripe, between any two of which a process is killed. */
export type Step<Somebody> = {
  name: string
  /** The process that makes the calls. */
  victim: 'api' | 'worker'
  /** Which calls are counted: all of them, or only those that change something at Stripe. */
  counts: Counted
  /** Calls that it makes, at least. */
  calls: number
  begin(scenario: MoneyScenario): Promise<Somebody>
  work(scenario: MoneyScenario, somebody: Somebody): Promise<unknown>
  /** Whether the product has finished the work, without the run doing anything more. */
  isDone(scenario: MoneyScenario, somebody: Somebody): Promise<boolean>
  /** Checks what must be true at Stripe whatever happened. @throws */
  check(scenario: MoneyScenario, somebody: Somebody): Promise<void>
}

type Pair = { person: Customer; trader: PaidTrader }

const setUpCustomer: Step<SignedIn> = {
  name: 'a customer is set up',
  victim: 'api',
  counts: 'changes',
  calls: 1,
  begin: ({ testApp }) => signIn(testApp),
  work: (scenario, person) => scenario.ask(person, endpoints.setUpCustomer),
  isDone: async (scenario, person) =>
    (await scenario.ask(person, endpoints.customer)).json.configured === true,
  async check({ stripe }, { email }) {
    assert.equal((await stripe.customers.list({ email })).data.length, 1)
  },
}

const onboard: Step<Trader> = {
  name: 'a trader begins to set up payouts',
  victim: 'api',
  counts: 'changes',
  // They create the account and the link.
  calls: 2,
  begin: makeSomebody,
  work: (scenario, trader) => scenario.ask(trader, endpoints.startOnboarding),
  isDone: async ({ count }, { userId }) =>
    (await count('select count(stripe_account_id) from payout_accounts where user_id = $1', userId)) === 1,
  async check(scenario, trader) {
    assert.equal((await scenario.ask(trader, endpoints.startOnboarding)).status, 200)
    const opened: string[] = []
    for await (const account of scenario.stripe.v2.core.accounts.list())
      if (account.metadata?.user_id === trader.userId) opened.push(account.id)
    assert.deepEqual(opened, [await accountOf(scenario, trader)])
  },
}

const checkOnePrice = async ({ stripe }: MoneyScenario, { userId }: SignedIn) => {
  const { data } = await stripe.prices.list({ active: true, limit: 100 })
  assert.equal(data.filter(({ metadata }) => metadata.trader_id === userId).length, 1)
}

const makePrice: Step<PaidTrader> = {
  name: 'Stripe approves a trader, whose price is made',
  victim: 'worker',
  counts: 'changes',
  // They create the product and the price.
  calls: 2,
  begin: makeBeginner,
  work: ({ sandbox }, { account }) => sandbox.control('restore', { id: account }),
  isDone: async (scenario, trader) => (await pricesHere(scenario, trader)) === 1,
  check: checkOnePrice,
}

async function checkPaidOnce(scenario: MoneyScenario, { person, trader }: Pair): Promise<void> {
  assert.equal(await countSubscriptions(scenario, person, trader, 'active'), 1)
  const { data } = await scenario.stripe.charges.list({ customer: person.customer })
  assert.equal(data.length, 1)
  const live = await scenario.stripe.subscriptions.list({ customer: person.customer })
  assert.equal(live.data.length, 1)
}

const beginCheckout: Step<Pair> = {
  name: 'a checkout begins, and a person without an answer presses again',
  victim: 'api',
  counts: 'changes',
  // They create the product, the price and the page.
  calls: 3,
  async begin(scenario) {
    const pair = { person: await makeCustomer(scenario), trader: await makePaidTrader(scenario) }
    await scenario.count('delete from trader_prices where trader_id = $1', pair.trader.userId)
    return pair
  },
  work: (scenario, { person, trader }) =>
    scenario.ask(person, endpoints.newSubscription, { body: { username: trader.username } }),
  isDone: async (scenario, { person, trader }) => {
    const { url } = await scenario.ask(person, endpoints.newSubscription, {
      body: { username: trader.username },
    })
    return url !== null
  },
  async check(scenario, { person, trader }) {
    const { data } = await scenario.stripe.checkout.sessions.list({ customer: person.customer })
    assert.deepEqual(
      data.map(({ url }) => url),
      [await pageOf(scenario, person, trader)],
      'another page than the first',
    )
    await pay(await pageOf(scenario, person, trader))
    await scenario.quiet()
    await checkPaidOnce(scenario, { person, trader })
    await checkOnePrice(scenario, trader)
  },
}

const makePair = async (scenario: MoneyScenario): Promise<Pair> => ({
  person: await makeCustomer(scenario),
  trader: await makePaidTrader(scenario),
})

const writePayment: Step<Pair & { page: string }> = {
  name: 'a payment is written',
  victim: 'worker',
  counts: 'calls',
  calls: 4,
  async begin(scenario) {
    const pair = await makePair(scenario)
    return { ...pair, page: await pageOf(scenario, pair.person, pair.trader) }
  },
  work: (_scenario, { page }) => pay(page),
  isDone: async (scenario, { person, trader }) =>
    (await countSubscriptions(scenario, person, trader, 'active')) === 1,
  check: checkPaidOnce,
}

/** A person who has paid for following a trader, after the product has written everything about it. */
async function makeFollower(scenario: MoneyScenario): Promise<Pair & { subscription: string }> {
  const pair = await makePair(scenario)
  const { id } = await subscribeAtStripe(scenario, pair.person, pair.trader)
  await scenario.quiet()
  return { ...pair, subscription: id }
}

/** @throws unless one refund returned `cents.returned`, and the trader's balance at Stripe is `cents.atTrader` */
async function checkReturned(
  scenario: MoneyScenario,
  subscription: string,
  trader: PaidTrader,
  cents: { returned: number; atTrader: number },
): Promise<void> {
  const { data } = await scenario.stripe.refunds.list({ charge: await chargeOf(scenario, subscription) })
  assert.deepEqual(
    data.map(({ amount }) => amount),
    [cents.returned],
  )
  await checkBalance(scenario, trader, cents.atTrader)
}

async function checkBalance(
  { stripe }: MoneyScenario,
  { account }: PaidTrader,
  cents: number,
): Promise<void> {
  assert.equal(await moneyOf(stripe, account), cents)
}

/** The id of the person's subscription that has ended. Of two from the same second, either may be the one that stays. */
async function endedOf({ stripe }: MoneyScenario, { customer }: Customer): Promise<string> {
  const { data } = await stripe.subscriptions.list({ customer, status: 'canceled' })
  return data[0]?.id ?? assert.fail('none has ended')
}

const returnDouble: Step<Pair> = {
  name: 'a second subscription is returned',
  victim: 'worker',
  counts: 'changes',
  // They store the reason, end the subscription and refund the payment.
  calls: 3,
  begin: makeFollower,
  work: (scenario, { person, trader }) => subscribeAtStripe(scenario, person, trader),
  isDone: async (scenario, { person, trader }) =>
    (await countSubscriptions(scenario, person, trader, 'canceled', 'double')) === 1,
  async check(scenario, { person, trader }) {
    assert.equal(await countSubscriptions(scenario, person, trader, 'active'), 1)
    await checkReturned(scenario, await endedOf(scenario, person), trader, { returned: 1000, atTrader: 900 })
  },
}

const settleDispute: Step<Pair & { charge: string }> = {
  name: 'a dispute is settled',
  victim: 'worker',
  counts: 'changes',
  // They store the reason, end the subscription and reverse the transfer.
  calls: 3,
  async begin(scenario) {
    const { subscription, ...pair } = await makeFollower(scenario)
    return { ...pair, charge: await chargeOf(scenario, subscription) }
  },
  work: ({ sandbox }, { charge }) => sandbox.control('dispute', { id: charge }),
  isDone: async (scenario, { person, trader }) =>
    (await countSubscriptions(scenario, person, trader, 'canceled', 'dispute')) === 1,
  async check(scenario, { charge, trader }) {
    assert.equal((await scenario.stripe.disputes.list({ charge })).data.length, 1)
    await checkBalance(scenario, trader, 0)
  },
}

const leave: Step<Pair & { subscription: string; other: Customer }> = {
  name: 'a trader leaves, with a follower and an open checkout',
  victim: 'worker',
  counts: 'changes',
  // They end the checkout, store the reason, end the subscription and refund the payment.
  calls: 4,
  async begin(scenario) {
    const follower = await makeFollower(scenario)
    const other = await makeCustomer(scenario)
    await pageOf(scenario, other, follower.trader)
    return { ...follower, other }
  },
  work: ({ sandbox }, { trader }) => sandbox.control('close', { id: trader.account }),
  isDone: async (scenario, { other, person, trader }) => {
    const open = await scenario.stripe.checkout.sessions.list({ customer: other.customer, status: 'open' })
    const ended = await countSubscriptions(scenario, person, trader, 'canceled', 'trader_unavailable')
    return open.data.length === 0 && ended === 1
  },
  async check(scenario, { subscription, trader }) {
    // A month that has just begun is paid back whole.
    await checkReturned(scenario, subscription, trader, { returned: 1000, atTrader: 0 })
  },
}

/** Each step has its own type of people, so code that walks the list cannot know that type. */
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
