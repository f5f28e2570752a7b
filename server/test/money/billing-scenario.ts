import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Stripe from 'stripe'
import { expect } from 'vitest'
import { open, press, type Shown } from '../../../sandbox/src/stripe/contract/browser.ts'
import { setUpStripe } from '../../src/billing/provider/set-up-stripe.ts'
import type { Log } from '../../src/platform/log.ts'
import type { Settings } from '../../src/platform/settings.ts'
import { sdkOf } from '../../src/stripe/sdk.ts'
import { makeStripe } from '../../src/stripe/stripe-client.ts'
import { enqueue, type Job, type Task } from '../../src/work/jobs.ts'
import { paymentTasks, paymentWork } from '../../src/worker.ts'
import { buildTestApp, makeTestClock, TEST_NOW, type TestApp } from '../build-test-app.ts'
import type { TestDatabase } from '../database/database.ts'
import { call, makeTrader, type Trader } from '../factories.ts'
import type { QuoteServer } from '../prices/quote-server.ts'
import { runPaymentWork } from '../run-due-rows.ts'
import { takeMails } from '../run-outbox.ts'
import { type SignedIn, signIn } from '../sign-in/sign-in.ts'
import { type StripeSandbox, startStripeSandbox } from './stripe-sandbox.ts'

/** The real app on a real port, the sandbox's Stripe that sends it real webhooks, and the worker's part of payments. */
export type BillingScenario = AsyncDisposable & {
  testApp: TestApp
  sandbox: StripeSandbox
  /** A client of the test's own, apart from the app's. */
  stripe: Stripe
  /** A client of other patience. */
  makeClient(patience: Pick<Stripe.StripeConfig, 'timeout' | 'maxNetworkRetries' | 'httpClient'>): Stripe
  /** Where the app listens. */
  origin: string
  /** Does what the worker has to do about payments by now, and what comes of it. */
  work(): Promise<void>
  /** Has a job run that the worker's calendar knows. */
  runScheduled(job: Job<unknown>): Promise<void>
  /** Lets every webhook arrive and everything be done about it, until nothing is left to do. */
  settle(): Promise<void>
}

/** @param options as `buildTestApp`'s; limits are off */
export async function startBillingScenario(
  options: {
    quotes?: QuoteServer
    settings?: Partial<Settings>
    log?: Log
    database?: TestDatabase
    /** False: Stripe does not know our address, and sends us nothing unasked. */
    webhooks?: boolean
  } = {},
): Promise<BillingScenario> {
  const clock = makeTestClock(TEST_NOW)
  const sandbox = await startStripeSandbox(clock)
  const testApp = await buildTestApp({
    clock,
    stripe: sandbox,
    ...(options.quotes && { quotes: options.quotes }),
    ...(options.log && { log: options.log }),
    ...(options.database && { database: options.database }),
    settings: { limitsOn: false, ...options.settings },
  })
  await testApp.app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(testApp.app.server.address() as AddressInfo).port}`
  const { db, settings } = testApp
  const stripe = makeStripe({ stripe: { ...settings.stripe, apiBase: sandbox.url } }, 'job')
  await setUpStripe({ db, settings, stripe }, options.webhooks === false ? null : origin, clock.now())
  const log = options.log ?? testApp.app.log
  const deps = { db, settings, clock, log: log as Log }
  const parts = { tasks: paymentTasks(deps), kinds: paymentWork(deps) }
  const work = () => runPaymentWork(testApp, parts)
  return {
    testApp,
    sandbox,
    stripe: sdkOf({ stripe }),
    makeClient: (patience) => new Stripe(settings.stripe.secretKey, { ...addressOf(sandbox), ...patience }),
    origin,
    work,
    runScheduled: (job) => enqueue(db, job, {}),
    async settle() {
      for (;;) {
        await sandbox.control('calm', { settle: true })
        await work()
        const { waitingDeliveries } = await sandbox.state()
        // In this order: the work's own events may have arrived since, as work that waits.
        if (waitingDeliveries === 0 && !(await hasWork(testApp, parts.tasks))) return
      }
    },
    async [Symbol.asyncDispose]() {
      await testApp.close()
      await sandbox[Symbol.asyncDispose]()
    },
  }
}

/** Whether a job of these tasks, or an event, could be dealt with now. Jobs count by the database's own time. */
async function hasWork({ clock, pool }: TestApp, tasks: Task[]): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from work where name = any($1) and due_at <= now() and parked_at is null
     union all select from stripe_events where due_at <= $2 limit 1`,
    [tasks.map(({ name }) => name), clock.now()],
  )
  return rowCount !== 0
}

