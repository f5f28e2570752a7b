import { useEffect, useEffectEvent } from 'react'
import { useMarkRead } from './activity.api.ts'

/**
 * Marks as read what is shown, once somebody can see it: a page in a tab behind others has been read by nobody.
 * @param seen as the page was answered with; null when nothing is unread
 */
export function useSeen(seen: string | null): void {
  const { mutate } = useMarkRead()
  const mark = useEffectEvent((shown: string) => mutate(shown))
  useEffect(() => {
    if (seen === null) return
    function look(): void {
      if (document.visibilityState !== 'visible' || seen === null) return
      document.removeEventListener('visibilitychange', look)
      mark(seen)
    }
    document.addEventListener('visibilitychange', look)
    look()
    return () => document.removeEventListener('visibilitychange', look)
  }, [seen])
}
