import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { authClient } from '../../lib/auth-client.ts'
import { queryClient } from '../../lib/query-client.ts'
import { jsonAnswer, storeSession } from '../../lib/test-session.ts'
import { pricesQuery, useSetPrices } from '../payments/prices.api.ts'
import { SessionProvider, useSession } from './session-provider.tsx'

afterEach(() => {
  cleanup()
  queryClient.clear()
  localStorage.clear()
  vi.unstubAllGlobals()
})

function Who() {
  const session = useSession()
  return <p>{'userId' in session ? `is ${session.userId}` : session.status}</p>
}

test('an answer that comes after one person has signed out is not shown to the next one', async () => {
  const late = Promise.withResolvers<Response>()
  const user = { id: 'u2', email: 'jonas@example.com', factors: [] }
  vi.stubGlobal('fetch', async (url: string) => {
    if (String(url).endsWith('/prices')) return late.promise
    if (String(url).includes('/verify'))
      return jsonAnswer(200, {
        access_token: 'h.p.s',
        refresh_token: 'r',
        token_type: 'bearer',
        expires_in: 3600,
        user,
      })
    return new Response(null, { status: 204 })
  })
  storeSession({ userId: 'u1' })
  render(
    <SessionProvider restoreSeen={async () => undefined}>
      <Who />
    </SessionProvider>,
  )
  await screen.findByText('is u1')
  const { result } = renderHook(() => useSetPrices(), {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  })
  act(() => result.current.mutate({ monthly: '20', yearly: null, currency: 'usd' }))
  await waitFor(() => expect(result.current.isPending).toBe(true))
  await act(async () => void (await authClient.signOut({ scope: 'global' })))
  await screen.findByText('signed_out')
  await act(async () => {
    late.resolve(
      jsonAnswer(200, {
        currency: 'usd',
        monthlyCents: 2000,
        yearlyCents: null,
        isDefault: false,
        minCents: 300,
        maxCents: 50_000,
      }),
    )
    await waitFor(() => expect(result.current.isPending).toBe(false))
  })
  await act(
    async () =>
      void (await authClient.verifyOtp({ email: 'jonas@example.com', token: '123456', type: 'email' })),
  )
  await screen.findByText('is u2')
  expect(queryClient.getQueryData(pricesQuery.queryKey)).toBeUndefined()
})
