import { expect, test } from 'vitest'
import { isLaterDay } from './trading-day.ts'

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
