import { expect, test } from 'vitest'
import { formatMoney, formatPriceOf } from './money.ts'

test.each([
  [1000, 'usd', '$10.00'],
  [1, 'usd', '$0.01'],
  [0, 'usd', '$0.00'],
  [99, 'eur', '€0.99'],
  [123_456_789, 'usd', '$1234567.89'],
  [-1000, 'usd', '-$10.00'],
  [-1, 'usd', '-$0.01'],
  [1000, 'USD', '$10.00'],
  [1000, 'cad', 'CA$10.00'],
  [1000, 'chf', 'CHF\u00a010.00'],
])('%i of %s reads %s, exact and without grouping', (cents, currency, shown) => {
  expect(formatMoney(cents, currency)).toBe(shown)
})

test.each([
  [1000, 'jpy', '¥1000'],
  [5120, 'kwd', 'KWD\u00a05.120'],
  [500, 'isk', 'ISK\u00a05.00'],
  [1000, 'mga', 'MGA\u00a01000'],
  [1000, 'rsd', 'RSD\u00a010.00'],
])('decimals are those that Stripe counts in: %i of %s reads %s', (cents, currency, shown) => {
  expect(formatMoney(cents, currency)).toBe(shown)
})

test('the largest exact integer keeps every digit', () => {
  expect(formatMoney(Number.MAX_SAFE_INTEGER, 'usd')).toBe('$90071992547409.91')
})

test.each([
  ['month', 1000, 'usd', '$10 a month'],
  ['month', 490, 'eur', '€4.90 a month'],
  ['month', 1050, 'usd', '$10.50 a month'],
  ['month', 1000, 'jpy', '¥1000 a month'],
  ['year', 10_000, 'usd', '$100 a year'],
  ['year', 12_550, 'usd', '$125.50 a year'],
])('each %s %i cents of %s are %s', (interval, cents, currency, expected) => {
  expect(formatPriceOf(interval, cents, currency)).toBe(expected)
})
