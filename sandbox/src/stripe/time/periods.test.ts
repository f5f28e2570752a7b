import { expect, test } from 'vitest'
import { addMonths, nextPeriodEnd, percentOf } from './periods.ts'

const at = (text: string) => Date.parse(`${text}T10:20:30Z`) / 1000
const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)

test('months keep the anchor’s day, also after a shorter month', () => {
  const anchor = at('2026-01-31')
  const monthly = { interval: 'month' as const, interval_count: 1 }
  const ends: string[] = []
  let start = anchor
  for (let n = 0; n < 4; n++) {
    start = nextPeriodEnd(anchor, monthly, start)
    ends.push(day(start))
  }
  expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'])
  expect(start % 86_400).toBe(anchor % 86_400)
})

test.each([
  ['day', 3, '2024-03-03'],
  ['week', 2, '2024-03-14'],
  ['year', 1, '2025-02-28'],
] as const)('every %s × %i', (interval, interval_count, end) => {
  const anchor = at('2024-02-29')
  expect(day(nextPeriodEnd(anchor, { interval, interval_count }, anchor))).toBe(end)
})

test('a leap year gives the day back', () => {
  expect(day(addMonths(at('2024-02-29'), 48))).toBe('2028-02-29')
})

test.each([
  [1000, 10, 100],
  [1333, 33.33, 444],
  [5, 10, 1],
  [4, 10, 0],
  [999, 12.5, 125],
  [1000, 0, 0],
  [1000, 100, 1000],
])('%i cents at %d percent are %i', (amount, percent, share) => {
  expect(percentOf(amount, percent)).toBe(share)
})
