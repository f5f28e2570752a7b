import { expect, test } from 'vitest'
import { formatDate, formatPercent } from './format.ts'

test('a gain has two decimals and a percent sign', () => {
  expect(formatPercent('12.345')).toBe('12.35%')
  expect(formatPercent('-10')).toBe('-10.00%')
  expect(formatPercent('-0.001')).toBe('0.00%')
})

test('a date is the viewer’s local one', () => {
  const late = new Date(2026, 10, 21, 23, 59)
  expect(formatDate(late.toISOString())).toBe(
    new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(late),
  )
  expect(formatDate(late.toISOString())).toContain('21')
})
