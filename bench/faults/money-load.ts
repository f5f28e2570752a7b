import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import Stripe from 'stripe'
import { endpoints } from '../../contract/src/endpoints.ts'
import { open, press as pressButton } from '../../sandbox/src/stripe/contract/browser.ts'
import { subscribeAtStripe } from '../../server/test/money/billing-scenario.ts'
import { type SignedIn, signIn } from '../../server/test/sign-in/sign-in.ts'
import { type Customer, chargeOf, makePaidTrader, type PaidTrader } from './money-people.ts'
import { LONGEST_RUN_MS, type MoneyWorld, until } from './money-scenario.ts'

/** People who buy from traders, and what happened to them. */
export type MoneyLoad = {
  scenario: MoneyWorld
  people: SignedIn[]
  traders: PaidTrader[]
  /** Traders whose account was closed. */
  left: PaidTrader[]
  /** Every page that somebody was led to, and whose it is. */
  pages: Map<string, string>
  /** Paid to subscribed, ms. */
  waits: number[]
  bought: number
  fates: Map<string, number>
  /** Requests that died with their process, and answers that were no success, by their code. */
  unanswered: number
  refused: Map<string, number>
  over: boolean
}

/** Between two things that somebody does. */
const PAUSE_MS = { shortest: 200, longest: 1500 }
/** Somebody opens the page in two tabs, and pays on both. */
const TWO_TABS = 0.3

export async function startMoneyLoad(scenario: MoneyWorld, size: { people: number }): Promise<MoneyLoad> {
  const people = []
  for (let number = 0; number < size.people; number += 1) people.push(await signIn(scenario.testApp))
  return {
    scenario,
    people,
    traders: [],
    left: [],
    pages: new Map(),
    waits: [],
    bought: 0,
    fates: new Map(),
    unanswered: 0,
    refused: new Map(),
    over: false,
  }
}

/** Traders set payouts up, one after the other, no matter which process is killed meanwhile. */
export async function addTraders({ scenario, traders }: MoneyLoad, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) traders.push(await makePaidTrader(scenario))
}

/** One person goes on buying from whom they do not follow, until it is over. Fate takes some subscriptions again. */
export async function keepBuying(load: MoneyLoad, person: SignedIn): Promise<void> {
  while (!load.over) {
    await pause(randomInt(PAUSE_MS.shortest, PAUSE_MS.longest))
    const trader = load.traders[randomInt(load.traders.length)] ?? assert.fail()
    if (await isSubscribed(load, person, trader)) continue
    await buy(load, person, trader)
    await meetFate(load, person, trader)
  }
}

/** A trader closes their account at Stripe; nobody buys from them any more, and who follows them is paid back. */
export async function letLeave({ left, scenario, traders }: MoneyLoad): Promise<void> {
  const [trader] = traders.splice(-1)
  if (!trader) return
  left.push(trader)
  await scenario.sandbox.control('close', { id: trader.account })
}

/** In the end everybody follows everybody. */
export async function buyTheRest(load: MoneyLoad): Promise<void> {
  await Promise.all(
    load.people.map(async (person) => {
      for (const trader of load.traders) await buy(load, person, trader)
    }),
  )
}

async function isSubscribed(load: MoneyLoad, person: SignedIn, trader: PaidTrader): Promise<boolean> {
  const { json } = await press(load, person, endpoints.subscriptionCheck, { param: trader.username })
  return json.subscribed === true
}

/** Presses again whatever happens, as a person does, until the trader is followed or has left. */
async function buy(load: MoneyLoad, person: SignedIn, trader: PaidTrader): Promise<void> {
  let paidAt: number | null = null
  const isBought = async () => {
    if (load.left.includes(trader)) return true
    if (await isSubscribed(load, person, trader)) return true
    const paid = await tryToPay(load, person, trader)
    if (paid) paidAt ??= performance.now()
    return false
  }
  await until(isBought, LONGEST_RUN_MS, () => 'somebody does not get what they pay for')
  if (paidAt === null || load.left.includes(trader)) return
  load.waits.push(performance.now() - paidAt)
  load.bought += 1
}

