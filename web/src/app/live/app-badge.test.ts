import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unreadQuery } from '../../features/activity/unread.api.ts'
import { keepAppBadge } from './app-badge.ts'

const shown: (number | 'none')[] = []

beforeEach(() => {
  shown.length = 0
  Object.assign(navigator, {
    setAppBadge: vi.fn(async (count: number) => void shown.push(count)),
    clearAppBadge: vi.fn(async () => void shown.push('none')),
  })
})
afterEach(() => {
  Reflect.deleteProperty(navigator, 'setAppBadge')
  Reflect.deleteProperty(navigator, 'clearAppBadge')
})

test('the icon has the number of unread items as it changes, and none after signing out', () => {
  const client = new QueryClient()
  const ending = new AbortController()
  keepAppBadge(client, ending.signal)
  expect(shown).toEqual([])
  for (const unread of [3, 4, 0]) client.setQueryData(unreadQuery.queryKey, { unread })
  expect(shown).toEqual([3, 4, 'none'])
  client.setQueryData(['account'], { username: 'maria' })
  ending.abort()
  client.setQueryData(unreadQuery.queryKey, { unread: 9 })
  expect(shown).toEqual([3, 4, 'none', 'none'])
})

test('a browser that forbids it, or does not have it, goes on without', () => {
  const client = new QueryClient()
  Object.assign(navigator, { setAppBadge: () => Promise.reject(new Error('Forbidden')) })
  keepAppBadge(client, new AbortController().signal)
  client.setQueryData(unreadQuery.queryKey, { unread: 1 })
  Reflect.deleteProperty(navigator, 'setAppBadge')
  keepAppBadge(client, new AbortController().signal)
  expect(shown).toEqual([])
})