function addressOf(sandbox: StripeSandbox) {
  const { hostname, port } = new URL(sandbox.url)
  return { host: hostname, port, protocol: 'http' as const, telemetry: false }
}

/** A trader whose payouts are complete at Stripe, and known to be here. */
export async function makePaidTrader(
  scenario: BillingScenario,
  name?: string,
): Promise<Trader & { account: string }> {
  const trader = await makeTrader(scenario.testApp, name)
  expect((await call(scenario.testApp, trader, 'POST', '/v1/accounts/trader')).status).toBe(200)
  const { stripe_account_id: account } = await scenario.testApp.db
    .selectFrom('payout_accounts')
    .select('stripe_account_id')
    .where('user_id', '=', trader.userId)
    .executeTakeFirstOrThrow()
  await scenario.sandbox.control('restore', { id: account })
  if (scenario.testApp.settings.taxLiable === 'trader') await fillInTaxSettings(scenario, account ?? '')
  await scenario.settle()
  expect((await call(scenario.testApp, trader, 'GET', '/v1/accounts/stripe/status')).body).toEqual({
    onboardComplete: true,
  })
  await scenario.work()
  return { ...trader, account: account ?? '' }
}

/** The trader names their place of business to Stripe, which computes no tax for them before. */
export async function fillInTaxSettings(
  { stripe }: Pick<BillingScenario, 'stripe'>,
  account: string,
): Promise<void> {
  const address = { country: 'US', state: 'NY', postal_code: '10001', city: 'New York', line1: '1 Main St' }
  await stripe.tax.settings.update({ head_office: { address } }, { stripeAccount: account })
}

/** Somebody who has set up billing. @param email one of nobody else's unless given */
export async function makeCustomer(
  scenario: BillingScenario,
  email?: string,
): Promise<SignedIn & { customer: string }> {
  const person = await signIn(scenario.testApp, email === undefined ? {} : { email })
  expect((await call(scenario.testApp, person, 'POST', '/v1/accounts/customer')).status).toBe(200)
  const { stripe_customer_id: customer } = await scenario.testApp.db
    .selectFrom('customers')
    .select('stripe_customer_id')
    .where('user_id', '=', person.userId)
    .executeTakeFirstOrThrow()
  return { ...person, customer: customer ?? '' }
}

/** A trader who can be paid, and somebody who may follow them. */
export async function makePair(scenario: BillingScenario) {
  return { trader: await makePaidTrader(scenario), person: await makeCustomer(scenario) }
}

/** The same, and a clock of the person's at Stripe. @returns `pass` moves it by a number of days */
export async function makePairWithClock(scenario: BillingScenario) {
  const pair = await makePair(scenario)
  return { ...pair, pass: await giveClock(scenario, pair.person.customer) }
}

/** The same, and the person follows the trader by a subscription made at Stripe, of which everything has arrived. */
export async function makeFollowed(scenario: BillingScenario) {
  const pair = await makePairWithClock(scenario)
  const bought = await subscribeAtStripe(scenario, pair.person, pair.trader)
  await scenario.settle()
  return { ...pair, bought }
}

/** Presses Subscribe or Continue. @returns the address of the page on which it is paid */
export async function checkout(scenario: BillingScenario, who: SignedIn, trader: Trader): Promise<string> {
  const { username } = trader
  const { body, status } = await call(scenario.testApp, who, 'POST', '/v1/subscriptions/new', { username })
  expect({ status, ...body }).toMatchObject({ status: 200 })
  return String(body.url)
}

