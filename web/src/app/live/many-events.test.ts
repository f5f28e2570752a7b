import { QueryClient, QueryObserver } from '@tanstack/react-query'
import type { FeedMessage } from '@tradepost/contract/feed'
import type { Position } from '@tradepost/contract/positions'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { positionsQuery } from '../../features/positions/positions.api.ts'
import { changeBy } from './change-lists.ts'

const NOW = new Date('2026-11-18T15:00:00.000Z')
beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})
const POSITION: Position = {
  id: 'p1',
  active: true,
  stock: 'AAPL',
  holdLength: 'one_to_three_weeks',
  openNotes: 'n',
  openPrice: 100,
  openedAt: NOW.toISOString(),
  user: 'maria',
}
const event = (id: string, type: 'opened' | 'adjusted' = 'opened') =>
  ({
    type,
    at: new Date().toISOString(),
    position: { ...POSITION, id, user: `t${id}` },
  }) satisfies FeedMessage

test('many events at once, as of a split, have a list asked for once or twice, and not once each', async () => {
  const client = new QueryClient()
  let asked = 0
  const queryKey = ['activity', 'list', null, null]
  const observer = new QueryObserver(client, {
    queryKey,
    retry: false,
    queryFn: () => {
      asked += 1
      return new Promise((resolve) => setTimeout(resolve, 100, asked))
    },
  })
  const end = observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked).toBe(1)
  for (let nth = 0; nth < 40; nth += 1) await changeBy(client, event(String(nth), 'adjusted'))
  await vi.advanceTimersByTimeAsync(5000)
  end()
  expect(asked).toBeLessThanOrEqual(4)
})

test('a list that takes half a second is there in the end, though an event comes every 400 ms', async () => {
  const client = new QueryClient()
  const observer = new QueryObserver(client, {
    queryKey: positionsQuery.queryKey,
    retry: false,
    queryFn: () => new Promise<Position[]>((resolve) => setTimeout(resolve, 500, [POSITION])),
  })
  const end = observer.subscribe(() => undefined)
  for (let nth = 0; nth < 60; nth += 1) {
    await vi.advanceTimersByTimeAsync(400)
    await changeBy(client, event(String(nth)))
  }
  const { data } = observer.getCurrentResult()
  end()
  expect(data).toBeDefined()
})
