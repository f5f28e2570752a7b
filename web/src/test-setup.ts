import { configure } from '@testing-library/react'
import { afterAll, vi } from 'vitest'
import { discardDrafts } from './lib/drafts.ts'

// This limit ends a wait for something that never comes. It is long so that no test fails on a slow machine.
configure({ asyncUtilTimeout: 120_000 })

// All files of a test process share one page (`isolate: false`), so each leaves it as it found it.
afterAll(() => {
  // Otherwise the next file would read and store drafts as the person whom this file signed in.
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