const CARD = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123', terms_of_service: 'on' }

/** Types a card in on Stripe's page and pays. @param buyer what the page asks of an address and a business, where tax is computed */
export async function pay(
  url: string,
  number: string = CARD.number,
  buyer: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  return press(await open(url), 'Subscribe', { ...CARD, ...buyer, number })
}

/** Buys a subscription as a person does, and lets everything arrive. @param buyer as of `pay` @returns its row */
export async function buy(
  scenario: BillingScenario,
  who: SignedIn,
  trader: Trader,
  buyer?: Readonly<Record<string, string>>,
) {
  const url = await checkout(scenario, who, trader)
  expect((await pay(url, CARD.number, buyer)).location).toContain('/payment/success')
  await scenario.settle()
  return findSubscription(scenario, who, trader)
}

/** The newest subscription of a pair as it is stored here. */
export async function findSubscription(scenario: BillingScenario, who: SignedIn, trader: SignedIn) {
  return scenario.testApp.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('trader_id', '=', trader.userId)
    .where('subscriber_id', '=', who.userId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
}

/** A subscription made at Stripe by its API as a checkout makes it, without its page. */
export function subscribeAtStripe(
  scenario: Pick<BillingScenario, 'stripe' | 'testApp'>,
  who: { userId: string; customer: string },
  trader: { userId: string; account: string },
  more: Partial<Stripe.SubscriptionCreateParams> = {},
): Promise<Stripe.Subscription> {
  const pair = { subscriber_id: who.userId, trader_id: trader.userId }
  return findPrice(scenario, trader).then((price) =>
    scenario.stripe.subscriptions.create({
      customer: who.customer,
      items: [{ price }],
      default_payment_method: 'pm_card_visa',
      application_fee_percent: 10,
      transfer_data: { destination: trader.account },
      metadata: { app: 'tradepost', env: 'local', ...pair },
      off_session: false,
      ...more,
    }),
  )
}

async function findPrice(
  scenario: Pick<BillingScenario, 'testApp'>,
  trader: { userId: string },
): Promise<string> {
  const { stripe_price_id: price } = await scenario.testApp.db
    .selectFrom('trader_prices')
    .select('stripe_price_id')
    .where('trader_id', '=', trader.userId)
    .where('billing_interval', '=', 'month')
    .where('retired_at', 'is', null)
    .executeTakeFirstOrThrow()
  return price
}

/**
 * Gives a customer who has bought nothing yet their own time at Stripe.
 * @returns lets so many days pass for them there, and for nobody else
 */
export async function giveClock(
  scenario: BillingScenario,
  customer: string,
): Promise<(days: number) => Promise<void>> {
  const { testClocks } = scenario.stripe.testHelpers
  let at = Math.floor(scenario.testApp.clock.now().getTime() / 1000)
  // The sandbox puts a customer who exists on a new clock.
  const { id } = await testClocks.create({
    frozen_time: at,
    customer,
  } as Stripe.TestHelpers.TestClockCreateParams)
  return async (days) => {
    at += days * 86_400
    await testClocks.advance(id, { frozen_time: at })
    while ((await testClocks.retrieve(id)).status !== 'ready') await nextTurn()
  }
}

/** The mails about money that are owed to somebody, oldest first; the mail that a subscription began aside. */
export function owedMails(scenario: BillingScenario, who: SignedIn) {
  return scenario.testApp.db
    .selectFrom('outbox')
    .select(['kind', 'cause', 'facts'])
    .where('user_id', '=', who.userId)
    .where('kind', 'not in', ['subscription_started', 'first_follower'])
    .orderBy('id')
    .execute()
}

/** The subjects of what the operator has been mailed since the last look. */
export async function takeAlerts(scenario: BillingScenario): Promise<string[]> {
  const mails = await takeMails(scenario.testApp, ['operator_notice'], {
    operatorEmail: 'operator@example.com',
  })
  return mails.map(({ subject }) => subject)
}
