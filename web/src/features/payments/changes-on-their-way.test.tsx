import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, renderHook, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { claimDrafts, discardDrafts } from '../../lib/drafts.ts'
import { storeSession } from '../../lib/test-session.ts'
import { subscriptionsQuery, useMailSwitch } from './payments.api.ts'
import { heldAnswer, press, renderOver } from './test-provider.tsx'
import { YourPrice } from './your-price.tsx'

const READ = 'GET /v1/accounts/prices'
const SET = 'POST /v1/accounts/prices'
const prices = {
  currency: 'usd',
  monthlyCents: 1250,
  yearlyCents: null,
  isDefault: false,
  minCents: 300,
  maxCents: 50_000,
}
afterEach(() => {
  cleanup()
  discardDrafts()
  vi.unstubAllGlobals()
})

test('free days chosen while a new price is being saved do not send the old price', async () => {
  claimDrafts('maria')
  const held = heldAnswer({ body: { ...prices, monthlyCents: 2000 } })
  const { calls } = renderOver({ [READ]: { body: prices }, [SET]: held.answer }, <YourPrice />)
  fireEvent.change(await screen.findByRole('textbox', { name: /^A month/ }), { target: { value: '20' } })
  press('Save price')
  await waitFor(() => expect(calls).toHaveLength(2))
  fireEvent.click(screen.getByRole('radio', { name: '7 days' }))
  held.release()
  await waitFor(() => expect(calls).toHaveLength(3))
  expect(calls.at(-1)).not.toContain('"monthly":"12.50"')
})

test('a switch does not call off for good a list that was on its way', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const one = { id: 's1', username: 'maria', mailEnabled: true, status: 'active' }
  client.setQueryData(subscriptionsQuery.queryKey, { subscriptions: [one] } as never, {
    updatedAt: Date.now() - 3_600_000,
  })
  const answer = Promise.withResolvers<Response>()
  vi.stubGlobal(
    'fetch',
    vi.fn((url: string) =>
      String(url).includes('mail') ? Promise.resolve(Response.json({ mailEnabled: false })) : answer.promise,
    ),
  )
  storeSession()
  const list = client.fetchQuery(subscriptionsQuery).catch(() => 'called off')
  const { result } = renderHook(() => useMailSwitch('s1'), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  result.current.mutate(false)
  await waitFor(() => expect(result.current.isSuccess).toBe(true))
  answer.resolve(Response.json({ subscriptions: [{ ...one, status: 'canceled', mailEnabled: false }] }))
  await list
  const state = client.getQueryState(subscriptionsQuery.queryKey)
  // The answer of an hour ago is to be asked for again, and is known to be old.
  expect(state?.isInvalidated).toBe(true)
  expect(state?.dataUpdatedAt).toBeLessThan(Date.now() - 3_000_000)
})
