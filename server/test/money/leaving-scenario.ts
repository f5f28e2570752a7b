import assert from 'node:assert/strict'
import { expect } from 'vitest'
import type { Answer, Trader } from '../factories.ts'
import { call, open } from '../factories.ts'
import { startQuoteServer } from '../prices/quote-server.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import { buy, findSubscription, makePaidTrader, owedMails, pay } from './billing-scenario.ts'
import { moneyOf } from './money-of.ts'
import { startTrialScenario } from './trial-scenario.ts'

/** January, March and so on, as JavaScript counts. */
const LONG_MONTHS = [0, 2, 4, 6, 7, 9, 11]

/** The app in front of the sandbox's Stripe, and people who follow traders at $12.50 a month and leave them. */
export async function startLeavingScenario(options: Parameters<typeof startTrialScenario>[0] = {}) {
  const quotes = await startQuoteServer()
  const scenario = await startTrialScenario({
    ...options,
    quotes,
    settings: { marketOverride: 'open', ...options.settings },
  })
  const { stripe, testApp } = scenario
  const { db } = testApp

  async function makeTrader(yearly = ''): Promise<Trader & { account: string }> {
    const trader = await makePaidTrader(scenario)
    const prices = { monthly: '12.50', yearly, currency: 'usd', trialDays: null }
    expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
    await scenario.settle()
    return trader
  }

  /** The hands of somebody who leaves, on one subscription. */
  async function holdOf(person: SignedIn & { customer: string }, trader: Trader & { account: string }) {
    const row = await findSubscription(scenario, person, trader)
    const atStripe = row.stripe_subscription_id ?? assert.fail()
    const ask = (
      method: 'GET' | 'POST',
      way: string,
      body?: object,
      who: SignedIn = person,
    ): Promise<Answer> => call(testApp, who, method, `/v1/subscriptions/${row.id}/${way}`, body)
    return {
      trader,
      person,
      row,
      atStripe,
      leaving: async () => (await ask('GET', 'leaving')).body,
      cancel: (who?: SignedIn) => ask('POST', 'cancel', undefined, who),
      keep: (who?: SignedIn) => ask('POST', 'keep', undefined, who),
      withdraw: (body: object = {}, who?: SignedIn) => ask('POST', 'withdraw', body, who),
      now: () => findSubscription(scenario, person, trader),
      charge: async (): Promise<string> => {
        const { data } = await stripe.charges.list({ customer: person.customer, limit: 100 })
        return data[0]?.id ?? assert.fail('nobody has paid')
      },
      /** Cents that each charge brought and that went back, the oldest first. */
      money: async () => {
        const { data } = await stripe.charges.list({ customer: person.customer, limit: 100 })
        const paid = data.filter(({ status }) => status === 'succeeded')
        return paid.toReversed().map(({ amount, amount_refunded }) => [amount, amount_refunded])
      },
      /** Cents at the trader of all their followers. */
      atTrader: () => moneyOf(stripe, trader.account),
      publish: async (symbol = 'AAPL') =>
        expect((await open(testApp, quotes, trader, symbol, 100)).status).toBe(201),
      mails: async (who: SignedIn = person) => (await owedMails(scenario, who)).map(({ kind }) => kind),
      debts: () =>
        db
          .selectFrom('debts')
          .select(['kind', 'cause', 'amount_cents', 'state'])
          .where('trader_id', '=', trader.userId)
          .orderBy('kind')
          .execute(),
    }
  }

  /** Lets time pass to the first of the next month of 31 days, so that what a month brings is the same in each test. */
  async function toNextMonth(): Promise<void> {
    const now = testApp.clock.now()
    const firsts = LONG_MONTHS.map((month) => Date.UTC(now.getUTCFullYear(), month, 1, 15))
    const next = firsts.find((first) => first > now.getTime()) ?? Date.UTC(now.getUTCFullYear() + 1, 0, 1, 15)
    await scenario.pass((next - now.getTime()) / 86_400_000)
  }

  return {
    ...scenario,
    quotes,
    toNextMonth,
    ask: (who: SignedIn, url: string, body?: object) => call(testApp, who, 'POST', url, body),
    /** Buys with more than the trader's name. */
    async buyAs(person: SignedIn, trader: Trader, more: object): Promise<void> {
      const { body } = await call(testApp, person, 'POST', '/v1/subscriptions/new', {
        username: trader.username,
        ...more,
      })
      await pay(String(body.url))
      await scenario.settle()
    },
    /** Somebody who has just paid a month of this trader. */
    async follow(trader: Trader & { account: string }) {
      const person = await scenario.makePerson()
      await buy(scenario, person, trader)
      return holdOf(person, trader)
    },
    makeTrader,
    holdOf,
    /** Somebody who has just paid a month of a trader of their own, $12.50. */
    async makeFollower() {
      const [trader, person] = [await makeTrader(), await scenario.makePerson()]
      await buy(scenario, person, trader)
      return holdOf(person, trader)
    },
    async [Symbol.asyncDispose]() {
      await scenario[Symbol.asyncDispose]()
      await quotes.close()
    },
  }
}
export type Hold = Awaited<ReturnType<Awaited<ReturnType<typeof startLeavingScenario>>['makeFollower']>>