/** @returns whether something was paid */
async function tryToPay(load: MoneyLoad, person: SignedIn, trader: PaidTrader): Promise<boolean> {
  const { status } = await press(load, person, endpoints.setUpCustomer, {})
  if (status !== 200) return false
  const tabs = Math.random() < TWO_TABS ? 2 : 1
  const body = { username: trader.username }
  const answers = await Promise.all(
    Array.from({ length: tabs }, () => press(load, person, endpoints.newSubscription, { body })),
  )
  const urls = answers.flatMap(({ url }) => url ?? [])
  for (const url of urls) load.pages.set(url, `${person.userId} ${trader.userId}`)
  const paid = await Promise.all(urls.map(payOn))
  return paid.includes(true)
}

/** Only a page that is still open has the button. */
async function payOn(url: string): Promise<boolean> {
  const page = await open(url)
  if (!page.html.includes('>Subscribe</button>')) return false
  const card = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123', terms_of_service: 'on' }
  const { location } = await pressButton(page, 'Subscribe', card)
  return location?.includes('/payment/success') === true
}

const press = async (
  load: MoneyLoad,
  person: SignedIn,
  endpoint: Parameters<MoneyWorld['ask']>[1],
  more: Parameters<MoneyWorld['ask']>[2],
) => {
  const answer = await load.scenario.ask(person, endpoint, more)
  if (answer.status === 0) load.unanswered += 1
  else if (answer.status !== 200) {
    const refusal = `${answer.status} ${answer.code}`
    load.refused.set(refusal, (load.refused.get(refusal) ?? 0) + 1)
  }
  return answer
}

type Bought = { scenario: MoneyWorld; person: Customer; trader: PaidTrader; subscription: string }

const FATES = {
  'paid a second time': async ({ person, scenario, trader }: Bought) =>
    void (await subscribeAtStripe(scenario, person, trader)),
  disputed: async ({ scenario, subscription }: Bought) => {
    const charge = await chargeOf(scenario, subscription)
    const { disputed, refunded } = await scenario.stripe.charges.retrieve(charge)
    // A bank disputes a payment once, and none that was returned in full: the trader may have left meanwhile.
    if (disputed || refunded) return
    await scenario.sandbox.control('dispute', { id: charge })
    const { data } = await scenario.stripe.disputes.list({ charge, limit: 1 })
    await scenario.stripe.disputes.update(data[0]?.id ?? assert.fail(), {
      evidence: { uncategorized_text: Math.random() < 0.5 ? 'winning_evidence' : 'losing_evidence' },
    })
  },
  'refunded in part': async ({ scenario, subscription }: Bought) => {
    const charge = await chargeOf(scenario, subscription)
    const { amount, amount_refunded } = await scenario.stripe.charges.retrieve(charge)
    // The trader may have left, and what was left of the month has been returned; or fate has been here before.
    if (amount === amount_refunded) return
    await scenario.stripe.refunds.create({
      charge,
      amount: randomInt(1, amount - amount_refunded + 1),
      reverse_transfer: true,
      refund_application_fee: true,
    })
  },
  'ended at once': async ({ scenario, subscription }: Bought) =>
    void (await scenario.stripe.subscriptions.cancel(subscription)),
}

/** Half of the bought subscriptions meet one of the fates. */
async function meetFate({ fates, scenario }: MoneyLoad, who: SignedIn, trader: PaidTrader): Promise<void> {
  const names = Object.keys(FATES) as (keyof typeof FATES)[]
  const fate = names[randomInt(2 * names.length)]
  if (!fate) return
  const { rows } = await scenario.database.pool.query<{ customer: string; subscription: string }>(
    `select stripe_customer_id as customer, stripe_subscription_id as subscription
     from subscriptions join customers on user_id = subscriber_id
     where trader_id = $1 and subscriber_id = $2 and status = 'active'`,
    [trader.userId, who.userId],
  )
  const [found] = rows
  if (!found) return
  fates.set(fate, (fates.get(fate) ?? 0) + 1)
  const person = { ...who, customer: found.customer }
  await FATES[fate]({ scenario, person, trader, subscription: found.subscription }).catch((error: Error) => {
    // The subscription that was looked up has met another fate meanwhile, so Stripe refuses this one.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
  })
}
