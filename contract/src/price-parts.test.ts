import { expect, test } from 'vitest'
import { ofMonth, priceTexts, savedByYear, tradersPart } from './price-parts.ts'

test.each([
  [1250, 10, 1125],
  [12_500, 10, 11_250],
  [1000, 12.5, 875],
  [1005, 10, 904],
  [1004, 10, 904],
  [333, 7.25, 309],
  [50_000, 0, 50_000],
  [300, 0.29, 299],
])('of %i cents less a fee of %d percent a trader gets %i', (cents, feePercent, part) => {
  expect(tradersPart(cents, feePercent)).toBe(part)
})

test.each([
  [1250, 12_500, { cents: 2500, percent: 16 }],
  [1000, 9000, { cents: 3000, percent: 25 }],
  [1000, 1000, { cents: 11_000, percent: 91 }],
  [1000, 11_880, { cents: 120, percent: 1 }],
  [1000, 11_881, null],
  [1000, 12_000, null],
  [1000, null, null],
])('beside %i cents a month a year of %s saves %j', (monthlyCents, yearlyCents, saved) => {
  expect(savedByYear({ monthlyCents, yearlyCents })).toEqual(saved)
})

test.each([
  [1250, 'month', 1250],
  [12_500, 'year', 1042],
  [10_000, 'year', 833],
  [6, 'year', 1],
  [5, 'year', 0],
  [-6, 'year', -1],
  [0, 'year', 0],
] as const)('%i cents a %3$s count as %i for a month', (cents, interval, counted) => {
  expect(ofMonth(cents, interval)).toBe(counted)
})

test('prices are read with their intervals, and nothing is said where none is known', () => {
  expect(priceTexts({ priceCents: 1250, currency: 'usd' })).toEqual(['$12.50 a month'])
  expect(priceTexts({ priceCents: 1250, yearlyCents: 12_500, currency: 'usd' })).toEqual([
    '$12.50 a month',
    '$125 a year',
  ])
  expect(priceTexts({ priceCents: 490, yearlyCents: null, currency: 'eur' })).toEqual(['€4.90 a month'])
  expect(priceTexts({})).toEqual([])
})
