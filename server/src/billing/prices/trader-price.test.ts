import { expect, test, vi } from 'vitest'
import { makeTrader, type Trader } from '../../../test/factories.ts'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { rounds } from '../../../test/rounds.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { ensureTraderPrice, forgetTraderPrice } from './trader-price.ts'
import type { TraderPrice } from './trader-prices.queries.ts'

const scenario = await startPaymentsScenario()
const { clock, db, deps, stripe } = scenario

/** The same deployment after its configuration was changed. */
const withPrice = (subscriptionPriceCents: number, subscriptionCurrency = 'usd'): BillingDeps => ({
  ...deps,
  settings: { ...deps.settings, subscriptionPriceCents, subscriptionCurrency },
})
async function ensure(trader: Trader, at = deps): Promise<TraderPrice> {
  const price = await ensureTraderPrice(at, trader, 'month', clock.now())
  if (!price) throw new Error('a month has a price')
  return price
}
const productOf = (trader: Trader) => `prod_local_${trader.userId.replaceAll('-', '')}`
/** The trader's prices at Stripe. */
async function atStripe(trader: Trader): Promise<{ id: string; active: boolean; cents: number | null }[]> {
  const { data } = await stripe.prices.list({ product: productOf(trader), limit: 100 })
  return data.map(({ id, active, unit_amount }) => ({ id, active, cents: unit_amount }))
}
const rowsOf = (trader: Trader) =>
  db.selectFrom('trader_prices').selectAll().where('trader_id', '=', trader.userId).execute()

test('following a trader costs the platform price, by a product per trader that a bill can name', async () => {
  const trader = await makeTrader(scenario)
  const price = await ensure(trader)
  expect(price).toEqual({
    stripePriceId: expect.any(String),
    priceCents: 1000,
    currency: 'usd',
    interval: 'month',
  })
  expect(await stripe.prices.retrieve(price.stripePriceId)).toMatchObject({
    unit_amount: 1000,
    currency: 'usd',
    recurring: { interval: 'month', interval_count: 1 },
    product: productOf(trader),
    lookup_key: `local:trader:${trader.userId}:monthly`,
    metadata: { app: 'tradepost', env: 'local', trader_id: trader.userId },
  })
  expect(await stripe.products.retrieve(productOf(trader))).toMatchObject({
    name: `Signals by @${trader.username}`,
  })
  expect(await ensure(trader), 'again').toEqual(price)
  expect(await atStripe(trader)).toHaveLength(1)
})

test('a price that is asked for several times at the same moment is made once', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const trader = await makeTrader(scenario)
    const prices = await Promise.all([ensure(trader), ensure(trader), ensure(trader)])
    expect(new Set(prices.map(({ stripePriceId }) => stripePriceId)).size).toBe(1)
    expect(await atStripe(trader)).toHaveLength(1)
    expect(await rowsOf(trader)).toHaveLength(1)
  }
})

test('another price by configuration is a new one, and the old one takes no new subscriptions', async () => {
  const trader = await makeTrader(scenario)
  const old = await ensure(trader)
  const raised = await ensure(trader, withPrice(1500))
  expect(raised).toMatchObject({ priceCents: 1500, currency: 'usd' })
  expect(await atStripe(trader)).toEqual([
    { id: raised.stripePriceId, active: true, cents: 1500 },
    { id: old.stripePriceId, active: false, cents: 1000 },
  ])
  const euros = await ensure(trader, withPrice(1500, 'eur'))
  expect(euros).toMatchObject({ priceCents: 1500, currency: 'eur' })
  expect(await ensure(trader), 'and back').toEqual(old)
  expect((await atStripe(trader)).filter(({ active }) => active)).toEqual([
    { id: old.stripePriceId, active: true, cents: 1000 },
  ])
  expect((await stripe.prices.retrieve(old.stripePriceId)).lookup_key).toBe(
    `local:trader:${trader.userId}:monthly`,
  )
  expect((await rowsOf(trader)).filter(({ retired_at }) => retired_at === null)).toHaveLength(1)
})

test('a price that Stripe has lost is forgotten, and another one made', async () => {
  const trader = await makeTrader(scenario)
  const lost = await ensure(trader)
  await forgetTraderPrice(db, trader.userId, lost.stripePriceId, clock.now())
  await forgetTraderPrice(db, trader.userId, lost.stripePriceId, clock.now())
  const found = await ensure(trader)
  expect(found.stripePriceId).not.toBe(lost.stripePriceId)
  expect(found).toMatchObject({ priceCents: 1000, currency: 'usd' })
})

test('a retired price that Stripe has lost is not taken up again', async () => {
  const trader = await makeTrader(scenario)
  await ensure(trader, withPrice(1500))
  await db
    .insertInto('trader_prices')
    .values({
      trader_id: trader.userId,
      stripe_price_id: 'price_lost',
      stripe_product_id: productOf(trader),
      price_cents: 1000,
      currency: 'usd',
      created_at: clock.now(),
      retired_at: clock.now(),
    })
    .execute()
  const price = await ensure(trader)
  expect(price.stripePriceId).not.toBe('price_lost')
  expect((await atStripe(trader)).filter(({ active }) => active)).toEqual([
    { id: price.stripePriceId, active: true, cents: 1000 },
  ])
})

const CALLS: [what: string, path: (old: string) => string][] = [
  ['making the product', () => '/v1/products'],
  ['making the price', () => '/v1/prices'],
  ['retiring the old price', (old) => `/v1/prices/${old}`],
]

test.each(CALLS.flatMap(([what, path]) => FAULTS.map(([how, faults]) => ({ what, how, path, faults }))))(
  'when Stripe $how at $what, the next try ends with one price for new subscriptions',
  async ({ path, faults }) => {
    const trader = await makeTrader(scenario)
    const old = await ensure(trader)
    await scenario.spoil(faults, 'POST', path(old.stripePriceId))
    await expect(ensure(trader, withPrice(1500))).rejects.toThrow()
    const price = await ensure(trader, withPrice(1500))
    expect((await atStripe(trader)).filter(({ active }) => active)).toEqual([
      { id: price.stripePriceId, active: true, cents: 1500 },
    ])
    expect(await atStripe(trader), 'no third one').toHaveLength(2)
  },
)

test.each(CALLS)(
  'when Stripe takes too long at %s, the next tries end with one price for new subscriptions',
  async (_, path) => {
    const trader = await makeTrader(scenario)
    const old = await ensure(trader)
    const slow = { kind: 'slow', ms: 2000, method: 'POST', path: path(old.stripePriceId) }
    await scenario.sandbox.control('fault', slow)
    const raised = withPrice(1500)
    await expect(ensure(trader, { ...raised, stripe: scenario.hasty.stripe })).rejects.toThrow()
    const price = await vi.waitFor(() => ensure(trader, raised), 120_000)
    expect((await atStripe(trader)).filter(({ active }) => active)).toEqual([
      { id: price.stripePriceId, active: true, cents: 1500 },
    ])
    expect(await atStripe(trader), 'no third one').toHaveLength(2)
  },
)

test('an idempotency key that is spent finds the price that was made under it', async () => {
  const trader = await makeTrader(scenario)
  await stripe.products.create({ id: productOf(trader), name: 'made before' })
  const key = { idempotencyKey: `price:local:${trader.userId}:usd:1000:0` }
  await stripe.prices.create({ product: productOf(trader), currency: 'usd', unit_amount: 5 }, key)
  const price = await ensure(trader)
  expect(price).toMatchObject({ priceCents: 1000 })
  expect((await atStripe(trader)).filter(({ cents }) => cents === 1000)).toHaveLength(1)
})
