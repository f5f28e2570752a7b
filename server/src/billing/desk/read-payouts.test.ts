import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { makeTrader, readTables } from '../../../test/factories.ts'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { StripeClient } from '../../stripe/sdk.ts'
import { makePayoutsReader } from './read-payouts.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const scenario = await startPaymentsScenario({ limitsOn: false })
const { sandbox, stripe } = scenario

const payouts = async (who: SignedIn) => {
  const { body, status } = await scenario.get(who, '/v1/accounts/desk/payouts')
  expect(status).toBe(200)
  return body
}
const send = (account: string, cents: number, currency = 'usd') =>
  stripe.transfers.create({ amount: cents, currency, destination: account })
const NOTHING = { balance: [], coming: [] }
const usd = (availableCents: number, pendingCents: number) => ({
  currency: 'usd',
  availableCents,
  pendingCents,
})

test('a trader sees what Stripe holds for them, and each payout until the bank has it', {
  tags: ['API-31'],
}, async () => {
  const [trader, other] = [await scenario.makeReady(), await scenario.makeReady()]
  await send(trader.account, 1234)
  expect(await payouts(trader)).toEqual({ state: 'ready', balance: [usd(0, 1234)], coming: [] })
  expect(await payouts(other)).toEqual({ state: 'ready', balance: [usd(0, 0)], coming: [] })

  // Pending for two days, then sent at the next midnight, from March 4 at 15:00 on.
  scenario.clock.advance(2.5 * DAY_MS)
  await sandbox.control('advance', { seconds: 1 })
  await send(trader.account, 500)
  expect(await payouts(trader)).toEqual({
    state: 'ready',
    balance: [usd(0, 500)],
    coming: [
      { id: expect.stringMatching(/^po_/), amountCents: 1234, currency: 'usd', arrivesOn: '2026-03-08' },
    ],
  })
  scenario.clock.advance(1.5 * DAY_MS)
  await sandbox.control('advance', { seconds: 1 })
  expect(await payouts(trader)).toMatchObject({ coming: [] })
})

test('the payout that arrives first stands first, and currencies stand in the order of their codes, however Stripe lists them', async () => {
  const trader = await scenario.makeReady()
  // A payout that was asked for as an instant one overtakes those of before it.
  const listed = [
    ['po_instant', 'in_transit', '2026-03-09'],
    ['po_slow', 'pending', '2026-03-10'],
    ['po_first', 'in_transit', '2026-03-08'],
    ['po_arrived', 'paid', '2026-03-07'],
  ].map(([id, status, day]) => ({
    ...{ id, status, amount: 100, currency: 'usd' },
    arrival_date: Date.parse(`${day}T00:00:00Z`) / 1000,
  }))
  const held = ['usd', 'eur', 'gbp'].map((currency) => ({ currency, amount: 100 }))
  const answer = async (url: string) =>
    Response.json(url.includes('/v1/payouts') ? { data: listed } : { available: held, pending: [] })
  const httpClient = Stripe.createFetchHttpClient(answer as typeof fetch)
  const { clock, deps } = scenario
  const read = makePayoutsReader({
    ...deps,
    clock,
    stripe: new StripeClient(new Stripe('sk_test_order', { httpClient })),
  })
  const { balance, coming } = await read(trader)
  expect(balance.map(({ currency }) => currency)).toEqual(['eur', 'gbp', 'usd'])
  expect(coming.map(({ id, arrivesOn }) => `${id} ${arrivesOn}`)).toEqual([
    'po_first 2026-03-08',
    'po_instant 2026-03-09',
    'po_slow 2026-03-10',
  ])
})

test('each currency is its own, and a balance can be negative', async () => {
  const trader = await scenario.makeReady()
  const { id } = await send(trader.account, 900)
  scenario.clock.advance(4 * DAY_MS)
  await sandbox.control('advance', { seconds: 1 })
  await stripe.transfers.createReversal(id, { amount: 300 })
  await send(trader.account, 450, 'eur')
  expect(await payouts(trader)).toMatchObject({
    balance: [{ currency: 'eur', availableCents: 0, pendingCents: 450 }, usd(-300, 0)],
  })
})

test('Stripe is asked once a minute, however often the page is loaded', async () => {
  const trader = await scenario.makeReady()
  expect(await payouts(trader)).toMatchObject({ balance: [usd(0, 0)] })
  await send(trader.account, 700)
  scenario.clock.advance(MINUTE_MS - 1)
  expect(await payouts(trader)).toMatchObject({ balance: [usd(0, 0)] })
  scenario.clock.advance(1)
  expect(await payouts(trader)).toMatchObject({ balance: [usd(0, 700)] })
})

test.each(FAULTS)(
  'when Stripe %s, the answer contains it, and the next look sees it again',
  async (_, faults) => {
    const trader = await scenario.makeReady()
    await scenario.spoil(faults, 'GET', '/v1/balance')
    const before = await readTables(scenario)
    expect(await payouts(trader)).toEqual({ state: 'unreadable', ...NOTHING })
    expect(await readTables(scenario)).toEqual(before)
    expect(await payouts(trader)).toMatchObject({ state: 'ready' })
  },
)

test('a first failure is repeated, and nobody notices', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('fault', { kind: 'error', path: '/v1/payouts' })
  expect(await payouts(trader)).toMatchObject({ state: 'ready' })
})

test('when Stripe takes too long, the answer contains it', async () => {
  const trader = await scenario.makeReady()
  const { hasty, clock } = scenario
  await sandbox.control('fault', { kind: 'slow', ms: 1000, path: '/v1/balance' })
  const answer = await makePayoutsReader({ ...hasty, clock })(trader)
  expect(answer).toEqual({ state: 'unreadable', ...NOTHING })
})

test('a read that Stripe refuses for a lost account is no outage, for another it is', async () => {
  const [lost, ready] = [await scenario.makeReady(), await scenario.makeReady()]
  await sandbox.control('restrict', { id: lost.account })
  scenario.clock.advance(11 * MINUTE_MS)
  await scenario.get(lost, '/v1/accounts/stripe/status')
  for (const [trader, state] of [
    [lost, 'incomplete'],
    [ready, 'unreadable'],
  ] as const) {
    await sandbox.control('fault', { kind: 'refuse', status: 404, path: '/v1/balance' })
    expect(await payouts(trader)).toEqual({ state, ...NOTHING })
  }
})

test('without payouts, and before they are set up, Stripe is not asked, and the answer names what is missing', async () => {
  await sandbox.control('fault', { kind: 'error', times: 1, method: 'GET', path: '/v1/balance' })
  expect(await payouts(await signIn(scenario))).toEqual({ state: 'none', ...NOTHING })
  expect(await payouts(await makeTrader(scenario))).toEqual({ state: 'none', ...NOTHING })
  expect(await payouts(await scenario.makeStarted())).toEqual({ state: 'incomplete', ...NOTHING })
  await sandbox.control('calm')
})

test('a trader who cannot be paid any more still sees the balance, of a closed account too', async () => {
  const trader = await scenario.makeReady()
  await send(trader.account, 900)
  await sandbox.control('restrict', { id: trader.account })
  scenario.clock.advance(11 * MINUTE_MS)
  await scenario.get(trader, '/v1/accounts/stripe/status')
  expect(await payouts(trader)).toEqual({ state: 'incomplete', balance: [usd(0, 900)], coming: [] })
  await sandbox.control('close', { id: trader.account })
  await scenario.get(trader, '/v1/accounts/stripe/status')
  scenario.clock.advance(MINUTE_MS)
  expect(await payouts(trader)).toMatchObject({ state: 'incomplete', balance: [usd(0, 900)] })
})
