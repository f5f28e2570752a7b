import { BRAND } from '@tradepost/contract/brand'
import { useLayoutEffect, useRef } from 'react'
import { useLocation } from '../lib/router.tsx'

/**
 * The effect of every change of path: the window scrolls to the top (docs/specification.md section 2), and the focus goes to the
 * content, so that a keyboard or screen reader starts there. For a component that outlives the screens.
 */
export function useArrival(): void {
  const { pathname, hash } = useLocation()
  const before = useRef(pathname)
  useLayoutEffect(() => {
    // Back and Forward change the path too; the browser would return to where the window stood.
    history.scrollRestoration = 'manual'
  }, [])
  useLayoutEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    scrollTo({ top: 0, behavior: 'instant' })
    if (hash === '') document.querySelector('main')?.focus({ preventScroll: true })
  }, [pathname, hash])
}

/** The title of the browser's tab: the screen's title before the brand, or the brand alone. */
export function useTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = title === '' ? BRAND : `${title} · ${BRAND}`
  }, [title])
}
