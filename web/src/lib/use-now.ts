import { useEffect, useState } from 'react'
import { onTimeCorrected, serverNow } from './server-time.ts'

/** Timers stand still while a machine sleeps, and go on where they were: none is waited for longer than this. */
const LOOK_MS = 30_000
/**
 * The present instant of the server's clock, renewed when something time-bound changes, when somebody comes back to the page, and when the
 * clock of the device has turned out to be wrong.
 * @param nextChange the first instant after the given one that matters, or null when none does; a stable function
 */
export function useNow(nextChange: (now: Date) => Date | null): Date {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const change = nextChange(now)
    let timer: ReturnType<typeof setTimeout> | undefined
    function look(): void {
      setNow(serverNow())
    }
    function wait(): void {
      if (change === null) return
      const left = change.getTime() - serverNow().getTime()
      if (left <= 0) look()
      else timer = setTimeout(wait, Math.min(left, LOOK_MS))
    }
    wait()
    const silence = onTimeCorrected(look)
    const ending = new AbortController()
    document.addEventListener('visibilitychange', look, ending)
    for (const event of ['focus', 'pageshow']) window.addEventListener(event, look, ending)
    return () => {
      clearTimeout(timer)
      silence()
      ending.abort()
    }
  }, [now, nextChange])
  return now
}
