import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { endpoints } from '../../contract/src/endpoints.ts'
import { makeTrader, type Trader } from '../../server/test/factories.ts'
import { type SignedIn, signIn } from '../../server/test/sign-in/sign-in.ts'
import { LONGEST_RUN_MS, type MoneyWorld, until } from './money-scenario.ts'

export type Customer = SignedIn & { customer: string }
export type PaidTrader = Trader & { account: string }

/** A trader with a random username, without payouts. */
export function makeSomebody({ testApp }: MoneyWorld): Promise<Trader> {
  return makeTrader(testApp, `t${randomUUID().slice(0, 8)}`)
}

/** Makes a person who has set up billing. A call without an answer is repeated, as a person would do. */
export async function makeCustomer(scenario: MoneyWorld): Promise<Customer> {
  const person = await signIn(scenario.testApp)
  const isSetUp = async () => (await scenario.ask(person, endpoints.setUpCustomer)).status === 200
  await until(isSetUp, LONGEST_RUN_MS, () => 'no customer')
  const { rows } = await scenario.database.pool.query<{ id: string }>(
    'select stripe_customer_id as id from customers where user_id = $1',
    [person.userId],
  )
  return { ...person, customer: rows[0]?.id ?? assert.fail('the customer is not known') }
}

/** Stripe's id of the trader's payout account, as the database holds it. */
export async function accountOf({ database }: MoneyWorld, { userId }: SignedIn): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>(
    'select stripe_account_id as id from payout_accounts where user_id = $1',
    [userId],
  )
  return rows[0]?.id ?? assert.fail('the account is not known')
}

/** A trader who has begun to set up payouts, and whom Stripe has not approved yet. */
export async function makeBeginner(scenario: MoneyWorld): Promise<PaidTrader> {
  const trader = await makeSomebody(scenario)
  const hasBegun = async () => (await scenario.ask(trader, endpoints.startOnboarding)).status === 200
  await until(hasBegun, LONGEST_RUN_MS, () => 'no onboarding')
  return { ...trader, account: await accountOf(scenario, trader) }
}

/** A trader whom people can subscribe to: payouts are active, and the price is made. */
export async function makePaidTrader(scenario: MoneyWorld): Promise<PaidTrader> {
  const trader = await makeBeginner(scenario)
  await scenario.sandbox.control('restore', { id: trader.account })
  await until(
    async () => (await pricesHere(scenario, trader)) === 1,
    LONGEST_RUN_MS,
    () => 'no price',
  )
  return trader
}

/** How many current prices the database holds of the trader: 0 or 1. */
export function pricesHere({ count }: MoneyWorld, { userId }: SignedIn): Promise<number> {
  return count('select count(*) from trader_prices where trader_id = $1 and retired_at is null', userId)
}

/** The address of the page at Stripe on which the person pays for following the trader. */
export async function pageOf(scenario: MoneyWorld, who: SignedIn, trader: Trader): Promise<string> {
  const { code, url } = await scenario.ask(who, endpoints.newSubscription, {
    body: { username: trader.username },
  })
  return url ?? assert.fail(`no page: ${code}`)
}

/** Counts the pair's subscriptions in the database that have this status and this reason for their end (none unless given). */
export function countSubscriptions(
  { count }: MoneyWorld,
  who: SignedIn,
  trader: SignedIn,
  status: string,
  reason = '',
): Promise<number> {
  return count(
    `select count(*) from subscriptions where subscriber_id = $1 and trader_id = $2 and status = $3
       and coalesce(end_reason, '') = $4`,
    who.userId,
    trader.userId,
    status,
    reason,
  )
}

/** The only charge that a subscription at Stripe has been paid with. */
export async function chargeOf({ stripe }: MoneyWorld, subscription: string): Promise<string> {
  const { data } = await stripe.invoices.list({ subscription, expand: ['data.payments'] })
  const intent = String(data[0]?.payments?.data[0]?.payment.payment_intent)
  return String((await stripe.paymentIntents.retrieve(intent)).latest_charge)
}
