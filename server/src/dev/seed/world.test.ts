import { publicAt } from '@tradepost/contract/kept-plan'
import { isMarketOpen } from '@tradepost/contract/market-hours'
import { isLaterDay } from '@tradepost/contract/trading-day'
import { checkUsername } from '@tradepost/contract/username'
import { expect, test } from 'vitest'
import { makeWorld, type SeedPosition } from './world.ts'

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
    for (const one of positions)
      for (const other of positions)
        if (one !== other && one.symbol === other.symbol && one.openedAt <= other.openedAt)
          expect(one.close && one.close.at < other.openedAt).toBe(true)
    for (const { close, openedAt, openPrice, symbol } of positions) {
      expect(isMarketOpen(openedAt, null)).toBe(true)
      expect(openedAt < now).toBe(true)
      if (close) expect(isLaterDay(close.at, openedAt, null)).toBe(true)
      // The market has no price of a share that is halted for good.
      if (close?.unsettled) continue
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

test('fan follows the three best traders of those with ten closed positions, best first', () => {
  const { traders, subscribers } = makeWorld(size, now, market)
  const means = traders.map(({ positions }) => {
    const gains = positions.flatMap(({ close, openPrice }) =>
      close && !close.unsettled ? [close.price / openPrice - 1] : [],
    )
    return gains.length < 10 ? -1 : gains.reduce((sum, gain) => sum + gain, 0) / gains.length
  })
  const best = means.toSorted((a, b) => b - a).slice(0, 3)
  expect(subscribers[0]).toMatchObject({ username: 'fan', email: 'fan@people.example' })
  expect(subscribers[0]?.follows.map(({ trader }) => means[trader])).toEqual(best)
})

test('people came to follow over months, and some have left again after whole months', () => {
  const { subscribers, traders } = makeWorld(DEFAULT_SIZE, now, market)
  const follows = subscribers.flatMap((one) => one.follows)
  expect(new Set(follows.map(({ since }) => since.toISOString().slice(0, 7))).size).toBeGreaterThan(6)
  expect(follows.filter(({ until }) => until).length).toBeGreaterThan(8)
  for (const { joinedAt, follows } of subscribers) {
    expect(follows.some(({ until }) => until === null)).toBe(true)
    for (const { since, trader, until } of follows) {
      expect(since > joinedAt && since > (traders[trader]?.joinedAt ?? now) && since < now).toBe(true)
      // This month's payment is made now: the ones before it were on the same day of theirs.
      if (!until && now.getTime() - since.getTime() > 86_400_000)
        expect(since.getUTCDate()).toBe(now.getUTCDate())
      if (until) expect(until < now && until.getTime() - since.getTime() >= 28 * 86_400_000).toBe(true)
    }
  }
})

test('reasons fit the ticker and the outcome, and nobody gives the same one again soon', () => {
  const { traders } = makeWorld(DEFAULT_SIZE, now, market)
  const notes = traders.flatMap(({ positions }) => positions.map(({ openNotes }) => openNotes))
  expect(new Set(notes).size).toBeGreaterThan(40)
  for (const { positions } of traders) {
    const closed = positions
      .flatMap(({ close, openPrice }) =>
        close && !close.unsettled
          ? [{ at: close.at, note: close.notes, gained: close.price > openPrice }]
          : [],
      )
      .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    const [won, lost] = [true, false].map((gained) =>
      closed.filter((one) => one.gained === gained).map(({ note }) => note),
    )
    expect(won?.filter((note) => lost?.includes(note))).toEqual([])
    for (const list of [positions.map(({ openNotes }) => openNotes), won ?? [], lost ?? []])
      for (const [at, note] of list.entries()) expect(list.slice(at + 1, at + 10)).not.toContain(note)
  }
})

test('one trader is past a plan, and one close waits for a price', () => {
  const { traders } = makeWorld(DEFAULT_SIZE, now, market)
  const late = (position: SeedPosition) => position.close === null && publicAt(position) <= now
  expect(traders.filter(({ positions }) => positions.some(late)).map(({ username }) => username)).toEqual([
    'liam',
  ])
  const waiting = traders.flatMap(({ positions, username }) =>
    positions.filter(({ close }) => close?.unsettled).map(({ symbol }) => `${username} ${symbol}`),
  )
  expect(waiting).toEqual(['jonas EA'])
})

test('nobody follows a trader twice', () => {
  const { subscribers } = makeWorld(size, now, market)
  for (const { follows } of subscribers)
    expect(new Set(follows.map(({ trader }) => trader)).size).toBe(follows.length)
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
