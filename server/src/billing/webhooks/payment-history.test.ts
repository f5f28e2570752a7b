import { afterAll, test } from 'vitest'
import { startBillingScenario } from '../../../test/money/billing-scenario.ts'
import { playHistories } from '../../../test/money/payment-history.ts'

const scenario = await startBillingScenario({ webhooks: false })
afterAll(() => scenario[Symbol.asyncDispose]())

test('histories 1 to 12 end in the same rows in whatever order their events arrive', () =>
  playHistories(scenario, 1, 12))

test('an end that was planned before a dispute, and reported only after it, has its date here too (history 108)', () =>
  playHistories(scenario, 108, 108))
