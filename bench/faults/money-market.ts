import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { endpoints } from '../../contract/src/endpoints.ts'
import { open, press as pressButton } from '../../sandbox/src/stripe/contract/browser.ts'
import { type SignedIn, signIn } from '../../server/test/sign-in.ts'
import { subscribeAtStripe } from '../../server/test/webhook-room.ts'
import { type Customer, chargeOf, makePaidTrader, type PaidTrader } from './money-people.ts'
import { LONGEST_RUN_MS, type MoneyStage, until } from './money-stage.ts'

/** People who buy from traders, and what happened to them. */
export type Market = {
  stage: MoneyStage
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

export async function openMarket(stage: MoneyStage, size: { people: number }): Promise<Market> {
  const people = []
  for (let number = 0; number < size.people; number += 1) people.push(await signIn(stage.testApp))
  return {
    stage,
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

/** Traders set payouts up, one after the other, whoever dies meanwhile. */
export async function addTraders({ stage, traders }: Market, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) traders.push(await makePaidTrader(stage))
}

/** One person goes on buying from whom they do not follow, until it is over. Fate takes some subscriptions again. */
export async function keepBuying(market: Market, person: SignedIn): Promise<void> {
  while (!market.over) {
    await pause(randomInt(PAUSE_MS.shortest, PAUSE_MS.longest))
    const trader = market.traders[randomInt(market.traders.length)] ?? assert.fail()
    if (await isSubscribed(market, person, trader)) continue
    await buy(market, person, trader)
    await meetFate(market, person, trader)
  }
}

/** A trader closes their account at Stripe; nobody buys from them any more, and who follows them is paid back. */
export async function letLeave({ left, stage, traders }: Market): Promise<void> {
  const [trader] = traders.splice(-1)
  if (!trader) return
  left.push(trader)
  await stage.sandbox.control('close', { id: trader.account })
}

/** In the end everybody follows everybody. */
export async function buyTheRest(market: Market): Promise<void> {
  await Promise.all(
    market.people.map(async (person) => {
      for (const trader of market.traders) await buy(market, person, trader)
    }),
  )
}

async function isSubscribed(market: Market, person: SignedIn, trader: PaidTrader): Promise<boolean> {
  const { said } = await press(market, person, endpoints.subscriptionCheck, { param: trader.username })
  return said.subscribed === true
}

/** Presses again whatever happens, as a person does, until the trader is followed or has left. */
async function buy(market: Market, person: SignedIn, trader: PaidTrader): Promise<void> {
  let paidAt: number | null = null
  const isBought = async () => {
    if (market.left.includes(trader)) return true
    if (await isSubscribed(market, person, trader)) return true
    const paid = await tryToPay(market, person, trader)
    if (paid) paidAt ??= performance.now()
    return false
  }
  await until(isBought, LONGEST_RUN_MS, () => 'somebody does not get what they pay for')
  if (paidAt === null || market.left.includes(trader)) return
  market.waits.push(performance.now() - paidAt)
  market.bought += 1
}

/** @returns whether something was paid */
async function tryToPay(market: Market, person: SignedIn, trader: PaidTrader): Promise<boolean> {
  const { status } = await press(market, person, endpoints.setUpCustomer, {})
  if (status !== 200) return false
  const tabs = Math.random() < TWO_TABS ? 2 : 1
  const body = { username: trader.username }
  const answers = await Promise.all(
    Array.from({ length: tabs }, () => press(market, person, endpoints.newSubscription, { body })),
  )
  const urls = answers.flatMap(({ url }) => url ?? [])
  for (const url of urls) market.pages.set(url, `${person.userId} ${trader.userId}`)
  const paid = await Promise.all(urls.map(payOn))
  return paid.includes(true)
}

/** Only a page that is still open has the button. */
async function payOn(url: string): Promise<boolean> {
  const page = await open(url)
  if (!page.html.includes('>Subscribe</button>')) return false
  const card = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123' }
  const { location } = await pressButton(page, 'Subscribe', card)
  return location?.includes('/payment/success') === true
}

const press = async (
  market: Market,
  person: SignedIn,
  endpoint: Parameters<MoneyStage['ask']>[1],
  more: Parameters<MoneyStage['ask']>[2],
) => {
  const answer = await market.stage.ask(person, endpoint, more)
  if (answer.status === 0) market.unanswered += 1
  else if (answer.status !== 200) {
    const refusal = `${answer.status} ${answer.code}`
    market.refused.set(refusal, (market.refused.get(refusal) ?? 0) + 1)
  }
  return answer
}

type Bought = { stage: MoneyStage; person: Customer; trader: PaidTrader; subscription: string }

const FATES = {
  'paid a second time': async ({ person, stage, trader }: Bought) =>
    void (await subscribeAtStripe(stage, person, trader)),
  disputed: async ({ stage, subscription }: Bought) => {
    const charge = await chargeOf(stage, subscription)
    await stage.sandbox.control('dispute', { id: charge })
    const { data } = await stage.stripe.disputes.list({ charge, limit: 1 })
    await stage.stripe.disputes.update(data[0]?.id ?? assert.fail(), {
      evidence: { uncategorized_text: Math.random() < 0.5 ? 'winning_evidence' : 'losing_evidence' },
    })
  },
  'refunded in part': async ({ stage, subscription }: Bought) => {
    const charge = await chargeOf(stage, subscription)
    await stage.stripe.refunds.create({
      charge,
      amount: randomInt(1, 1000),
      reverse_transfer: true,
      refund_application_fee: true,
    })
  },
  'ended at once': async ({ stage, subscription }: Bought) =>
    void (await stage.stripe.subscriptions.cancel(subscription)),
}

/** Something strange happens to half of what is bought. */
async function meetFate({ fates, stage }: Market, who: SignedIn, trader: PaidTrader): Promise<void> {
  const names = Object.keys(FATES) as (keyof typeof FATES)[]
  const fate = names[randomInt(2 * names.length)]
  if (!fate) return
  const { rows } = await stage.database.pool.query<{ customer: string; subscription: string }>(
    `select stripe_customer_id as customer, stripe_subscription_id as subscription
     from subscriptions join customers on user_id = subscriber_id
     where trader_id = $1 and subscriber_id = $2 and status = 'active'`,
    [trader.userId, who.userId],
  )
  const [found] = rows
  if (!found) return
  fates.set(fate, (fates.get(fate) ?? 0) + 1)
  const person = { ...who, customer: found.customer }
  await FATES[fate]({ stage, person, trader, subscription: found.subscription })
}
