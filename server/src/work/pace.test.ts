import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makePace } from './pace.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Asks every second, as a worker does. @returns after how many seconds there was a look */
function looksWithin(seconds: number, ask: () => boolean): number[] {
  return Array.from({ length: seconds }, (_, nth) => nth + 1).filter(() => {
    vi.advanceTimersByTime(1000)
    return ask()
  })
}

test('a look comes every five seconds while nothing happens, and two seconds after the last one where something does', () => {
  let offset = 0
  const pace = makePace({ now: () => new Date(Date.now() + offset) })
  expect(looksWithin(12, pace.isTime)).toEqual([2, 7, 12])
  pace.quicken()
  expect(looksWithin(8, pace.isTime)).toEqual([2, 7])
  // Less than half a second is what a clock that is kept right may move.
  offset += 400
  expect(looksWithin(3, pace.isTime)).toEqual([])
})

test('where the clock has been set, forwards or back, a look comes at once', () => {
  let offset = 0
  const pace = makePace({ now: () => new Date(Date.now() + offset) })
  expect(looksWithin(3, pace.isTime)).toEqual([2])
  for (const jump of [3_600_000, -3_600_000]) {
    offset += jump
    expect(looksWithin(2, pace.isTime)).toEqual([1])
  }
})
