import { beforeEach, expect, test } from 'vitest'
import { forgetWanted, keepWanted, readWanted } from './wanted-item.ts'

const NOW = Date.parse('2026-11-25T10:00:00Z')
const HOUR = 60 * 60_000

beforeEach(forgetWanted)

test('an item that was wanted is kept for an hour, and until it is shown', () => {
  expect(readWanted(NOW)).toBeNull()
  keepWanted('maria.42', NOW)
  expect(readWanted(NOW + HOUR - 1)).toBe('maria.42')
  expect(readWanted(NOW + HOUR)).toBeNull()
  // The clock was put back since.
  expect(readWanted(NOW - 1)).toBeNull()
  forgetWanted()
  expect(readWanted(NOW)).toBeNull()
})

test('nothing but the name of an item is kept or read', () => {
  for (const item of ['https://elsewhere.example', '//elsewhere.example', 'maria.42/../x', 'maria', ''])
    keepWanted(item, NOW)
  expect(readWanted(NOW)).toBeNull()
  for (const text of [`${NOW} //elsewhere.example/`, 'maria.42', `${NOW}`, 'never maria.42', '']) {
    localStorage.setItem('tradepost-wanted-item', text)
    expect([text, readWanted(NOW)]).toEqual([text, null])
  }
})
