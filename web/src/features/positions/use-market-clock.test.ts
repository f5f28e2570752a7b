import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useSecondsLeft } from './price-field.tsx'
import { useLaterDay, useMarketOpen } from './use-market-clock.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function pass(milliseconds: number): void {
  act(() => vi.advanceTimersByTime(milliseconds))
}

test('the market opens before one’s eyes, to the millisecond, with one timer', () => {
  vi.setSystemTime('2026-11-16T14:29:59.000Z')
  const { result } = renderHook(() => useMarketOpen(null))
  expect(result.current).toBe(false)
  expect(vi.getTimerCount()).toBe(1)
  pass(999)
  expect(result.current).toBe(false)
  pass(1)
  expect(result.current).toBe(true)
  expect(vi.getTimerCount()).toBe(1)
})

test('the market closes at 21:00', () => {
  vi.setSystemTime('2026-11-20T20:59:59.999Z')
  const { result } = renderHook(() => useMarketOpen(null))
  expect(result.current).toBe(true)
  pass(1)
  expect(result.current).toBe(false)
})

test('the override opens the market on a Sunday', () => {
  vi.setSystemTime('2026-11-22T03:00:00.000Z')
  const { result } = renderHook(() => useMarketOpen('open'))
  expect(result.current).toBe(true)
})

test('a machine that slept through the opening looks again when the tab is shown', () => {
  vi.setSystemTime('2026-11-16T14:00:00.000Z')
  const { result } = renderHook(() => useMarketOpen(null))
  vi.setSystemTime('2026-11-16T15:00:00.000Z')
  expect(result.current).toBe(false)
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(result.current).toBe(true)
})

test('a position opened today may be closed from the next UTC day on', () => {
  vi.setSystemTime('2026-11-18T23:59:59.999Z')
  const { result } = renderHook(() => useLaterDay('2026-11-18T15:00:00.000Z', null))
  expect(result.current).toBe(false)
  pass(1)
  expect(result.current).toBe(true)
})

test('the seconds of a price count down to nothing and stop', () => {
  vi.setSystemTime('2026-11-18T15:00:00.000Z')
  const { result } = renderHook(() => useSecondsLeft(Date.parse('2026-11-18T15:00:02.900Z')))
  expect(result.current).toBe(2)
  pass(1000)
  expect(result.current).toBe(1)
  pass(5000)
  expect(result.current).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})
