import { QueryClient } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { SEEN_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accountQuery } from '../../features/account/account.api.ts'
import { activityQuery } from '../../features/activity/activity.api.ts'
import { makePosition } from '../../features/positions/make-position.ts'
import { positionsQuery } from '../../features/positions/positions.api.ts'
import { useNewerVersion } from '../../lib/newer-version.ts'
import { storeSession } from '../../lib/test-session.ts'
import { restoreSeen } from './restore-seen.ts'
import { keepSeen } from './seen.ts'

const KEPT_AT = Date.parse('2026-11-18T15:00:00.000Z')
let client: QueryClient
let ending: AbortController

beforeEach(() => {
  vi.useFakeTimers({ now: KEPT_AT })
  client = new QueryClient()
  ending = new AbortController()
  storeSession({ userId: 'u1' })
})
afterEach(() => {
  ending.abort()
  localStorage.clear()
  vi.useRealTimers()
})

const kept = () => JSON.parse(localStorage.getItem(SEEN_STORAGE_KEY) ?? 'null')
const position = makePosition({ id: 'p1', stock: 'AAPL' })
const page = (name: string) => ({ items: [], next: name, newer: false, seen: name })

/** The cache of a later start, in a page of its own. */
function startAgain(): QueryClient {
  const later = new QueryClient()
  restoreSeen(later)
  return later
}

test('a stored answer of an older version, or an invalid one, is no news of a newer one', async () => {
  // Another test of this process may have found a newer version.
  const { result } = renderHook(useNewerVersion)
  const before = result.current
  const answers = { positions: { at: KEPT_AT, answer: { positions: [{ stock: 'AAPL' }] } } }
  localStorage.setItem(SEEN_STORAGE_KEY, JSON.stringify({ person: 'u1', answers }))
  expect(startAgain().getQueryData(positionsQuery.queryKey)).toEqual([])
  localStorage.setItem(SEEN_STORAGE_KEY, JSON.stringify({ person: 'u1' }))
  expect(startAgain().getQueryData(positionsQuery.queryKey)).toBeUndefined()
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(result.current).toBe(before)
})

test('positions are found by a later start as they were, with when they were loaded, and count as old', async () => {
  keepSeen(client, 'u1', ending.signal)
  client.setQueryData(positionsQuery.queryKey, [position])
  await vi.advanceTimersByTimeAsync(1000)
  await vi.advanceTimersByTimeAsync(5000)
  const state = startAgain().getQueryState(positionsQuery.queryKey)
  expect(state?.data).toEqual([position])
  expect(state?.dataUpdatedAt).toBe(KEPT_AT)
  expect(state?.isInvalidated).toBe(true)
})

test('they are still there when somebody looks at them an hour after the start', async () => {
  keepSeen(client, 'u1', ending.signal)
  client.setQueryData(positionsQuery.queryKey, [position])
  await vi.advanceTimersByTimeAsync(1000)
  const later = startAgain()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(later.getQueryData(positionsQuery.queryKey)).toEqual([position])
})

test('of Activity the first page is kept, and nothing that would mark it as read', async () => {
  keepSeen(client, 'u1', ending.signal)
  client.setQueryData(activityQuery(null).queryKey, {
    pages: [page('first'), page('second')],
    pageParams: [null, 'first'],
  })
  await vi.advanceTimersByTimeAsync(1000)
  expect(startAgain().getQueryData(activityQuery(null).queryKey)).toEqual({
    pages: [{ items: [], next: 'first', newer: false, seen: null }],
    pageParams: [null],
  })
})

test('a change is written once for all of a second, and at once when the page is left', async () => {
  const set = vi.spyOn(Storage.prototype, 'setItem')
  keepSeen(client, 'u1', ending.signal)
  for (const stock of ['A', 'B', 'C']) client.setQueryData(positionsQuery.queryKey, [{ ...position, stock }])
  await vi.advanceTimersByTimeAsync(1000)
  expect(set).toHaveBeenCalledTimes(1)
  client.setQueryData(positionsQuery.queryKey, [{ ...position, stock: 'D' }])
  dispatchEvent(new Event('pagehide'))
  expect(kept().answers.positions.answer.positions[0].stock).toBe('D')
  await vi.advanceTimersByTimeAsync(5000)
  expect(set).toHaveBeenCalledTimes(2)
  set.mockRestore()
})

