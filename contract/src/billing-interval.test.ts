import { expect, test } from 'vitest'
import { renewalAfter } from './billing-interval.ts'

test('a subscription renews on the day of the payment, or on the last of a month that has no such day', () => {
  const renewal = (paidAt: string, interval: 'month' | 'year') =>
    renewalAfter(new Date(paidAt), interval).toISOString()
  expect(renewal('2026-11-29T10:00:00.000Z', 'month')).toBe('2026-12-29T10:00:00.000Z')
  expect(renewal('2026-12-31T23:59:59.000Z', 'month')).toBe('2027-01-31T23:59:59.000Z')
  expect(renewal('2027-01-31T10:00:00.000Z', 'month')).toBe('2027-02-28T10:00:00.000Z')
  expect(renewal('2028-01-30T10:00:00.000Z', 'month')).toBe('2028-02-29T10:00:00.000Z')
  expect(renewal('2026-11-29T10:00:00.000Z', 'year')).toBe('2027-11-29T10:00:00.000Z')
  expect(renewal('2028-02-29T10:00:00.000Z', 'year')).toBe('2029-02-28T10:00:00.000Z')
})
