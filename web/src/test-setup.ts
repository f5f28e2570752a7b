import { configure } from '@testing-library/react'
import { afterAll, vi } from 'vitest'
import { discardDrafts } from './lib/drafts.ts'

// A limit for what never comes, not a measure of speed: a slow machine passes too.
configure({ asyncUtilTimeout: 120_000 })

// Runs for each file. All share one page, so each leaves it as it was found.
afterAll(() => {
  // Drafts of the person whom the file had signed in: the next file's drafts would be stored for them.
  discardDrafts()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
  document.head.replaceChildren()
  document.body.replaceChildren()
})
