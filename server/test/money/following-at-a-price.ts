import type Stripe from 'stripe'
import { expect } from 'vitest'
import { call } from '../factories.ts'
import {
  type BillingScenario,
  findSubscription,
  giveClock,
  makeCustomer,
  makePaidTrader,
  owedMails,
  subscribeAtStripe,
} from './billing-scenario.ts'

const DAY_MS = 86_400_000
/** In days; a renewal is a draft for an hour. */
const DRAFT = 1.5 / 24

/** A trader, and somebody who has just begun to follow at $10 a month unless another price is given, or at the trader's price of a year, on their own time at Stripe. */
export async function makeFollowing(
  here: BillingScenario,
  more: { monthly?: string; yearly?: string; terms?: Partial<Stripe.SubscriptionCreateParams> } = {},
) {
  const { sandbox, stripe, testApp } = here
  let settle = () => here.settle()
  const trader = await makePaidTrader(here)
  const name = async (monthly: string, yearly: string | null = null) => {
    const body = { monthly, yearly, currency: 'usd' }
    expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', body)).status).toBe(200)
    await settle()
  }
  if (more.monthly !== undefined || more.yearly !== undefined)
    await name(more.monthly ?? '10', more.yearly ?? null)
  const person = await makeCustomer(here)
  const passAtStripe = await giveClock(here, person.customer)
  const items =
    more.yearly === undefined ? {} : { items: [{ price: await priceOfYear(here, trader.userId) }] }
  const bought = await subscribeAtStripe(here, person, trader, { ...items, ...more.terms })
  await settle()
  const { id: subscriptionId } = await findSubscription(here, person, trader)
  const stayIn = () =>
    testApp.pool.query('update sessions set created_at = $1, refreshed_at = $1', [testApp.clock.now()])
  const answer = (priceCents: number | null, who: typeof person = person) =>
    call(testApp, who, 'POST', `/v1/subscriptions/${subscriptionId}/price`, { priceCents })
  return {
    ...{ trader, person, bought, subscriptionId, passAtStripe, stayIn, name, answer },
    /** Lets days pass here and there, and a draft become an invoice; then everything is done. */
    async pass(days: number) {
      for (const part of [days, DRAFT]) {
        testApp.clock.advance(part * DAY_MS)
        await stayIn()
        await passAtStripe(part)
        await settle()
      }
    },
    /** Does something while Stripe answers changes of subscriptions so; a minute later all is well and everything is done. */
    async underFaults(faults: readonly object[], act: () => Promise<unknown>) {
      for (const fault of faults)
        await sandbox.control('fault', { ...fault, method: 'POST', path: '/v1/subscriptions/' })
      settle = async () => {
        await sandbox.control('chaos', { settle: true })
        await here.work()
      }
      await act()
      settle = () => here.settle()
      await sandbox.control('calm')
      testApp.clock.advance(60_000)
      await settle()
    },
    /** Agrees to an amount, or takes it back, and has everything done. @returns the code of a refusal, or the proposal as it stands then */
    async agree(priceCents: number | null) {
      const { body } = await answer(priceCents)
      await settle()
      return body.code ?? body.newPrice
    },
    async listed() {
      const { body } = await call(testApp, person, 'GET', '/v1/subscriptions')
      const [first] = body.subscriptions as { priceCents: number; newPrice?: object }[]
      return { priceCents: first?.priceCents, newPrice: first?.newPrice ?? null }
    },
    /** The amount that Stripe asks for at the next renewal. */
    asked: async () => (await stripe.subscriptions.retrieve(bought.id)).items.data[0]?.price.unit_amount,
    paid: () => paidBy(stripe, bought.id),
    mails: async () =>
      (await owedMails(here, person)).map(({ facts, kind }) => {
        const { fromCents, toCents } = facts as { fromCents?: number; toCents?: number }
        return [kind, fromCents, toCents]
      }),
    debts: async () =>
      (
        await testApp.pool.query<{ kind: string; state: string }>(
          'select kind, state from debts where trader_id = $1 order by created_at, id',
          [trader.userId],
        )
      ).rows.map(({ kind, state }) => `${kind} ${state}`),
  }
}

/** The amounts that its invoices were paid with, less what went back, the first one first. */
async function paidBy(stripe: Stripe, subscription: string): Promise<number[]> {
  const { data } = await stripe.invoices.list({ subscription, limit: 100, expand: ['data.payments'] })
  const sums = data.map(async ({ amount_paid: paid, payments }) => {
    const intent = payments?.data[0]?.payment.payment_intent
    if (!intent || paid === 0) return 0
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(String(intent))
    return paid - (await stripe.charges.retrieve(String(charge))).amount_refunded
  })
  return (await Promise.all(sums)).toReversed()
}

async function priceOfYear({ testApp }: BillingScenario, traderId: string): Promise<string> {
  const { stripe_price_id: price } = await testApp.db
    .selectFrom('trader_prices')
    .select('stripe_price_id')
    .where('trader_id', '=', traderId)
    .where('billing_interval', '=', 'year')
    .where('retired_at', 'is', null)
    .executeTakeFirstOrThrow()
  return price
}
