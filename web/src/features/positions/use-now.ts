import { useEffect, useState } from 'react'

/** The longest wait a browser's timer can hold; a longer one would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * The present instant, renewed when something time-bound changes: one timer to the next change instead of polling,
 * and a look at the clock when the tab is shown again, since timers stand still while a machine sleeps.
 * @param nextChange the first instant after the given one that matters, or null when none does; a stable function
 */
export function useNow(nextChange: (now: Date) => Date | null): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    function look(): void {
      setNow(new Date())
    }
    const change = nextChange(now)
    const wait = change === null ? null : Math.min(Math.max(change.getTime() - Date.now(), 0), TIMER_MAX_MS)
    const timer = wait === null ? undefined : setTimeout(look, wait)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [now, nextChange])
  return now
}
