import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { type WebRoute, webRoutes } from '@tradepost/contract/web-routes'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { jsonAnswer, storeSession } from '../lib/test-session.ts'
import { keepWanted, readWanted } from '../lib/wanted.ts'
import { Providers } from './providers.tsx'
import { Router } from './router.tsx'

const routes: readonly WebRoute[] = Object.values(webRoutes)
const ADDED: WebRoute = { path: '/added/:username/page', signedIn: { screen: 'search', title: 'Added' } }

beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => jsonAnswer(503, { message: 'Away' }))
})
afterEach(() => {
  cleanup()
  localStorage.clear()
  history.replaceState(null, '', '/')
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function open(path: string, table: readonly WebRoute[]): void {
  history.replaceState(null, '', path)
  render(
    <Providers>
      <Router routes={table} />
    </Providers>,
  )
}

test('a route that is added to the table alone shows its screen to somebody signed in', async () => {
  storeSession()
  open('/added/maria/page', routes)
  await screen.findByRole('heading', { name: 'There is nothing here' })
  expect(document.title).toBe('Not found · Tradepost')
  cleanup()
  open('/added/maria/page', [...routes, ADDED])
  await screen.findByRole('heading', { name: 'Search' })
  expect(document.title).toBe('Added · Tradepost')
})

test('such a route leads a visitor to /login, replacing history', async () => {
  const entries = history.length
  open('/added/maria/page', [...routes, ADDED])
  await waitFor(() => expect(location.pathname).toBe('/login'))
  await screen.findByRole('heading', { name: 'Log in or sign up' })
  expect(history.length).toBe(entries)
})

test('a page that somebody came for before they signed in is wanted no more once they are there', async () => {
  keepWanted('/added/maria/page', Date.now())
  storeSession()
  open('/leaderboard', routes)
  await screen.findByRole('heading', { name: 'Leaderboard' })
  expect(readWanted(Date.now())).toBe('/added/maria/page')
  cleanup()
  open('/added/maria/page', [...routes, ADDED])
  await screen.findByRole('heading', { name: 'Search' })
  await waitFor(() => expect(readWanted(Date.now())).toBeNull())
})

test('somebody signed in is led from a visitor’s route to /', async () => {
  storeSession()
  open('/login', routes)
  await waitFor(() => expect(location.pathname).toBe('/'))
  await screen.findByRole('heading', { name: 'Positions' })
})
