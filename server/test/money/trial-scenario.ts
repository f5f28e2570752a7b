import { expect } from 'vitest'
import type { BillingDeps } from '../../src/billing/provider/billing-deps.ts'
import { makeStripe } from '../../src/stripe/stripe-client.ts'
import { silentLog } from '../database/database.ts'
import { type Answer, call, type Trader } from '../factories.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import {
  type BillingScenario,
  findSubscription,
  makeCustomer,
  makePaidTrader,
  pay,
  startBillingScenario,
} from './billing-scenario.ts'

const DAY_MS = 86_400_000

/** Cards of Stripe's test mode that are charged without ado. */
export const [CARD, OTHER_CARD] = ['4242 4242 4242 4242', '5555 5555 5555 4444'] as const
/** Can be saved, and is declined when it is charged. */
export const FAILING_CARD = '4000 0000 0000 0341'

export type TrialScenario = BillingScenario & {
  /** The dependencies that use cases get in jobs. */
  deps: BillingDeps
  /** Lets time pass, here and at Stripe, and does all that falls due. */
  pass(days: number): Promise<void>
  /** Offers free days at $12.50 a month. */
  offer(trader: SignedIn, trialDays: number | null): Promise<Answer>
  makeOffering(trialDays?: 7 | 14): Promise<Trader & { account: string }>
  check(who: SignedIn, trader: Trader): Promise<Record<string, unknown>>
  /** Asks for a page with free days. */
  begin(who: SignedIn, trader: Trader, trialDays?: unknown): Promise<Answer>
  /** Finishes the page of a trial with a card. */
  finish(who: SignedIn, trader: Trader, card?: string, trialDays?: 7 | 14): Promise<void>
  /** The same, of which everything has arrived. @returns the row */
  tryOut(
    who: SignedIn,
    trader: Trader,
    card?: string,
    trialDays?: 7 | 14,
  ): ReturnType<typeof findSubscription>
  /** Somebody who has set up billing, with an address. */
  makePerson(email?: string): Promise<SignedIn & { customer: string }>
  /** The charges of a customer so far, in cents. */
  charged(customer: string): Promise<number[]>
}

/** The app in front of the sandbox's Stripe, with a trader's free days. */
export async function startTrialScenario(
  options: Parameters<typeof startBillingScenario>[0] = {},
): Promise<TrialScenario> {
  const scenario = await startBillingScenario(options)
  const { sandbox, stripe, testApp } = scenario
  const { db, settings } = testApp
  const offer = (trader: SignedIn, trialDays: number | null) =>
    call(testApp, trader, 'POST', '/v1/accounts/prices', {
      monthly: '12.50',
      yearly: null,
      currency: 'usd',
      trialDays,
    })
  const begin = (who: SignedIn, trader: Trader, trialDays: unknown = 7) =>
    call(testApp, who, 'POST', '/v1/subscriptions/new', { username: trader.username, trialDays })
  const finish = async (who: SignedIn, trader: Trader, card: string = CARD, trialDays: 7 | 14 = 7) => {
    const { body, status } = await begin(who, trader, trialDays)
    expect({ status, ...body }).toMatchObject({ status: 200 })
    expect((await pay(String(body.url), card)).location).toContain('/payment/success')
  }
  return {
    ...scenario,
    deps: { db, settings, log: silentLog, stripe: makeStripe(settings, 'job') },
    async pass(days) {
      testApp.clock.advance(days * DAY_MS)
      // Everybody stays signed in.
      const stamps = { created_at: testApp.clock.now(), refreshed_at: testApp.clock.now() }
      await db.updateTable('sessions').set(stamps).execute()
      await sandbox.control('advance', { seconds: 0 })
      await scenario.settle()
    },
    offer,
    async makeOffering(trialDays = 7) {
      const trader = await makePaidTrader(scenario)
      expect((await offer(trader, trialDays)).status).toBe(200)
      await scenario.settle()
      return trader
    },
    check: async (who, trader) =>
      (await call(testApp, who, 'GET', `/v1/subscriptions/${trader.username}`)).body,
    begin,
    finish,
    async tryOut(who, trader, card, trialDays) {
      await finish(who, trader, card, trialDays)
      await scenario.settle()
      return findSubscription(scenario, who, trader)
    },
    makePerson: (email) => makeCustomer(scenario, email),
    async charged(customer) {
      const { data } = await stripe.charges.list({ customer, limit: 100 })
      return data.filter(({ status }) => status === 'succeeded').map(({ amount }) => amount)
    },
  }
}
