import { afterAll, expect, test } from 'vitest'
import { open, press, words } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { call, type Trader } from '../../../test/factories.ts'
import {
  buy,
  checkout,
  fillInTaxSettings,
  findSubscription,
  makeCustomer,
  makePair,
  makePairWithClock,
  pay,
  startBillingScenario,
  takeAlerts,
} from '../../../test/money/billing-scenario.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'
import { makeStripe } from '../../stripe/stripe-client.ts'
import { requireTaxSettings, TaxNotSetUp } from '../provider/set-up-stripe.ts'

const scenario = await startBillingScenario({ settings: { taxLiable: 'platform' } })
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const DE = { country: 'DE', postal_code: '10115' }
const subscribe = (who: SignedIn, trader: Trader) =>
  call(testApp, who, 'POST', '/v1/subscriptions/new', { username: trader.username })
const invoices = async (who: SignedIn) => (await call(testApp, who, 'GET', '/v1/accounts/invoices')).body

test('a renewal has the tax of where its payer lives by then, in the same price', async () => {
  const { pass, person, trader } = await makePairWithClock(scenario)
  await buy(scenario, person, trader, DE)
  // Manage billing leads to Stripe's portal, which changes the place and takes a tax number.
  const { body } = await call(testApp, person, 'POST', '/v1/accounts/stripe/customer-session')
  const portal = await open(String(body.url))
  const wrong = await press(portal, 'Save details', { country: 'GB', tax_id: '12' })
  expect(words(wrong)).toContain('This does not look like a tax number of your country')
  const saved = await press(portal, 'Save details', { country: 'GB', postal_code: 'EC1A 1BB' })
  expect(words(saved)).toContain('Your billing details were saved.')
  await pass(32)
  await scenario.settle()
  const again = await call(testApp, person, 'GET', '/v1/accounts/invoices')
  expect([again.status, again.body]).toMatchObject([
    200,
    {
      invoices: [
        { amountCents: 1000, taxCents: 167 },
        { amountCents: 1000, taxCents: 160 },
      ],
    },
  ])
  expect(await moneyOf(stripe, trader.account)).toBe(756 + 750)
  await press(saved, 'Save details', { country: 'GB', postal_code: 'EC1A 1BB', tax_id: 'GB123456789' })
  expect(words(await open(String(body.url)))).toContain('Tax number GB123456789')
  await pass(31)
  await scenario.settle()
  const { invoices: all } = (await invoices(person)) as { invoices: { taxCents: number }[] }
  expect(all.map(({ taxCents }) => taxCents)).toEqual([0, 167, 160])
  expect(await moneyOf(stripe, trader.account)).toBe(756 + 750 + 900)
})

test('somebody else’s invoice is not found, and one’s own leads to its page at Stripe', async () => {
  const { person, trader } = await makePair(scenario)
  await buy(scenario, person, trader, DE)
  const { invoices: listed } = (await invoices(person)) as { invoices: { id: string }[] }
  const path = `/v1/accounts/invoices/${listed[0]?.id}/open`
  const own = await call(testApp, person, 'POST', path)
  expect(own.status).toBe(200)
  const page = await (await fetch(String(own.body.url))).text()
  expect(page).toContain('$1.60')
  expect((await call(testApp, trader, 'POST', path)).status).toBe(404)
  expect(await invoices(trader)).toEqual({ invoices: [], more: false })
})

test('of more than fifty payments the newest fifty are listed, and that there are older ones', async () => {
  const { person, trader } = await makePair(scenario)
  const { id } = await buy(scenario, person, trader, DE)
  await testApp.pool.query(
    `insert into invoices (trader_id, invoice_id, subscription_id, status, amount_due_cents, amount_paid_cents, currency, created_at, paid_at, synced_at)
     select $1, 'in_old' || n, $2, 'paid', 1000, 1000, 'usd', '2025-01-01', timestamptz '2025-01-01' + n * interval '1 hour', '2025-01-01'
     from generate_series(1, 50) n`,
    [trader.userId, id],
  )
  const { invoices: listed, more } = (await invoices(person)) as { invoices: { id: string }[]; more: boolean }
  expect([listed.length, listed[1]?.id, listed.at(-1)?.id, more]).toEqual([50, 'in_old50', 'in_old2', true])
})

test('while the platform’s tax settings are incomplete nobody can pay, the operator is told, and the set-up says what is missing', async () => {
  const { person, trader } = await makePair(scenario)
  await sandbox.control('tax-settings', { status: 'pending' })
  const { body, status } = await subscribe(person, trader)
  expect([status, body.code]).toEqual([409, 'payment_refused'])
  expect(await takeAlerts(scenario)).toEqual(['Tradepost: payments: Stripe Tax is not set up'])
  const { db, settings } = testApp
  const deps = {
    db,
    settings,
    stripe: makeStripe({ stripe: { ...settings.stripe, apiBase: sandbox.url } }, 'job'),
  }
  await expect(requireTaxSettings(deps)).rejects.toThrow(TaxNotSetUp)
  await sandbox.control('tax-settings', { status: 'active' })
  expect((await subscribe(person, trader)).status).toBe(200)
})

test('a page that was opened without a tax is not gone on with', async () => {
  const { person, trader } = await makePair(scenario)
  const before = await checkout(scenario, person, trader)
  expect(await checkout(scenario, person, trader)).toBe(before)
  await testApp.pool.query('update checkout_sessions set tax_liable = null where subscriber_id = $1', [
    person.userId,
  ])
  const now = await checkout(scenario, person, trader)
  expect(now).not.toBe(before)
  expect((await pay(now, undefined, DE)).location).toContain('/payment/success')
})

test('a trader who owes the tax takes no new followers before their tax settings are complete', async () => {
  await using theirs = await startBillingScenario({ settings: { taxLiable: 'trader' } })
  const { person, trader } = await makePair(theirs)
  await theirs.testApp.pool.query(
    'update payout_accounts set tax_ready = null, synced_at = null where user_id = $1',
    [trader.userId],
  )
  const look = async () => (await call(theirs.testApp, trader, 'GET', '/v1/accounts/stripe/status')).body
  const profile = async () =>
    (await call(theirs.testApp, person, 'GET', `/v1/accounts/profile?username=${trader.username}`)).body
      .canSubscribe
  const other = await makeCustomer(theirs)
  expect(await profile()).toBe(false)
  const refused = await call(theirs.testApp, other, 'POST', '/v1/subscriptions/new', {
    username: trader.username,
  })
  expect([refused.status, refused.body.code]).toEqual([409, 'not_subscribable'])
  await fillInTaxSettings(theirs, trader.account)
  expect(await look()).toEqual({ onboardComplete: true })
  expect(await profile()).toBe(true)
  await buy(theirs, person, trader, DE)
  expect((await findSubscription(theirs, person, trader)).status).toBe('active')
})
