import { isMarketOpen } from '@tradepost/contract/market-hours'
import { isLaterDay } from '@tradepost/contract/trading-day'
import { checkUsername } from '@tradepost/contract/username'
import { expect, test } from 'vitest'
import { makeWorld } from './world.ts'

const now = new Date('2026-11-21T09:00:00.000Z')
/** Each symbol swings around 100 dollars with a period of its own. */
const market = {
  isReal: true,
  priceAt: (symbol: string, day: Date) =>
    Number((100 + 20 * Math.sin(day.getTime() / 86_400_000 / symbol.charCodeAt(0))).toFixed(2)),
}
const size = { traders: 60, subscribers: 200, seed: 7 }

test('the same number gives the same world, another number another', () => {
  expect(makeWorld(size, now, market)).toEqual(makeWorld(size, now, market))
  expect(makeWorld({ ...size, seed: 8 }, now, market)).not.toEqual(makeWorld(size, now, market))
})

test('every seeded position keeps the rules of a published one', () => {
  const { traders } = makeWorld(size, now, market)
  for (const { positions } of traders) {
    const open = positions.filter((position) => !position.close).map((position) => position.symbol)
    expect(new Set(open).size).toBe(open.length)
    for (const { close, openedAt, openPrice, symbol } of positions) {
      expect(isMarketOpen(openedAt, null)).toBe(true)
      expect(openedAt < now).toBe(true)
      if (close) expect(isLaterDay(close.at, openedAt, null)).toBe(true)
      expect(openPrice).toBe(market.priceAt(symbol, openedAt))
      if (close) expect(close.price).toBe(market.priceAt(symbol, close.at))
    }
  }
})

test('seeded names are names that people could have taken, each once', () => {
  const { traders, subscribers } = makeWorld({ ...size, traders: 250 }, now, market)
  const names = traders.map((trader) => trader.username)
  expect(names.filter((name) => checkUsername(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(subscribers.map((subscriber) => subscriber.email)).size).toBe(subscribers.length)
})

test('fan follows the three best traders of those with five closed positions, best first', () => {
  const { traders, subscribers } = makeWorld(size, now, market)
  const means = traders.map(({ positions }) => {
    const gains = positions.flatMap(({ close, openPrice }) => (close ? [close.price / openPrice - 1] : []))
    return gains.length < 5 ? -1 : gains.reduce((sum, gain) => sum + gain, 0) / gains.length
  })
  const best = means.toSorted((a, b) => b - a).slice(0, 3)
  expect(subscribers[0]).toMatchObject({ username: 'fan', email: 'fan@people.example' })
  expect(subscribers[0]?.follows.map((index) => means[index])).toEqual(best)
})

test('nobody follows a trader twice', () => {
  const { subscribers } = makeWorld(size, now, market)
  for (const { follows } of subscribers) expect(new Set(follows).size).toBe(follows.length)
})

/** The size that `npm run seed` makes without options. */
const DEFAULT_SIZE = { traders: 12, subscribers: 60, seed: 1 }

test.each(['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'])(
  'the steps of the README can be done on %s: ORCL is free, and the first trader has something to close',
  (day) => {
    const today = new Date(`${day}T00:00:00.000Z`)
    const maria = makeWorld(DEFAULT_SIZE, today, market).traders[0]
    expect(maria?.username).toBe('maria')
    const open = maria?.positions.filter((position) => !position.close) ?? []
    expect(open.filter(({ openedAt }) => isLaterDay(today, openedAt, null))).not.toEqual([])
    expect(open.map(({ symbol }) => symbol)).not.toContain('ORCL')
  },
)
