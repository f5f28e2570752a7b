import { useEffect } from 'react'
import { useLocation } from './router.tsx'

/**
 * Leads eye and focus to the part of the screen that the address names by its id (`/account#payments`): the browser looked
 * for it before the screen was there.
 * @param ready whether the screen's parts are there
 */
export function useAnchor(ready: boolean): void {
  const { hash } = useLocation()
  useEffect(() => {
    const part = ready && hash !== '' ? document.getElementById(hash.slice(1)) : null
    if (part === null) return
    part.tabIndex = -1
    part.scrollIntoView({ behavior: 'instant' })
    part.focus({ preventScroll: true })
  }, [ready, hash])
}
