/**
 * The faults of payments, at full size: histories whose events come late, twice or never, a month and a year of a thousand
 * subscriptions followed to the cent, forged webhooks, a Stripe that fails, and kills between its answer and our commit.
 * Prints figures and throws when one of them breaks its bound. `npm test` runs the same at a small size.
 */
import { forgeWebhooks } from '../../server/test/attacks/forge-webhooks.ts'
import { startBillingScenario } from '../../server/test/money/billing-scenario.ts'
import { playHistories } from '../../server/test/money/payment-history.ts'
import { attack, onDatabase, print } from './attack-scenario.ts'
import { runTests } from './run-tests.ts'

const FORGERIES = 1000
const SEEDS = Number(process.env.HISTORY_SEEDS ?? 1000)
/** Histories that share one sandbox; more would be slow, since each searches the sandbox's whole list of events. */
const SEEDS_A_WORLD = 25
const SUBSCRIPTIONS = 1000

export const runs: Record<string, () => Promise<void>> = {
  'R12-webhook-seeds': playSeeds,
  // `npm test` already covers this one in full: every call that is made, and every place where a process can die.
  'R13-stripe-fails': async () =>
    runTests(
      [
        'billing/checkouts/stripe-faults',
        'billing/customers/set-up-customer',
        'billing/payouts/start-onboarding',
        'billing/prices/trader-price',
      ],
      {},
      10,
    ),
  'refusals-matrix': async () => runTests(['billing/entry/refusals'], { REFUSALS: 'all' }, 20),
  'R14-crashes': async () => runTests(['billing/entry/crashes'], {}, 10),
  'S23-forged-webhooks': () => attack((app) => forgeWebhooks(app, FORGERIES)),
  'month-of-money': async () =>
    runTests(['billing/webhooks/month-of-money'], { MONTH_SUBSCRIPTIONS: SUBSCRIPTIONS }, 40),
  'year-of-money': async () =>
    runTests(['billing/webhooks/year-of-money'], { YEAR_SUBSCRIPTIONS: SUBSCRIPTIONS }, 120),
}

/** Plays histories; each has to end as if its events had come once and in order. */
async function playSeeds(): Promise<void> {
  const began = performance.now()
  for (let from = 1; from <= SEEDS; from += SEEDS_A_WORLD) {
    const to = Math.min(from + SEEDS_A_WORLD - 1, SEEDS)
    await onDatabase(async (database) => {
      await using scenario = await startBillingScenario({ webhooks: false, database })
      await playHistories(scenario, from, to)
    })
    console.log(`seeds ${from} to ${to} ended alike, ${Math.round((performance.now() - began) / 1000)} s`)
  }
  print({ seeds: SEEDS, different: 0 })
}
