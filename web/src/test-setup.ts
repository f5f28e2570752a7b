import { configure } from '@testing-library/react'
import { afterAll, vi } from 'vitest'

// A limit for what never comes, not a measure of speed: a slow machine passes too.
configure({ asyncUtilTimeout: 120_000 })

// Runs for each file. All share one page, so each leaves it as it was found.
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
  document.head.replaceChildren()
  document.body.replaceChildren()
})
