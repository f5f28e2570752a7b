import { QueryClient } from '@tanstack/react-query'
import type { FeedMessage } from '@tradepost/contract/feed'
import type { Position } from '@tradepost/contract/positions'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { marksQuery, positionsQuery } from '../../features/positions/positions.api.ts'
import { changeBy, changeMarks, changeOwn } from './change-lists.ts'

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
const at = NOW.toISOString()
const LIST = positionsQuery.queryKey

test('a list that a new subscription has made stale stays stale when an event comes', async () => {
  const client = new QueryClient()
  client.setQueryData(['account'], { username: 'fan' })
  client.setQueryData(LIST, [])
  changeOwn(client, { type: 'changed', what: 'subscriptions' })
  await vi.advanceTimersByTimeAsync(0)
  expect(client.getQueryState(LIST)?.isInvalidated).toBe(true)
  await changeBy(client, { type: 'opened', at, position: POSITION })
  expect(client.getQueryState(LIST)?.isInvalidated).toBe(true)
})
test('marks stay stale when the feed brings some', async () => {
  const client = new QueryClient()
  client.setQueryData(marksQuery.queryKey, [])
  await client.invalidateQueries({ queryKey: marksQuery.queryKey })
  changeMarks(client, [])
  expect(client.getQueryState(marksQuery.queryKey)?.isInvalidated).toBe(true)
})
test('the settlement of one’s own close has everything counted from it asked for again', async () => {
  const client = new QueryClient()
  client.setQueryData(['account'], { username: 'fan' })
  client.setQueryData(LIST, [])
  for (const key of [
    ['activity', 'list', null, null],
    ['positions', 'profile', 'fan'],
    ['positions', 'leaderboard'],
  ])
    client.setQueryData(key, {})
  const settled = {
    type: 'settled',
    at,
    position: { ...POSITION, user: 'fan', active: false },
    closePrice: 110,
    percentageGain: 10,
  } satisfies FeedMessage
  await changeBy(client, settled)
  await vi.advanceTimersByTimeAsync(2000)
  const stale = client
    .getQueryCache()
    .findAll({ predicate: ({ state }) => state.isInvalidated })
    .map(({ queryKey }) => queryKey.join(' '))
    .toSorted()
  expect(stale).toEqual(['activity list  ', 'positions leaderboard', 'positions profile fan'])
})
