import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { atHere, noteServerTime, serverNow } from './server-time.ts'
import { useNow } from './use-now.ts'

const NOW = Date.parse('2026-11-18T15:00:00.000Z')
const HOUR_MS = 3_600_000

beforeEach(() => vi.useFakeTimers({ now: NOW }))
afterEach(() => {
  noteServerTime(new Date().toISOString(), Date.now())
  vi.useRealTimers()
})

const ahead = () => serverNow().getTime() - Date.now()

test.each([
  ['12 hours fast', 12 * HOUR_MS],
  ['12 hours slow', -12 * HOUR_MS],
  ['400 days behind', -400 * 24 * HOUR_MS],
])('a device whose clock is %s goes by the server’s after one answer', (_, wrongBy) => {
  vi.setSystemTime(NOW + wrongBy)
  noteServerTime(new Date(NOW).toUTCString(), Date.now())
  expect(serverNow().getTime() - NOW).toBeGreaterThanOrEqual(0)
  expect(serverNow().getTime() - NOW).toBeLessThanOrEqual(1000)
  expect(Math.abs(atHere(new Date(NOW).toISOString()) - Date.now())).toBeLessThanOrEqual(1000)
})

test('clocks that differ by seconds count as one, and one that is right again is gone by', () => {
  noteServerTime(new Date(NOW + 9000).toUTCString(), NOW)
  expect(ahead()).toBe(0)
  noteServerTime(new Date(NOW + 30_000).toUTCString(), NOW)
  expect(ahead()).toBe(30_500)
  noteServerTime(new Date(NOW + 2000).toUTCString(), NOW)
  expect(ahead()).toBe(0)
})

test('an answer that was long on its way, or waited while the machine slept, corrects nothing', () => {
  const asked = Date.now()
  vi.setSystemTime(NOW + 8 * HOUR_MS)
  noteServerTime(new Date(NOW).toUTCString(), asked)
  expect(ahead()).toBe(0)
})

test('a clock that was put back since the question is found out by the answer', () => {
  const asked = Date.now()
  vi.setSystemTime(NOW - 8 * HOUR_MS)
  noteServerTime(new Date(NOW).toUTCString(), asked)
  expect(ahead()).toBe(8 * HOUR_MS + 500)
})

test('a text that is no time changes nothing', () => {
  for (const text of [null, '', 'soon']) noteServerTime(text, 0)
  expect(ahead()).toBe(0)
})

const nextHour = (now: Date) => new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS)

test('a page that is looked at after a sleep has the present time within half a minute, though its timers stood still', () => {
  const { result } = renderHook(() => useNow(nextHour))
  // The machine sleeps: time passes and no timer runs.
  vi.setSystemTime(NOW + 5 * HOUR_MS)
  act(() => vi.advanceTimersByTime(30_000))
  expect(result.current.getTime()).toBe(NOW + 5 * HOUR_MS + 30_000)
})

test('a correction is shown at once, and so is a look at the page', () => {
  const { result } = renderHook(() => useNow(nextHour))
  act(() => noteServerTime(new Date(NOW + 12 * HOUR_MS).toUTCString(), Date.now()))
  expect(result.current.getTime()).toBe(NOW + 12 * HOUR_MS + 500)
  for (const look of ['focus', 'pageshow']) {
    vi.setSystemTime(Date.now() + 1000)
    act(() => void window.dispatchEvent(new Event(look)))
    expect(result.current.getTime(), look).toBe(serverNow().getTime())
  }
})
