import { expect, test } from 'vitest'
import { isLaterDay, nextDayOf, tradingDaysBetween, wholeDaysBetween } from './trading-day.ts'

const TODAY = new Date('2026-03-04T15:00:00.000Z')
const later = (date: string, override: 'open' | 'hours' | null = null) =>
  isLaterDay(new Date(date), TODAY, override)

test('a later day is one that comes later in UTC, whatever the hour, or any day under the override', {
  tags: ['MKT-06'],
}, () => {
  expect(later('2026-03-03T23:59:59.999Z')).toBe(false)
  expect(later('2026-03-04T00:00:00.000Z')).toBe(false)
  expect(later('2026-03-04T23:59:59.999Z')).toBe(false)
  expect(later('2026-03-05T00:00:00.000Z')).toBe(true)
  expect(later('2027-03-04T15:00:00.000Z')).toBe(true)
  expect(later('2026-03-04T00:00:00.000Z', 'open')).toBe(true)
})

test('less than a day apart can be a later day, and more than a day back is none', () => {
  expect(isLaterDay(new Date('2026-03-05T00:00:00Z'), new Date('2026-03-04T23:59:59.999Z'), null)).toBe(true)
  expect(isLaterDay(new Date('2026-03-04T00:00:00Z'), new Date('2026-03-05T00:00:00Z'), null)).toBe(false)
})

test('the override of the hours leaves the days as they are', () => {
  expect(later('2026-03-04T15:00:00.000Z', 'hours')).toBe(false)
  expect(later('2026-03-05T00:00:00.000Z', 'hours')).toBe(true)
})

test('the override forces every date later', () => {
  expect(later('2026-03-04T15:00:00.000Z', 'open')).toBe(true)
  expect(later('2020-01-01T00:00:00.000Z', 'open')).toBe(true)
})

test.each([
  // A Wednesday in the afternoon.
  ['2026-03-04T23:59:59.999Z', 0],
  ['2026-03-05T00:00:00.000Z', 1],
  ['2026-03-06T15:00:00.000Z', 2],
  ['2026-03-08T23:00:00.000Z', 2],
  ['2026-03-09T00:00:00.000Z', 3],
  ['2026-03-18T15:00:00.000Z', 10],
  ['2027-03-04T15:00:00.000Z', 261],
])('until %s there are %d trading days', (to, days) => {
  expect(tradingDaysBetween(TODAY, new Date(to))).toBe(days)
})

test('whole days have 24 hours', () => {
  expect(wholeDaysBetween(TODAY, new Date('2026-03-06T14:59:59.999Z'))).toBe(1)
  expect(wholeDaysBetween(TODAY, new Date('2026-03-06T15:00:00.000Z'))).toBe(2)
})

test('the day after an instant begins at the next midnight of UTC, also for a midnight', () => {
  const next = (date: string) => nextDayOf(new Date(date)).toISOString()
  expect(next('2026-11-20T23:59:59.999Z')).toBe('2026-11-21T00:00:00.000Z')
  expect(next('2026-11-20T00:00:00.000Z')).toBe('2026-11-21T00:00:00.000Z')
  expect(next('2026-12-31T12:00:00.000Z')).toBe('2027-01-01T00:00:00.000Z')
})
