import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { customerQuery, subscriptionCheckQuery, subscriptionsQuery } from './payments.api.ts'
import { payoutStatusQuery } from './payout-status.api.ts'

const MINUTE_MS = 60_000
let asked: number[] = []

beforeEach(() => {
  vi.useFakeTimers()
  storeSession()
  queryClient.clear()
  asked = []
  vi.stubGlobal('fetch', async () => {
    asked.push(Date.now())
    return jsonAnswer(500, {})
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('customer, payout status and subscriptions stay fresh for 10 minutes, the check for 5', () => {
  const fresh = [customerQuery, payoutStatusQuery, subscriptionsQuery].map(({ staleTime }) => staleTime)
  expect(fresh).toEqual(Array(3).fill(10 * MINUTE_MS))
  expect(subscriptionCheckQuery('maria').staleTime).toBe(5 * MINUTE_MS)
})

test('customer and payout status are asked once', async () => {
  for (const query of [customerQuery, payoutStatusQuery]) {
    const failed = queryClient.ensureQueryData(query as typeof customerQuery).catch(() => 'failed')
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    expect(await failed).toBe('failed')
  }
  expect(asked).toHaveLength(2)
})

test.each([
  ['subscriptions', subscriptionsQuery],
  ['the check', subscriptionCheckQuery('maria')],
])('%s are retried three times, with growing pauses', { tags: ['CONST-11'] }, async (_, query) => {
  const failed = queryClient.ensureQueryData(query as typeof subscriptionsQuery).catch(() => 'failed')
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  expect(await failed).toBe('failed')
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
  expect(pauses).toEqual([1000, 2000, 4000])
})

test('there is one check a trader, however the name is spelled', () => {
  expect(subscriptionCheckQuery('Maria').queryKey).toEqual(subscriptionCheckQuery('maria').queryKey)
})
