import { beforeEach, expect, test } from 'vitest'
import {
  forgetWanted,
  keepWanted,
  keepWantedItem,
  noteArrival,
  readWanted,
  readWantedItem,
} from './wanted.ts'

const NOW = Date.parse('2026-11-25T10:00:00Z')
const HOUR = 60 * 60_000

beforeEach(forgetWanted)

test('an item that was wanted is kept for an hour, and until it is shown', () => {
  expect(readWantedItem(NOW)).toBeNull()
  keepWantedItem('maria.42', NOW)
  expect(readWantedItem(NOW + HOUR - 1)).toBe('maria.42')
  expect(readWantedItem(NOW + HOUR)).toBeNull()
  // The clock was put back since.
  expect(readWantedItem(NOW - 1)).toBeNull()
  forgetWanted()
  expect(readWantedItem(NOW)).toBeNull()
})

test('a page that was wanted is kept for an hour, and is no item', () => {
  keepWanted('/trader/maria', NOW)
  expect([readWanted(NOW + HOUR - 1), readWantedItem(NOW)]).toEqual(['/trader/maria', null])
  expect(readWanted(NOW + HOUR)).toBeNull()
})

test('a page that was wanted is forgotten once it is shown, whatever stands behind its path', () => {
  keepWanted('/leaderboard?by=won#top', NOW)
  noteArrival('/', NOW)
  noteArrival('/leaderboards', NOW)
  expect(readWanted(NOW)).toBe('/leaderboard?by=won#top')
  noteArrival('/leaderboard', NOW)
  expect(readWanted(NOW)).toBeNull()
})

test('nothing but the name of an item is kept or read as one', () => {
  for (const item of ['https://elsewhere.example', '//elsewhere.example', 'maria.42/../x', 'maria', ''])
    keepWantedItem(item, NOW)
  expect(readWanted(NOW)).toBeNull()
})

test('no address of another site is kept or read', () => {
  for (const address of [
    'https://elsewhere.example',
    '//elsewhere.example',
    '/\\elsewhere.example',
    'trader/maria',
    '',
    '/',
    `/${'x'.repeat(300)}`,
  ])
    keepWanted(address, NOW)
  expect(readWanted(NOW)).toBeNull()
  for (const text of [`${NOW} //elsewhere.example/`, '/trader/maria', `${NOW}`, 'never /trader/maria', '']) {
    localStorage.setItem('tradepost-wanted', text)
    expect([text, readWanted(NOW)]).toEqual([text, null])
  }
})
