import { QueryClient } from '@tanstack/react-query'
import type { Mark } from '@tradepost/contract/marks'
import type { PageSettings } from '@tradepost/contract/settings'
import { afterEach, expect, test, vi } from 'vitest'
import { marksQuery, positionsQuery } from '../../features/positions/positions.api.ts'
import { changeBy } from './change-lists.ts'

const AT = '2026-11-18T15:00:00.000Z'

afterEach(() => vi.useRealTimers())

/** A page with these rights after a position was opened in AAPL at 100. */
async function afterOpening(rights: PageSettings['priceRights'], known: Mark[]) {
  const client = new QueryClient()
  client.setQueryData(positionsQuery.queryKey, [])
  // As of before the opening.
  client.setQueryData(marksQuery.queryKey, known, { updatedAt: Date.parse(AT) - 1000 })
  const position = {
    id: 'p1',
    active: true,
    stock: 'AAPL',
    holdLength: 'one_to_three_weeks' as const,
    openNotes: 'n',
    openPrice: 100,
    openedAt: AT,
    user: 'maria',
  }
  await changeBy(client, { type: 'opened', at: AT, position }, rights)
  return { client, marks: client.getQueryData(marksQuery.queryKey) }
}

test.each(['delayed', 'percent'] as const)(
  'with %s prices an opening brings no mark of its own: the server is asked',
  async (rights) => {
    const known: Mark = { symbol: 'AAPL', price: null, at: AT, state: 'waiting', rights }
    vi.useFakeTimers()
    const { client, marks } = await afterOpening(rights, [known])
    expect(marks).toEqual([known])
    await vi.advanceTimersByTimeAsync(2000)
    expect(client.getQueryState(marksQuery.queryKey)?.isInvalidated).toBe(true)
  },
)

test('with live prices it does, and nothing is asked', async () => {
  vi.useFakeTimers()
  const { client, marks } = await afterOpening(undefined, [])
  expect(marks).toEqual([{ symbol: 'AAPL', price: '100', at: AT, state: 'current' }])
  await vi.advanceTimersByTimeAsync(2000)
  expect(client.getQueryState(marksQuery.queryKey)?.isInvalidated).toBe(false)
})
