import { expect, test } from 'vitest'
import { makePosition } from './make-position.ts'
import { sortPositions } from './sort-positions.ts'

const now = new Date('2026-11-18T15:00:00.000Z')
const HOUR_MS = 3_600_000

function opened(id: string, hoursFromNow: number) {
  return makePosition({ id, openedAt: new Date(now.getTime() + hoursFromNow * HOUR_MS).toISOString() })
}

function ids(hours: Record<string, number>): string[] {
  const positions = Object.entries(hours).map(([id, hour]) => opened(id, hour))
  return sortPositions(positions, now).map(({ id }) => id)
}

test('the smallest distance to now comes first, past or future', () => {
  expect(ids({ 'three-days-ago': -72, 'a-day-ago': -24, 'in-an-hour': 1 })).toEqual([
    'in-an-hour',
    'a-day-ago',
    'three-days-ago',
  ])
})

test('equal distances go by id, newest first, whatever side of now they are on', () => {
  expect(ids({ a: -2, c: -2, b: 2 })).toEqual(['c', 'b', 'a'])
})

test('instants decide, not how they are written', () => {
  const later = makePosition({ id: 'later', openedAt: '2026-11-18T23:30:00.000+09:00' })
  const earlier = makePosition({ id: 'earlier', openedAt: '2026-11-18T14:00:00.000Z' })
  expect(sortPositions([earlier, later], now).map(({ id }) => id)).toEqual(['later', 'earlier'])
})

test('sorting leaves the given list alone', () => {
  const list = [opened('old', -5), opened('new', -1)]
  sortPositions(list, now)
  expect(list.map(({ id }) => id)).toEqual(['old', 'new'])
})
