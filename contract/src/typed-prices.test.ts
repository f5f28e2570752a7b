import { expect, test } from 'vitest'
import { refusalMessage } from './errors.ts'
import { readPrices, usualYear } from './typed-prices.ts'

const BOUNDS = { minCents: 300, maxCents: 50_000 }
const read = (monthly: string, yearly: string | null = null, currency = 'usd') => {
  const found = readPrices({ monthly, yearly }, currency, BOUNDS)
  if ('prices' in found) return found.prices
  return refusalMessage(found.fault.code, { currency: currency.toUpperCase(), ...found.fault })
}

test.each([
  ['12', 1200],
  ['12.5', 1250],
  ['12.50', 1250],
  ['12,50', 1250],
  [' $12.50 ', 1250],
  ['12.50 USD', 1250],
  ['usd 12', 1200],
  ['１２.５０', 1250],
  ['12.', 1200],
  ['3', 300],
  ['500.00', 50_000],
])('the price %j is read as %i cents', (typed, cents) => {
  expect(read(typed)).toEqual({ monthlyCents: cents, yearlyCents: null })
})

test.each([
  ['', 'Type an amount such as 12 or 12.50.'],
  ['ten', 'Type an amount such as 12 or 12.50.'],
  ['-12', 'Type an amount such as 12 or 12.50.'],
  ['12.505', 'Type an amount such as 12 or 12.50.'],
  ['1,200', 'Type an amount such as 12 or 12.50.'],
  ['1.2.3', 'Type an amount such as 12 or 12.50.'],
  ['1e2', 'Type an amount such as 12 or 12.50.'],
  ['12 apples', 'Type an amount such as 12 or 12.50.'],
  ['€12', 'Prices are in USD here.'],
  ['12 GBP', 'Prices are in USD here.'],
  ['0', 'Choose a price from $3.00 to $500.00 a month.'],
  ['2.99', 'Choose a price from $3.00 to $500.00 a month.'],
  ['500.01', 'Choose a price from $3.00 to $500.00 a month.'],
  ['999999999', 'Choose a price from $3.00 to $500.00 a month.'],
])('the price %j is refused in one sentence', (typed, sentence) => {
  expect(read(typed)).toBe(sentence)
})

test('a year costs ten months where no price is named, and from one to twelve where one is', () => {
  expect(usualYear(1250)).toBe(12_500)
  expect(read('12.50', '')).toEqual({ monthlyCents: 1250, yearlyCents: 12_500 })
  expect(read('12.50', '12.50')).toEqual({ monthlyCents: 1250, yearlyCents: 1250 })
  expect(read('12.50', '150')).toEqual({ monthlyCents: 1250, yearlyCents: 15_000 })
  expect(read('12.50', '150.01')).toBe('Choose a price from $12.50 to $150.00 a year.')
  expect(read('12.50', '12.49')).toBe('Choose a price from $12.50 to $150.00 a year.')
  expect(read('12.50', 'much')).toBe('Type an amount such as 12 or 12.50.')
})

test('currencies without a smaller unit, and with a thousandth, are read as they are written', () => {
  expect(read('1200', null, 'jpy')).toEqual({ monthlyCents: 1200, yearlyCents: null })
  expect(read('¥1200', null, 'jpy')).toEqual({ monthlyCents: 1200, yearlyCents: null })
  expect(read('1200.5', null, 'jpy')).toBe('Type an amount such as 12 or 12.50.')
  expect(read('4.505', null, 'kwd')).toEqual({ monthlyCents: 4505, yearlyCents: null })
  expect(read('$12', null, 'eur')).toBe('Prices are in EUR here.')
})
