import { expect, test } from 'vitest'
import { isBetterThanMarket } from './price-moved.ts'

test.each([
  // 0.05 % of the price.
  ['open', '100', '100.050025', false],
  ['open', '100', '100.06', true],
  ['close', '100', '99.950025', false],
  ['close', '100', '99.94', true],
  // A cent where that is more.
  ['open', '10', '10.01', false],
  ['open', '10', '10.011', true],
  // Never more than 0.2 %.
  ['open', '2', '2.004', false],
  ['open', '2', '2.005', true],
  ['close', '0.5', '0.499002', false],
  ['close', '0.5', '0.498', true],
  // Worse for the trader than the market.
  ['open', '100', '90', false],
  ['close', '100', '118', false],
  ['open', '100', '100', false],
] as const)(
  'to %s at a held %s with the market at %s is better than the market: %s',
  (use, held, market, better) => {
    expect(isBetterThanMarket(use, held, market)).toBe(better)
  },
)
