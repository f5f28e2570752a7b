import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { tradeEndpoints } from '@tradepost/contract/trade-endpoints'
import { type WebRoute, webRoutes } from '@tradepost/contract/web-routes'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { call } from '../lib/api.ts'
import { authClient } from '../lib/auth-client.ts'
import { hasLeft } from '../lib/end-session.ts'
import { jsonAnswer, storeSession } from '../lib/test-session.ts'
import { Providers } from './providers.tsx'
import { Router } from './router.tsx'

const routes: readonly WebRoute[] = Object.values(webRoutes)
beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined)
  hasLeft()
})
afterEach(() => {
  cleanup()
  localStorage.clear()
  history.replaceState(null, '', '/')
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('a person who signs in after a late refusal of the session before is led to /', async () => {
  const late = Promise.withResolvers<Response>()
  const user = { id: 'u1', email: 'maria@example.com', factors: [] }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    const path = String(url)
    if (path.endsWith('/preview')) return late.promise
    if (path.includes('/verify'))
      return jsonAnswer(200, {
        access_token: 'h.p.s',
        refresh_token: 'r',
        token_type: 'bearer',
        expires_in: 3600,
        user,
      })
    return jsonAnswer(503, {})
  })
  storeSession()
  history.replaceState(null, '', '/trade')
  render(
    <Providers>
      <Router routes={routes} />
    </Providers>,
  )
  await screen.findByRole('navigation', { name: 'Main' })
  // A price is being checked, and in another tab the person signs out.
  const checking = call(tradeEndpoints.preview, { symbol: 'AAPL' }).catch(() => undefined)
  await vi.waitFor(() =>
    expect(vi.mocked(fetch).mock.calls.some(([url]) => String(url).endsWith('/preview'))).toBe(true),
  )
  await act(async () => {
    localStorage.clear()
    await authClient.signOut({ scope: 'local' })
  })
  await waitFor(() => expect(location.pathname).toBe('/login'))
  // The server refuses the check: the session is over.
  await act(async () => {
    late.resolve(jsonAnswer(401, {}))
    await checking
  })
  await act(async () => {
    await authClient.verifyOtp({ email: 'maria@example.com', token: '123456', type: 'email' })
  })
  await screen.findByRole('navigation', { name: 'Main' })
  await waitFor(() => expect(location.pathname).toBe('/'), { timeout: 3000 })
  await screen.findByRole('heading', { name: 'Positions' }, { timeout: 3000 })
})
