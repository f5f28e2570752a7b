import { afterAll, test } from 'vitest'
import { startBillingScenario } from '../../../test/money/billing-scenario.ts'
import { playHistories } from '../../../test/money/payment-history.ts'

const scenario = await startBillingScenario({ webhooks: false })
afterAll(() => scenario[Symbol.asyncDispose]())

test('histories 13 to 24 end in the same rows in whatever order their events arrive', () =>
  playHistories(scenario, 13, 24))
