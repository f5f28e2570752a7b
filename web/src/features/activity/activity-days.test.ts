import type { ActivityItem } from '@tradepost/contract/activity'
import { expect, test } from 'vitest'
import { byDay } from './activity-days.ts'

/** By the clock of the viewer. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 30)
const item = (id: string, instant: Date) => ({ id, at: instant.toISOString() }) as ActivityItem

test('items stand by the reader’s own days, newest first', () => {
  const items = [
    item('a', at(25, 0)),
    item('b', at(24, 23)),
    item('c', at(24, 1)),
    item('d', at(3, 12)),
    item('e', at(3, 11)),
  ]
  const days = byDay(items, at(25, 9))
  expect(days.map(({ key, items: ofDay }) => [key, ofDay.map(({ id }) => id).join('')])).toEqual([
    ['2026-11-25', 'a'],
    ['2026-11-24', 'bc'],
    ['2026-11-03', 'de'],
  ])
  expect(days.map(({ label }) => label)).toEqual(['Today', 'Yesterday', 'Nov 3, 2026'])
  expect(byDay([], at(25, 9))).toEqual([])
})
