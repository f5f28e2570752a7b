import { useEffect, useState } from 'react'
import { serverNow } from '../../lib/server-time.ts'

const SECOND_MS = 1000

/**
 * Whole seconds until an instant, counted down to 0 and rounded down. Give the caller a `key` of the instant: the first count is
 * taken once.
 * @param until ms of the server's clock
 */
export function useSecondsLeft(until: number): number {
  const [left, setLeft] = useState(() => until - serverNow().getTime())
  useEffect(() => {
    const timer = setInterval(() => {
      const now = until - serverNow().getTime()
      setLeft(now)
      if (now <= 0) clearInterval(timer)
    }, SECOND_MS)
    return () => clearInterval(timer)
  }, [until])
  return Math.max(0, Math.floor(left / SECOND_MS))
}
