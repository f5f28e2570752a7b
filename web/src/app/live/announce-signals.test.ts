import { act, renderHook } from '@testing-library/react'
import { useToasterStore } from 'react-hot-toast/headless'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makePosition } from '../../features/positions/make-position.ts'
import { toast } from '../../ui/toast.ts'
import { makeAnnouncer } from './start-live.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // Files of one process share what is shown.
  toast.remove()
})
afterEach(() => {
  toast.remove()
  vi.useRealTimers()
  history.replaceState(null, '', '/')
})

test('a signal is shown for three seconds on the main screens, elsewhere for the library’s own four', () => {
  const { result } = renderHook(() => useToasterStore())
  for (const [path, duration] of [
    ['/', 3000],
    ['/leaderboard', 3000],
    ['/search', 3000],
    ['/trade', 3000],
    ['/trader/maria', 3000],
    ['/account', 4000],
    ['/activity', 4000],
    ['/trader/maria/subscribe', 4000],
  ] as const) {
    history.replaceState(null, '', path)
    makeAnnouncer().announce({ type: 'opened', at: '2026-11-18T15:00:00.000Z', position: makePosition() })
    act(() => vi.advanceTimersByTime(300))
    expect(
      result.current.toasts.map((shown) => shown.duration),
      path,
    ).toEqual([duration])
    act(() => toast.remove())
  }
})
