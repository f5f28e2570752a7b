import { beforeEach, expect, test } from 'vitest'
import { forgetWanted, keepWanted, wantedPath } from './wanted-item.ts'

const NOW = Date.parse('2026-11-25T10:00:00Z')
const HOUR = 60 * 60_000
const keep = (search: string, pathname = '/activity') => keepWanted({ pathname, search }, NOW)

beforeEach(forgetWanted)

test('an item that was wanted is kept for an hour, and until it is shown', () => {
  expect(wantedPath(NOW)).toBeNull()
  keep('?item=maria.42')
  expect(wantedPath(NOW + HOUR - 1)).toBe('/activity?item=maria.42')
  expect(wantedPath(NOW + HOUR)).toBeNull()
  // The clock was put back since.
  expect(wantedPath(NOW - 1)).toBeNull()
  forgetWanted()
  expect(wantedPath(NOW)).toBeNull()
})

test('nothing but the name of an item is kept or followed', () => {
  keep('?item=maria.42', '/leaderboard')
  for (const item of ['https://elsewhere.example', '//elsewhere.example', 'maria.42/../x', 'maria', ''])
    keep(`?item=${encodeURIComponent(item)}`)
  keep('')
  expect(wantedPath(NOW)).toBeNull()
  for (const text of [`${NOW} //elsewhere.example/`, 'maria.42', `${NOW}`, 'never maria.42', '']) {
    localStorage.setItem('tradepost-wanted-item', text)
    expect([text, wantedPath(NOW)]).toEqual([text, null])
  }
})
