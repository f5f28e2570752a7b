import type { TaxLiable } from '@tradepost/contract/tax'
import { expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import {
  type BillingScenario,
  buy,
  makePair,
  startBillingScenario,
} from '../../../test/money/billing-scenario.ts'
import { openBooks } from '../../../test/money/charge-books.ts'
import { followEveryCent } from '../../../test/money/follow-every-cent.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'

const DE = { country: 'DE', postal_code: '10115' }
const NY = { country: 'US', state: 'NY', postal_code: '10001' }
const BUSINESS = { tax_id: 'DE123456789', business_name: 'Muster GmbH' }
/** Of $10.00 the tax within it, and what lies at the trader's account where the platform, or the trader, owes it. */
const BUYERS = [
  { who: 'a German consumer', buyer: DE, tax: 160, platform: 756, trader: 916 },
  { who: 'a German business', buyer: { ...DE, ...BUSINESS }, tax: 0, platform: 900, trader: 900 },
  {
    who: 'a British consumer',
    buyer: { country: 'GB', postal_code: 'EC1A 1BB' },
    tax: 167,
    platform: 750,
    trader: 917,
  },
  {
    who: 'a British business',
    buyer: { country: 'GB', postal_code: 'EC1A 1BB', tax_id: 'GB123456789', business_name: 'Sample Ltd' },
    tax: 0,
    platform: 900,
    trader: 900,
  },
  { who: 'a New Yorker', buyer: NY, tax: 82, platform: 826, trader: 908 },
  {
    who: 'an Oregonian',
    buyer: { country: 'US', state: 'OR', postal_code: '97201' },
    tax: 0,
    platform: 900,
    trader: 900,
  },
  {
    who: 'somebody in Japan',
    buyer: { country: 'JP', postal_code: '100-0001' },
    tax: 0,
    platform: 900,
    trader: 900,
  },
] as const

const start = (taxLiable: TaxLiable) => startBillingScenario({ settings: { taxLiable } })
const invoicesOf = async ({ testApp }: BillingScenario, who: SignedIn) =>
  (await call(testApp, who, 'GET', '/v1/accounts/invoices')).body as {
    invoices: { id: string; amountCents: number; taxCents: number; refundedCents: number }[]
    more: boolean
  }
const income = async ({ testApp }: BillingScenario, trader: SignedIn) =>
  ((await call(testApp, trader, 'GET', '/v1/accounts/desk')).body as { income: { allCents: number }[] })
    .income[0]?.allCents

test.each(['platform', 'trader'] as const)(
  'where the %s owes the tax, invoice, Account, desk and both balances agree to the cent for buyers everywhere',
  async (liable) => {
    await using scenario = await start(liable)
    const traders = []
    for (const { buyer, tax, who, ...at } of BUYERS) {
      const { person, trader } = await makePair(scenario)
      traders.push(trader)
      const bought = await buy(scenario, person, trader, buyer)
      const { data } = await scenario.stripe.invoices.list({
        subscription: bought.stripe_subscription_id ?? '',
      })
      const [invoice] = data
      expect([who, invoice?.total, invoice?.total_taxes?.[0]?.amount ?? 0], who).toEqual([who, 1000, tax])
      expect(await invoicesOf(scenario, person), who).toMatchObject({
        invoices: [{ id: invoice?.id, amountCents: 1000, taxCents: tax, refundedCents: 0 }],
        more: false,
      })
      expect(await moneyOf(scenario.stripe, trader.account), who).toBe(at[liable])
      // Ten percent of the price without its tax are the platform's, and the tax is nobody's income.
      expect(await income(scenario, trader), who).toBe(at.platform)
    }
    const { pool } = scenario.testApp
    const figures = await followEveryCent(
      { pool, sandbox: scenario.sandbox, stripe: scenario.stripe },
      traders,
    )
    expect(figures['difference, cents']).toBe(0)
    expect(figures['money in, cents']).toBe(7000)
  },
)

test.each([
  // Of $10.00 back $4.00: $6.00 are kept, with 96 cents of tax and 50 cents of fee.
  ['platform', 454],
  ['trader', 550],
] as const)(
  'where the %s owes the tax, a part that goes back takes its tax along, and the rest is settled to the cent',
  async (liable, left) => {
    await using scenario = await start(liable)
    const { person, trader } = await makePair(scenario)
    const bought = await buy(scenario, person, trader, DE)
    const [charge] = (await scenario.stripe.charges.list({ customer: person.customer })).data
    await scenario.stripe.refunds.create({ charge: charge?.id ?? '', amount: 400 })
    await scenario.settle()
    expect(await moneyOf(scenario.stripe, trader.account)).toBe(left)
    expect(await income(scenario, trader)).toBe(454)
    expect(await invoicesOf(scenario, person)).toMatchObject({
      invoices: [{ taxCents: 160, refundedCents: 400 }],
    })

    // A withdrawal on the first day returns the rest.
    const answer = await call(scenario.testApp, person, 'POST', `/v1/subscriptions/${bought.id}/withdraw`, {})
    expect(answer.body).toMatchObject({ returnsCents: 600 })
    await scenario.settle()
    expect([await moneyOf(scenario.stripe, trader.account), await income(scenario, trader)]).toEqual([0, 0])
    const [book] = (await openBooks(scenario.stripe).read()).values()
    expect(book).toMatchObject({ charged: 1000, trader: 0, platform: 0, refunded: 1000 })
    // Stripe is not asked to take the trader's part in proportion: of a transfer whose tax has gone nobody knows how much that is.
    const { data: refunds } = await scenario.stripe.refunds.list({ charge: charge?.id ?? '' })
    expect(refunds.map(({ amount, transfer_reversal: taken }) => [amount, taken])).toEqual([
      [600, null],
      [400, null],
    ])
  },
)

test.each(['platform', 'trader'] as const)(
  'where the %s owes the tax, a dispute takes the whole share back, and one that is won brings it again',
  async (liable) => {
    await using scenario = await start(liable)
    const { person, trader } = await makePair(scenario)
    await buy(scenario, person, trader, DE)
    const share = { platform: 756, trader: 916 }[liable]
    const [charge] = (await scenario.stripe.charges.list({ customer: person.customer })).data
    await scenario.sandbox.control('dispute', { id: charge?.id })
    await scenario.settle()
    expect([await moneyOf(scenario.stripe, trader.account), await income(scenario, trader)]).toEqual([0, 0])
    const [dispute] = (await scenario.stripe.disputes.list()).data
    const evidence = { uncategorized_text: 'winning_evidence' }
    await scenario.stripe.disputes.update(dispute?.id ?? '', { evidence, submit: true })
    await scenario.settle()
    expect(await moneyOf(scenario.stripe, trader.account)).toBe(share)
    expect(await income(scenario, trader)).toBe(756)
    const [book] = (await openBooks(scenario.stripe).read()).values()
    expect(book).toMatchObject({ trader: share, platform: 1000 - share, withdrawn: 0 })
  },
)
