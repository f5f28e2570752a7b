import { afterAll, expect, test, vi } from 'vitest'
import { startBillingScenario } from '../../../test/money/billing-scenario.ts'
import { countPairs } from '../../../test/money/year-factors.ts'
import { playYear } from '../../../test/money/year-of-money.ts'
import { drawPlans } from '../../../test/money/year-plan.ts'
import { makeRandom } from '../../dev/seed/random.ts'

/** Few in `npm test`, where the steps of the year take most of the time; `npm run faults` has a thousand. */
const SUBSCRIPTIONS = Number(process.env.YEAR_SUBSCRIPTIONS ?? 3)
const SEED = 1

vi.setConfig({ testTimeout: 1_200_000 + SUBSCRIPTIONS * 20_000 })
const scenario = await startBillingScenario({ webhooks: false })
afterAll(() => scenario[Symbol.asyncDispose]())

test('in a year of subscriptions of every kind, with events twice, late and lost, each person pays what was agreed, to the cent', async () => {
  const { figures, plans } = await playYear(scenario, { subscriptions: SUBSCRIPTIONS, seed: SEED })
  expect(figures).toMatchObject({ subscriptions: SUBSCRIPTIONS, 'difference, cents': 0 })
  const { fewest, lines } = countPairs(plans.map(({ values }) => values))
  if (process.env.YEAR_SUBSCRIPTIONS)
    console.log([...lines, `each pair at least ${fewest} times`].join('\n'), figures)
})

test('among eighty drawn subscriptions every two things happen to one of them, unless they cannot', () => {
  const plans = drawPlans(makeRandom(SEED), 80)
  expect(countPairs(plans.map(({ values }) => values)).missing).toEqual([])
})
