import { expect, test } from 'vitest'
import { gainSoFar, summariseOpen } from './live-value.ts'
import type { Mark } from './marks.ts'

function marksOf(prices: Record<string, string | null>, state: Mark['state'] = 'current') {
  return new Map(
    Object.entries(prices).map(([symbol, price]) => [
      symbol,
      { symbol, price, at: price && '2026-11-18T15:00:00.000Z', state },
    ]),
  )
}

test.each([
  [100, '112.345', '12.345'],
  [187.52, '187.52', '0'],
  [0.1, '0.3', '200'],
  [3, '4', '33.333333333333'],
  [100, null, null],
])('a position opened at %s has at %s gained %s', (openPrice, price, gain) => {
  expect(gainSoFar(openPrice, price)).toBe(gain)
})

test('open positions are counted with the exact mean of their gains, the best and the worst', () => {
  const held = [
    { id: 'up', stock: 'UP', openPrice: 100 },
    { id: 'third', stock: 'THIRD', openPrice: 3 },
    { id: 'down', stock: 'DOWN', openPrice: 50 },
  ]
  expect(summariseOpen(held, marksOf({ UP: '110', THIRD: '4', DOWN: '49.5' }))).toEqual({
    open: 3,
    priced: 3,
    // (10 + 33.333333333333 - 1) / 3
    mean: '14.111111111111',
    best: { stock: 'THIRD', gain: '33.333333333333' },
    worst: { stock: 'DOWN', gain: '-1' },
  })
})

test('gains that come whole are counted as they come', () => {
  const held = [
    { id: 'a', stock: 'UP', openPrice: 100 },
    { id: 'b', stock: 'UP', openPrice: 110 },
  ]
  const mark: Mark = {
    symbol: 'UP',
    price: null,
    at: '2026-11-18T15:00:00.000Z',
    state: 'current',
    rights: 'percent',
    gains: { a: 12, b: 2 },
  }
  expect(summariseOpen(held, new Map([['UP', mark]]))).toEqual({
    open: 2,
    priced: 2,
    mean: '7',
    best: { stock: 'UP', gain: '12' },
    worst: { stock: 'UP', gain: '2' },
  })
})

test('without a price a position is counted and nothing else; a symbol that is gone counts with its last price', () => {
  const held = [
    { id: 'aapl', stock: 'AAPL', openPrice: 100 },
    { id: 'waits', stock: 'WAITS', openPrice: 100 },
  ]
  expect(summariseOpen(held, marksOf({ AAPL: '90', WAITS: null }, 'gone'))).toEqual({
    open: 2,
    priced: 1,
    mean: '-10',
    best: null,
    worst: null,
  })
  const nothing = { open: 2, priced: 0, mean: null, best: null, worst: null }
  expect(summariseOpen(held, new Map())).toEqual(nothing)
  expect(summariseOpen([], new Map())).toEqual({ ...nothing, open: 0 })
})
