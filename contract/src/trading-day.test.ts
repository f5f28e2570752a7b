import { expect, test } from 'vitest'
import { isLaterDay } from './trading-day.ts'

const TODAY = new Date('2026-03-04T15:00:00.000Z')
const later = (date: string, override: 'open' | 'hours' | null = null) =>
  isLaterDay(new Date(date), TODAY, override)

test('MKT-06: strictly later than today, by UTC day', () => {
  expect(later('2026-03-03T23:59:59.999Z')).toBe(false)
  expect(later('2026-03-04T00:00:00.000Z')).toBe(false)
  expect(later('2026-03-04T23:59:59.999Z')).toBe(false)
  expect(later('2026-03-05T00:00:00.000Z')).toBe(true)
  expect(later('2027-03-04T15:00:00.000Z')).toBe(true)
  expect(later('2026-03-04T00:00:00.000Z', 'open')).toBe(true)
})

test('MKT-06: less than a day apart can be a later day, and more than a day back is none', () => {
  expect(isLaterDay(new Date('2026-03-05T00:00:00Z'), new Date('2026-03-04T23:59:59.999Z'), null)).toBe(true)
  expect(isLaterDay(new Date('2026-03-04T00:00:00Z'), new Date('2026-03-05T00:00:00Z'), null)).toBe(false)
})

test('MKT-06 MKT-04: hours alone leave the days as they are', () => {
  expect(later('2026-03-04T15:00:00.000Z', 'hours')).toBe(false)
  expect(later('2026-03-05T00:00:00.000Z', 'hours')).toBe(true)
})

test('MKT-06 MKT-04: the override forces every date later', () => {
  expect(later('2026-03-04T15:00:00.000Z', 'open')).toBe(true)
  expect(later('2020-01-01T00:00:00.000Z', 'open')).toBe(true)
})
