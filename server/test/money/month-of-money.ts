import assert from 'node:assert/strict'
import type Stripe from 'stripe'
import { makeRandom, type Random } from '../../src/dev/seed/random.ts'
import type { Figures } from '../attacks/guess-codes.ts'
import type { Trader } from '../factories.ts'
import {
  type BillingScenario,
  checkout,
  makeCustomer,
  makePaidTrader,
  pay,
  subscribeAtStripe,
} from './billing-scenario.ts'
import { followEveryCent } from './follow-every-cent.ts'

type PaidTrader = Trader & { account: string }
type Bought = {
  scenario: BillingScenario
  person: Awaited<ReturnType<typeof makeCustomer>>
  trader: PaidTrader
  /** Stripe's. */
  id: string
  random: Random
}

const TRADERS_OF_ONE = 4
const BUYERS_AT_ONCE = 4

/** The possible fates of a subscription that was paid once. */
const FATES = {
  renews: async () => {},
  'a renewal fails and is mended': ({ id, scenario }: Bought) =>
    scenario.sandbox.control('fail-next', { id }),
  'no renewal can be paid': async ({ id, person, scenario }: Bought) => {
    const { stripe } = scenario
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: person.customer,
    })
    await stripe.subscriptions.update(id, { default_payment_method: card.id })
  },
  'ends with its period': async ({ id, scenario }: Bought) =>
    void (await scenario.stripe.subscriptions.update(id, { cancel_at_period_end: true })),
  'is ended at once': async ({ id, scenario }: Bought) =>
    void (await scenario.stripe.subscriptions.cancel(id)),
  'refunded in part': (bought: Bought) => refund(bought, { amount: bought.random.between(1, 999) }),
  'refunded whole': (bought: Bought) => refund(bought, {}),
  'refunded at the cost of the platform': (bought: Bought) =>
    refund(bought, {
      amount: bought.random.between(1, 999),
      reverse_transfer: false,
      refund_application_fee: false,
    }),
  'paid a second time': async ({ person, scenario, trader }: Bought) =>
    void (await subscribeAtStripe(scenario, person, trader)),
  'disputed and lost': (bought: Bought) => dispute(bought, 'losing_evidence'),
  'disputed and won': (bought: Bought) => dispute(bought, 'winning_evidence'),
  'disputed after a refund in part': async (bought: Bought) => {
    await refund(bought, { amount: bought.random.between(1, 999) })
    await dispute(bought, 'losing_evidence')
  },
}
type Fate = keyof typeof FATES
const STRANGE = (Object.keys(FATES) as Fate[]).filter((fate) => fate !== 'renews')

/**
 * Sells subscriptions over some traders as the product sells them, lets a month pass in which some fail, end, are refunded
 * or disputed and one trader's account is closed, and follows every cent: by what the product wrote down, and by what lies
 * where at Stripe.
 * @throws when a cent is missing or too many
 */
export async function playMonth(
  scenario: BillingScenario,
  size: { subscriptions: number; traders: number },
): Promise<Figures> {
  const random = makeRandom(size.subscriptions)
  const began = performance.now()
  const traders: PaidTrader[] = []
  for (let number = 0; number < size.traders; number += 1) traders.push(await makePaidTrader(scenario))
  const bought = await sell(scenario, traders, size.subscriptions, random)
  await scenario.settle()
  const sold = performance.now()

  const fates = new Map<Fate, number>()
  for (const [at, one] of bought.entries()) {
    // Half of them live on, the others take turns.
    const fate = at % 2 === 0 ? 'renews' : (STRANGE[(at >> 1) % STRANGE.length] ?? assert.fail())
    fates.set(fate, (fates.get(fate) ?? 0) + 1)
    await FATES[fate](one)
  }
  await scenario.settle()
  await scenario.sandbox.control('advance', { days: 10 })
  await scenario.sandbox.control('close', { id: traders.at(-1)?.account })
  await scenario.settle()
  await scenario.sandbox.control('advance', { days: 21 })
  await scenario.settle()
  // Long enough for the last try of a payment that failed, and too short for the next month.
  await scenario.sandbox.control('advance', { days: 16 })
  await scenario.settle()
  const passed = performance.now()
  return {
    subscriptions: bought.length,
    traders: traders.length,
    ...(await followEveryCent({ ...scenario, pool: scenario.testApp.pool }, traders)),
    fates: [...fates].map(([fate, count]) => `${fate} ${count}`).join(', '),
    'sold, s': Math.round((sold - began) / 1000),
    'a month, s': Math.round((passed - sold) / 1000),
  }
}

/** Everybody follows some traders, and pays on Stripe's page. */
async function sell(
  scenario: BillingScenario,
  traders: PaidTrader[],
  count: number,
  random: Random,
): Promise<Bought[]> {
  const orders = Array.from({ length: Math.ceil(count / TRADERS_OF_ONE) }, (_, buyer) =>
    Array.from(
      { length: Math.min(TRADERS_OF_ONE, count - buyer * TRADERS_OF_ONE) },
      (_, at) => traders[(buyer * TRADERS_OF_ONE + at) % traders.length] ?? assert.fail(),
    ),
  )
  const found: Omit<Bought, 'id'>[] = []
  const buyer = async () => {
    for (let order = orders.pop(); order; order = orders.pop()) {
      const person = await makeCustomer(scenario)
      for (const trader of order) {
        const { location } = await pay(await checkout(scenario, person, trader))
        assert.ok(location?.includes('/payment/success'))
        found.push({ scenario, person, trader, random })
      }
    }
  }
  await Promise.all(Array.from({ length: BUYERS_AT_ONCE }, buyer))
  await scenario.settle()
  const rows = await scenario.testApp.db
    .selectFrom('subscriptions')
    .select(['trader_id', 'subscriber_id', 'stripe_subscription_id'])
    .execute()
  const ids = new Map(
    rows.map((row) => [`${row.trader_id} ${row.subscriber_id}`, row.stripe_subscription_id]),
  )
  return found.map((one) => ({
    ...one,
    id:
      ids.get(`${one.trader.userId} ${one.person.userId}`) ?? assert.fail('a payment became no subscription'),
  }))
}

async function chargeOf({ id, scenario }: Bought): Promise<string> {
  const row = await scenario.testApp.db
    .selectFrom('invoices')
    .innerJoin('subscriptions', 'subscriptions.id', 'invoices.subscription_id')
    .select('charge_id')
    .where('stripe_subscription_id', '=', id)
    .executeTakeFirst()
  return row?.charge_id ?? assert.fail('nothing was paid')
}

async function refund(bought: Bought, more: Partial<Stripe.RefundCreateParams>): Promise<void> {
  const charge = await chargeOf(bought)
  await bought.scenario.stripe.refunds.create({
    charge,
    reverse_transfer: true,
    refund_application_fee: true,
    ...more,
  })
}

/** The words that decide a dispute in test mode (docs.stripe.com/testing#evidence). */
async function dispute(bought: Bought, evidence: 'winning_evidence' | 'losing_evidence'): Promise<void> {
  const { scenario } = bought
  const charge = await chargeOf(bought)
  await scenario.sandbox.control('dispute', { id: charge })
  // First its event arrives, then it is decided.
  await scenario.settle()
  const { data } = await scenario.stripe.disputes.list({ charge, limit: 1 })
  await scenario.stripe.disputes.update(data[0]?.id ?? assert.fail(), {
    evidence: { uncategorized_text: evidence },
  })
}
