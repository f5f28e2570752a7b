import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { positionsQuery } from '../../features/positions/positions.api.ts'
import { settle, storeSession } from '../../lib/test-session.ts'
import { startLive } from './start-live.ts'

class TestChannel {
  static open = new Set<TestChannel>()
  onmessage: ((event: { data: Record<string, unknown> }) => void) | null = null
  constructor() {
    TestChannel.open.add(this)
  }
  postMessage(data: Record<string, unknown>): void {
    for (const other of TestChannel.open) if (other !== this) other.onmessage?.({ data })
  }
  close(): void {
    TestChannel.open.delete(this)
  }
}
const T0 = Date.parse('2026-11-18T15:00:00.000Z')
beforeEach(() => {
  vi.useFakeTimers({
    now: T0,
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  storeSession()
  TestChannel.open.clear()
  vi.stubGlobal('BroadcastChannel', TestChannel)
  Object.defineProperty(navigator, 'locks', {
    configurable: true,
    value: { request: () => new Promise(() => undefined) },
  })
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 503 }))
})
afterEach(() => {
  Reflect.deleteProperty(navigator, 'locks')
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a tab that comes while the feed is away asks for what has changed until it is back', async () => {
  const ending = new AbortController()
  // Another tab reads the feed for all; it was open, and is opened again later.
  const reading = new TestChannel()
  reading.onmessage = ({ data }) =>
    data.kind === 'came' && reading.postMessage({ kind: 'state', open: false, id: 'x', changedAt: null })
  const client = new QueryClient()
  startLive(client, 'u1', ending.signal)
  await settle()
  vi.setSystemTime(T0 + 1000)
  for (const key of [['subscriptions', 'list'], positionsQuery.queryKey]) client.setQueryData(key, [])
  // A subscription of the person changes five seconds later, and the feed is back after a minute.
  vi.setSystemTime(T0 + 60_000)
  const ready = {
    type: 'ready',
    resumed: true,
    now: new Date(T0 + 60_000).toISOString(),
    changedAt: new Date(T0 + 5000).toISOString(),
  }
  reading.postMessage({ kind: 'message', id: 'x', message: ready })
  await settle()
  const stale = client
    .getQueryCache()
    .findAll({ predicate: ({ state }) => state.isInvalidated })
    .map(({ queryKey }) => queryKey.join(' '))
    .toSorted()
  ending.abort()
  expect(stale).toEqual(['positions list', 'subscriptions list'])
})
