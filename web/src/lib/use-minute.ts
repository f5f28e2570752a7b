import { useNow } from './use-now.ts'

const MINUTE_MS = 60_000

/** The present instant, renewed with every minute of the clock: for texts in relative time. */
export function useMinute(): Date {
  return useNow(nextMinute)
}

function nextMinute(now: Date): Date {
  return new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS)
}
