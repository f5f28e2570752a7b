import { expect, test } from 'vitest'
import { profitShown } from './close-position-form.tsx'

test.each([
  [100, '112.345', '12.35%'],
  [100, '90', '-10.00%'],
  [100, '100.001', '0.00%'],
  [100, '99.999', '0.00%'],
  [187.52, '201.10', '7.24%'],
])('the profit of a position opened at %d, now at %s, is %s', (openPrice, price, shown) => {
  expect(profitShown(openPrice, price)).toBe(shown)
})

test('without a price there is no profit to show', () => {
  expect(profitShown(100, '')).toBe('')
})
