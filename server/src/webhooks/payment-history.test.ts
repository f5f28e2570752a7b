import { afterAll, test, vi } from 'vitest'
import { startBillingScenario } from '../../test/billing-scenario.ts'
import { playHistories } from '../../test/payment-history.ts'

vi.setConfig({ testTimeout: 300_000 })
const scenario = await startBillingScenario({ webhooks: false })
afterAll(() => scenario[Symbol.asyncDispose]())

test('SUB-18: however histories 1 to 12 are told, the end result is stored as if each was told in order', () =>
  playHistories(scenario, 1, 12))

test('SUB-18: an end that was planned before a dispute, and heard of only after it, has its date here too (history 108)', () =>
  playHistories(scenario, 108, 108))
