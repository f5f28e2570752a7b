import { useEffect, useState } from 'react'

const SECOND_MS = 1000
/** A price is good for minutes; a browser that computes more, or nothing, has a wrong clock. */
const PLAUSIBLE_MS = 10 * 60 * SECOND_MS

/**
 * Whole seconds until an instant, counted down to 0; null when the browser's clock cannot be right, because then the count
 * would be a lie. Rounded down: with a clock that is behind by less than a second it never begins above the true count. Give
 * the caller a `key` of the instant: it is judged once, at the start.
 */
export function useSecondsLeft(until: string): number | null {
  const [start] = useState(() => Date.parse(until) - Date.now())
  const [left, setLeft] = useState(start)
  const plausible = start > 0 && start <= PLAUSIBLE_MS
  useEffect(() => {
    if (!plausible) return
    const timer = setInterval(() => {
      const now = Date.parse(until) - Date.now()
      setLeft(now)
      if (now <= 0) clearInterval(timer)
    }, SECOND_MS)
    return () => clearInterval(timer)
  }, [until, plausible])
  return plausible ? Math.max(0, Math.floor(left / SECOND_MS)) : null
}
