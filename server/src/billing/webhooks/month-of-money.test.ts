import { afterAll, expect, test, vi } from 'vitest'
import { startBillingScenario } from '../../../test/money/billing-scenario.ts'
import { playMonth } from '../../../test/money/month-of-money.ts'

/** Few in `npm test`; `npm run faults` sells a thousand. */
const SUBSCRIPTIONS = Number(process.env.MONTH_SUBSCRIPTIONS ?? 24)
const TRADERS = Math.min(20, SUBSCRIPTIONS / 4)

vi.setConfig({ testTimeout: 600_000 + SUBSCRIPTIONS * 3000 })
const scenario = await startBillingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())

test('after a month of payments, failures, refunds and disputes all money that came in is accounted for, to the cent', async () => {
  const figures = await playMonth(scenario, { subscriptions: SUBSCRIPTIONS, traders: TRADERS })
  expect(figures).toMatchObject({ subscriptions: SUBSCRIPTIONS, 'difference, cents': 0 })
  if (process.env.MONTH_SUBSCRIPTIONS) console.log(figures)
})