test('answers of an earlier visit stay beside those of this one', async () => {
  keepSeen(client, 'u1', ending.signal)
  client.setQueryData(positionsQuery.queryKey, [position])
  await vi.advanceTimersByTimeAsync(1000)
  const second = new QueryClient()
  keepSeen(second, 'u1', ending.signal)
  second.setQueryData(activityQuery(null).queryKey, { pages: [page('first')], pageParams: [null] })
  await vi.advanceTimersByTimeAsync(1000)
  expect(Object.keys(kept().answers)).toEqual(['positions', 'activity'])
})

test('nothing is written once the session is another one or none, though this page was not notified of it', async () => {
  keepSeen(client, 'u1', ending.signal)
  client.setQueryData(positionsQuery.queryKey, [position])
  storeSession({ userId: 'u2' })
  await vi.advanceTimersByTimeAsync(1000)
  expect(kept()).toBeNull()
  localStorage.clear()
  client.setQueryData(positionsQuery.queryKey, [position])
  await vi.advanceTimersByTimeAsync(1000)
  expect(kept()).toBeNull()
})

test('of another person nothing is shown, and their lists are not kept beside one’s own', async () => {
  keepSeen(client, 'u1', ending.signal)
  client.setQueryData(positionsQuery.queryKey, [position])
  await vi.advanceTimersByTimeAsync(1000)
  ending.abort()
  storeSession({ userId: 'u2' })
  expect(startAgain().getQueryData(positionsQuery.queryKey)).toBeUndefined()
  ending = new AbortController()
  keepSeen(new QueryClient(), 'u2', ending.signal)
  await vi.advanceTimersByTimeAsync(1000)
  expect(kept()).toEqual({ person: 'u2', answers: {} })
})

test('a later version leaves out what it cannot read, and shows the rest', () => {
  const answers = {
    account: { at: KEPT_AT, answer: { username: 7 } },
    positions: { at: KEPT_AT, answer: { positions: [{ ...position, openPrice: null }, position] } },
    gone: { at: KEPT_AT, answer: {} },
  }
  localStorage.setItem(SEEN_STORAGE_KEY, JSON.stringify({ person: 'u1', answers }))
  const later = startAgain()
  expect(later.getQueryData(accountQuery.queryKey)).toBeUndefined()
  expect(later.getQueryData(positionsQuery.queryKey)).toEqual([position])
  localStorage.setItem(SEEN_STORAGE_KEY, '{"person":')
  expect(startAgain().getQueryData(positionsQuery.queryKey)).toBeUndefined()
})

test('an answer that has been loaded meanwhile is newer than a stored one', async () => {
  keepSeen(client, 'u1', ending.signal)
  client.setQueryData(positionsQuery.queryKey, [position])
  await vi.advanceTimersByTimeAsync(1000)
  const later = new QueryClient()
  later.setQueryData(positionsQuery.queryKey, [])
  restoreSeen(later)
  expect(later.getQueryData(positionsQuery.queryKey)).toEqual([])
})

test('a list that the feed has changed is as old as that change, not as its loading', async () => {
  client.setQueryData(positionsQuery.queryKey, [position], { updatedAt: KEPT_AT - 2_700_000 })
  keepSeen(client, 'u1', ending.signal)
  await vi.advanceTimersByTimeAsync(1000)
  expect(kept().answers.positions.at).toBe(KEPT_AT - 2_700_000)
  client.setQueryData(positionsQuery.queryKey, [], { updatedAt: KEPT_AT - 2_700_000 })
  await vi.advanceTimersByTimeAsync(1000)
  expect(kept().answers.positions.at).toBe(KEPT_AT + 1000)
})
