import { isMarketOpen } from '@tradepost/contract/market-hours'
import { isLaterDay } from '@tradepost/contract/trading-day'
import { checkUsername } from '@tradepost/contract/username'
import { expect, test } from 'vitest'
import { makeWorld } from './world.ts'

const now = new Date('2026-11-21T09:00:00.000Z')
const size = { traders: 60, subscribers: 200, seed: 7 }

test('the same number gives the same world, another number another', () => {
  expect(makeWorld(size, now)).toEqual(makeWorld(size, now))
  expect(makeWorld({ ...size, seed: 8 }, now)).not.toEqual(makeWorld(size, now))
})

test('every seeded position keeps the rules of a published one', () => {
  const { traders } = makeWorld(size, now)
  for (const { positions } of traders) {
    const open = positions.filter((position) => !position.close).map((position) => position.symbol)
    expect(new Set(open).size).toBe(open.length)
    for (const { openedAt, close } of positions) {
      expect(isMarketOpen(openedAt, null)).toBe(true)
      expect(openedAt < now).toBe(true)
      if (close) expect(isLaterDay(close.at, openedAt, null)).toBe(true)
    }
  }
})

test('seeded names are names that people could have taken, each once', () => {
  const { traders, subscribers } = makeWorld({ ...size, traders: 250 }, now)
  const names = traders.map((trader) => trader.username)
  expect(names.filter((name) => checkUsername(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(subscribers.map((subscriber) => subscriber.email)).size).toBe(subscribers.length)
})

test('the first follower follows somebody, and nobody follows a trader twice', () => {
  const { subscribers } = makeWorld(size, now)
  expect(subscribers[0]?.follows.length).toBeGreaterThan(0)
  for (const { follows } of subscribers) expect(new Set(follows).size).toBe(follows.length)
})
