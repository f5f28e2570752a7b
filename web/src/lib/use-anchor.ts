import { useEffect } from 'react'
import { useLocation } from './router.tsx'

/** The events with which a person begins to move or type: from then on the page stays where they put it. */
const TAKES_OVER = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Leads eye and focus to the part of the screen that the address names by its id (`/account#payments`): the browser looked
 * for it before the screen was there. Content that loads above it later does not push it out of sight again.
 * @param ready whether the screen's parts are there
 */
export function useAnchor(ready: boolean): void {
  const { hash } = useLocation()
  useEffect(() => {
    const part = ready && hash !== '' ? document.getElementById(hash.slice(1)) : null
    if (part === null) return
    part.tabIndex = -1
    part.focus({ preventScroll: true })
    // It reports once at the beginning, too.
    const heights = new ResizeObserver(() => part.scrollIntoView({ behavior: 'instant' }))
    heights.observe(document.body)
    const stop = () => heights.disconnect()
    for (const type of TAKES_OVER) addEventListener(type, stop, { once: true, passive: true })
    return () => {
      stop()
      for (const type of TAKES_OVER) removeEventListener(type, stop)
    }
  }, [ready, hash])
}
