import { expect, test } from 'vitest'
import { checkout, makePair, pay, startBillingScenario } from '../../../test/money/billing-scenario.ts'
import { openBooks } from '../../../test/money/charge-books.ts'
import { moneyOf } from '../../../test/money/money-of.ts'

const DE = { country: 'DE', postal_code: '10115' }

test.each([
  ['rate-limit', 'platform', 756],
  ['error', 'platform', 756],
  ['lost-answer', 'platform', 756],
  ['rate-limit', 'trader', 916],
  ['error', 'trader', 916],
  ['lost-answer', 'trader', 916],
] as const)(
  'where Stripe meets %s while the tax that the %s owes is settled, the trader is left their share, once',
  async (kind, taxLiable, share) => {
    await using scenario = await startBillingScenario({ settings: { taxLiable } })
    const { sandbox, stripe, testApp } = scenario
    const { person, trader } = await makePair(scenario)
    expect((await pay(await checkout(scenario, person, trader), undefined, DE)).location).toContain(
      '/success',
    )
    await expect.poll(async () => (await sandbox.state()).waitingDeliveries).toBe(0)
    for (const path of ['/v1/transfers/', '/v1/application_fees/'])
      await sandbox.control('fault', { kind, method: 'POST', path, times: 3 })
    for (let nth = 0; nth < 6; nth += 1) {
      await scenario.work()
      testApp.clock.advance(3_600_000)
    }
    const { rows } = await testApp.pool.query(
      `select state, tries > 0 as failed from debts where kind = 'tax' and trader_id = $1`,
      [trader.userId],
    )
    expect(rows).toEqual([{ state: 'settled', failed: true }])
    expect(await moneyOf(stripe, trader.account)).toBe(share)
    const [transfer] = (await stripe.transfers.list({ destination: trader.account })).data
    const [fee] = (await stripe.applicationFees.list({ limit: 1 })).data
    expect(transfer?.reversals.data.length).toBe(taxLiable === 'platform' ? 1 : 0)
    expect(fee?.refunds.data.length).toBe(taxLiable === 'trader' ? 1 : 0)
    const [book] = (await openBooks(stripe).read()).values()
    expect(book).toMatchObject({ trader: share, platform: 1000 - share })
  },
)
