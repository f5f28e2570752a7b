import type { FeedMessage } from '@tradepost/contract/feed'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serverNow } from '../../lib/server-time.ts'
import { stubNavigator } from '../../lib/test-navigator.ts'
import { settle, storeSession } from '../../lib/test-session.ts'
import { shareFeed } from './share-feed.ts'

/** Locks as browsers have them, for tabs of one process: a queue a name, `steal` in front of it. */
class TestLocks {
  #held: { lose(): void } | null = null
  readonly #queue: (() => void)[] = []

  async request(_name: string, options: LockOptions, use: () => Promise<void>): Promise<void> {
    if (options.steal) this.#held?.lose()
    else if (this.#held) await this.#wait(options.signal)
    const { promise: lost, reject } = Promise.withResolvers<never>()
    const mine = { lose: () => reject(new DOMException('', 'AbortError')) }
    this.#held = mine
    try {
      await Promise.race([use(), lost])
    } finally {
      if (this.#held === mine) {
        this.#held = null
        this.#queue.shift()?.()
      }
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push(resolve)
      signal?.addEventListener('abort', () => {
        const place = this.#queue.indexOf(resolve)
        if (place >= 0) this.#queue.splice(place, 1)
        reject(signal.reason)
      })
    })
  }
}

/** Channels that pass on within the process, without the turns that real ones take. */
class TestChannel {
  static open = new Set<TestChannel>()
  onmessage: ((event: { data: unknown }) => void) | null = null

  constructor() {
    TestChannel.open.add(this)
  }

  postMessage(data: unknown): void {
    for (const other of TestChannel.open) if (other !== this) other.onmessage?.({ data })
  }

  close(): void {
    TestChannel.open.delete(this)
  }
}

type Stream = { ids: string | null; send(message: object, id: string): void; end(): void; isOpen(): boolean }
let streams: Stream[] = []
const tabs: AbortController[] = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  streams = []
  storeSession()
  TestChannel.open.clear()
  vi.stubGlobal('BroadcastChannel', TestChannel)
  stubNavigator({ locks: new TestLocks() })
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    let controller: ReadableStreamDefaultController<Uint8Array>
    let open = true
    const body = new ReadableStream<Uint8Array>({
      start(given) {
        controller = given
      },
    })
    init.signal?.addEventListener('abort', () => {
      open = false
      controller.error(init.signal?.reason)
    })
    streams.push({
      ids: new Headers(init.headers).get('last-event-id'),
      send: (message, id) =>
        controller.enqueue(new TextEncoder().encode(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`)),
      end: () => {
        open = false
        controller.close()
      },
      isOpen: () => open,
    })
    return new Response(body)
  })
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) tab.abort()
  await settle()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const READY = { type: 'ready', resumed: false, now: '2026-11-18T15:00:00.000Z', changedAt: null }
const CHANGED = { type: 'changed', what: 'payouts' }

/** A tab of the browser, and the messages that it receives. */
async function openTab() {
  const ending = new AbortController()
  tabs.push(ending)
  const received: string[] = []
  shareFeed(
    'u1',
    {
      onMessage: ({ type }: FeedMessage) => received.push(type),
      onJoined: (changedAt) => received.push(`joined ${changedAt === null ? 'unchanged' : 'changed'}`),
      onOpen: (open) => received.push(open ? 'open' : 'closed'),
    },
    ending.signal,
  )
  await settle()
  return { received, close: () => ending.abort() }
}

test('one tab reads for all, and sends a tab that comes later the message that it cannot have received', async () => {
  const first = await openTab()
  const second = await openTab()
  expect(streams).toHaveLength(1)
  streams[0]?.send(READY, 'a')
  await settle()
  streams[0]?.send(CHANGED, 'b')
  await settle()
  const third = await openTab()
  streams[0]?.send(CHANGED, 'c')
  await settle()
  expect(first.received).toEqual(['open', 'ready', 'changed', 'changed'])
  expect(second.received).toEqual(first.received)
  expect(third.received).toEqual(['open', 'joined changed', 'changed'])
  expect(streams).toHaveLength(1)
})

test('the server time that the reading tab receives reaches the others', async () => {
  await openTab()
  const reading = new TestChannel()
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  reading.postMessage({ kind: 'alive', said: inHours(12), since: Date.now() })
  expect(Math.abs(serverNow().getTime() - Date.parse(inHours(12)))).toBeLessThan(1000)
  reading.postMessage({ kind: 'alive', said: inHours(0), since: Date.now() })
  expect(Math.abs(serverNow().getTime() - Date.now())).toBeLessThan(1000)
})

test('when the tab that reads is closed another goes on where it was', async () => {
  const first = await openTab()
  const second = await openTab()
  streams[0]?.send(READY, 'a')
  await settle()
  streams[0]?.send(CHANGED, 'b')
  await settle()
  first.close()
  await settle()
  expect(streams.map(({ ids }) => ids)).toEqual([null, 'b'])
  expect([streams[0]?.isOpen(), streams[1]?.isOpen()]).toEqual([false, true])
  streams[1]?.send({ ...READY, resumed: true }, 'b')
  await settle()
  expect(second.received.at(-1)).toBe('ready')
})

test('a tab that is put to sleep while it reads loses its place to one that somebody looks at, after 50 seconds', async () => {
  await openTab()
  streams[0]?.send(READY, 'a')
  await settle()
  const second = await openTab()
  // The sleeping tab holds its lock and passes nothing on.
  const [asleep] = TestChannel.open
  if (asleep) asleep.postMessage = () => undefined
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  await advance(60_000)
  expect(streams.filter(({ isOpen }) => isOpen())).toHaveLength(1)
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible')
  await advance(10_000)
  const reading = streams.at(-1)
  expect(reading?.isOpen()).toBe(true)
  expect(streams.filter(({ isOpen }) => isOpen())).toHaveLength(1)
  reading?.send(CHANGED, 'b')
  await settle()
  expect(second.received.at(-1)).toBe('changed')
})

test('a feed that ends is opened again where it was, after a pause that grows to 30 seconds while that fails', async () => {
  const { received } = await openTab()
  streams[0]?.send(READY, 'a')
  await settle()
  streams[0]?.end()
  await settle()
  expect(received.at(-1)).toBe('closed')
  for (const pause of [1000, 2000, 4000, 8000, 15_000, 15_000]) {
    const asked = streams.length
    await advance(pause - 100)
    expect(streams).toHaveLength(asked)
    await advance(200)
    expect(streams).toHaveLength(asked + 1)
    expect(streams.at(-1)?.ids).toBe('a')
    streams.at(-1)?.end()
    await settle()
  }
})

async function advance(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 1000) {
    vi.advanceTimersByTime(Math.min(left, 1000))
    await settle()
  }
}
