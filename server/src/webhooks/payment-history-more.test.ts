import { afterAll, test, vi } from 'vitest'
import { startBillingScenario } from '../../test/billing-scenario.ts'
import { playHistories } from '../../test/payment-history.ts'

vi.setConfig({ testTimeout: 300_000 })
const scenario = await startBillingScenario({ webhooks: false })
afterAll(() => scenario[Symbol.asyncDispose]())

test('SUB-18: however histories 13 to 24 are told, the end result is stored as if each was told in order', () =>
  playHistories(scenario, 13, 24))
