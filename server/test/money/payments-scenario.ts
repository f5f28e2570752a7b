import Stripe from 'stripe'
import { afterAll } from 'vitest'
import { paymentsTasks, paymentsWork } from '../../src/billing/entry/payments.task.ts'
import type { BillingDeps } from '../../src/billing/provider/billing-deps.ts'
import type { Settings } from '../../src/platform/settings.ts'
import { StripeClient, sdkOf } from '../../src/stripe/sdk.ts'
import { makeStripe } from '../../src/stripe/stripe-client.ts'
import { buildTestApp, makeTestClock, TEST_NOW, type TestApp } from '../build-test-app.ts'
import { silentLog } from '../database/database.ts'
import { call, makeTrader, type Trader } from '../factories.ts'
import { runPaymentWork } from '../run-due-rows.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import { type StripeSandbox, startStripeSandbox } from './stripe-sandbox.ts'

/** Faults at Stripe by which a call of ours fails; the client tries twice where that may help. */
export const FAULTS = [
  ['is asked too often', [{ kind: 'rate-limit' }]],
  ['fails twice', [{ kind: 'error' }, { kind: 'error' }]],
  ['loses its answer twice', [{ kind: 'lost-answer' }, { kind: 'lost-answer' }]],
] as const
export type Faults = (typeof FAULTS)[number][1]

export type PaymentsScenario = TestApp & {
  sandbox: StripeSandbox
  /** The SDK as a test looks at Stripe with it. */
  stripe: Stripe
  /** The dependencies that use cases get in jobs. */
  deps: BillingDeps
  /** The same with a client that gives up after 300 ms. */
  hasty: BillingDeps
  /** Does what payments have to do by now, each once. */
  runPayments(): Promise<void>
  /** Lets the next calls of this method and path fail. */
  spoil(faults: readonly { kind: string }[], method: 'GET' | 'POST', path: string): Promise<void>
  post(who: SignedIn, path: string): ReturnType<typeof call>
  get(who: SignedIn, path: string): ReturnType<typeof call>
  /** A trader whose account was opened by the API. */
  makeStarted(): Promise<Trader & { account: string }>
  /** A trader whom Stripe has approved. */
  makeReady(): Promise<Trader & { account: string }>
}

/** The app in front of the sandbox's Stripe, on one clock; closed after the file's tests. */
export async function startPaymentsScenario(settings: Partial<Settings> = {}): Promise<PaymentsScenario> {
  const clock = makeTestClock(TEST_NOW)
  const sandbox = await startStripeSandbox(clock)
  const testApp = await buildTestApp({ clock, stripe: sandbox, settings })
  afterAll(async () => {
    await testApp.close()
    await sandbox[Symbol.asyncDispose]()
  })
  const { db } = testApp
  const stripe = makeStripe(testApp.settings, 'job')
  const deps = { db, settings: testApp.settings, log: silentLog, stripe }
  const post = (who: SignedIn, path: string) => call(testApp, who, 'POST', path)
  const get = (who: SignedIn, path: string) => call(testApp, who, 'GET', path)
  const makeStarted = async () => {
    const trader = await makeTrader(testApp)
    const { status, body } = await post(trader, '/v1/accounts/trader')
    if (status !== 200) throw new Error(`onboarding did not start: ${body.code}`)
    const row = await db
      .selectFrom('payout_accounts')
      .select('stripe_account_id')
      .where('user_id', '=', trader.userId)
      .executeTakeFirstOrThrow()
    return { ...trader, account: row.stripe_account_id ?? '' }
  }
  return {
    ...testApp,
    sandbox,
    stripe: sdkOf(deps),
    deps,
    hasty: { ...deps, stripe: new StripeClient(hastyStripe(sandbox)) },
    runPayments() {
      const payments = { ...deps, clock }
      return runPaymentWork(testApp, { tasks: paymentsTasks(payments), kinds: paymentsWork(payments) })
    },
    async spoil(faults, method, path) {
      for (const fault of faults) await sandbox.control('fault', { ...fault, method, path })
    },
    post,
    get,
    makeStarted,
    async makeReady() {
      const trader = await makeStarted()
      await sandbox.control('restore', { id: trader.account })
      await get(trader, '/v1/accounts/stripe/status')
      return trader
    },
  }
}

function hastyStripe(sandbox: StripeSandbox): Stripe {
  const { hostname, port } = new URL(sandbox.url)
  return new Stripe('sk_test_hasty', {
    host: hostname,
    port,
    protocol: 'http',
    timeout: 300,
    maxNetworkRetries: 0,
    telemetry: false,
  })
}
