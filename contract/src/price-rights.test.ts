import { expect, test } from 'vitest'
import { marketPrice, notedPricesUntil, type PriceRights, showPrice, wholePercent } from './price-rights.ts'

const NOW = new Date('2026-03-04T15:30:00.000Z')

/** The shown part of a price of 112.34 that was known at an instant, for a position that was opened at 100. */
function shown(rights: PriceRights, foundAt: string) {
  const found = { price: marketPrice('112.34'), foundAt: new Date(foundAt) }
  const { gainOver, price, rights: said } = showPrice(rights, found, NOW)
  return [price, gainOver('100'), said]
}

test.each<[PriceRights, string, unknown[]]>([
  ['live', '2026-03-04T15:30:00.000Z', ['112.34', '12.34', undefined]],
  ['live', '2026-03-04T15:30:01.000Z', ['112.34', '12.34', undefined]],
  ['delayed', '2026-03-04T15:30:00.000Z', [null, null, 'delayed']],
  ['delayed', '2026-03-04T15:15:00.001Z', [null, null, 'delayed']],
  ['delayed', '2026-03-04T15:15:00.000Z', ['112.34', '12.34', 'delayed']],
  ['percent', '2026-03-04T15:30:00.000Z', [null, '12', 'percent']],
])('with %s prices one of %s is shown as %j', (rights, foundAt, expected) => {
  expect(shown(rights, foundAt)).toEqual(expected)
})

test.each<PriceRights>(['live', 'delayed', 'percent'])(
  'without a price nothing is shown of it: %s',
  (rights) => {
    const { gainOver, price } = showPrice(rights, null, NOW)
    expect([price, gainOver('100')]).toEqual([null, null])
  },
)

test.each<[PriceRights, string | undefined]>([
  ['live', undefined],
  ['delayed', '2026-03-04T15:15:00.000Z'],
  ['percent', '2026-03-04T15:15:00.000Z'],
])('with %s prices those that were noted for somebody are told up to %s', (rights, until) => {
  expect(notedPricesUntil(rights, NOW)?.toISOString()).toBe(until)
})

test.each([
  ['12.34', '12'],
  ['12.5', '13'],
  ['-12.5', '-13'],
  ['0.49', '0'],
  ['-0.49', '0'],
])('a gain of %s is %s in whole percent', (gain, whole) => {
  expect(wholePercent(gain)).toBe(whole)
})
