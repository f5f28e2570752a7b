import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hasLeft } from './end-session.ts'
import { type FeedEnd, readFeed } from './feed-stream.ts'
import { settle, storeSession } from './test-session.ts'

const fetched = vi.fn<typeof fetch>()
const never = new AbortController().signal

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  fetched.mockReset()
  localStorage.clear()
  storeSession()
  hasLeft()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const READY = '{"type":"ready","resumed":false,"now":"2026-11-18T15:00:00.000Z","changedAt":null}'

/** A feed whose server sends the given texts, and ends with them. */
function sending(...texts: string[]): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
  return new Response(body)
}

/** A feed that stays open; it fails as a fetch does when it is given up. */
function answerOpenFeed(): { send(text: string): void } {
  let controller: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
  })
  fetched.mockImplementationOnce(async (_, init) => {
    init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
    return new Response(body)
  })
  return { send: (text) => controller.enqueue(new TextEncoder().encode(text)) }
}

async function read(lastEventId = '', ending = never) {
  const received: unknown[] = []
  let parts = 0
  const end: FeedEnd = await readFeed(
    lastEventId,
    {
      onMessage: (message, id) => received.push([message.type, id]),
      onAlive: () => {
        parts += 1
      },
    },
    ending,
  )
  return { end, received, parts }
}

test('the server’s time comes with each message, and since when it may have been on its way', async () => {
  const received: unknown[] = []
  const begun = Date.now()
  fetched.mockResolvedValueOnce(
    sending(': 2026-11-18T15:00:00.000Z\nid: a\ndata: {}\n\n', ': 2026-11-18T15:00:30.000Z\n\n', ':\n\n'),
  )
  const reader = { onMessage: () => undefined, onAlive: (...alive: unknown[]) => received.push(alive) }
  await readFeed('', reader, never)
  const since = expect.toSatisfy((at: number) => at >= begun && at <= Date.now())
  expect(received).toEqual([
    ['2026-11-18T15:00:00.000Z', since],
    ['2026-11-18T15:00:30.000Z', since],
    ['', since],
  ])
})

test('messages come with the place after them, and what this page does not know is passed over', async () => {
  const unknown = 'id: b\ndata: {"type":"of a newer server"}\n\nid: c\ndata: no json\n\n'
  fetched.mockResolvedValueOnce(
    sending(
      `id: a\ndata: ${READY}\n\n:\n\n${unknown}id: d\ndata: {"type":"changed",`,
      '"what":"payouts"}\n\n',
    ),
  )
  const { end, received } = await read()
  expect(received).toEqual([
    ['ready', 'a'],
    ['changed', 'd'],
  ])
  expect(end).toEqual({ opened: true, retryAfterMs: 0 })
})

test('it is asked for with the token and, to resume, with the id of the last message', async () => {
  fetched.mockImplementation(async () => sending())
  await read()
  await read('place')
  const headersOf = (nth: number) => fetched.mock.calls[nth]?.[1]?.headers
  expect(fetched.mock.calls.map(([url]) => url)).toEqual(['/v1/feed', '/v1/feed'])
  expect(headersOf(0)).toEqual({ authorization: 'Bearer header.payload.signature' })
  expect(headersOf(1)).toEqual({
    authorization: 'Bearer header.payload.signature',
    'last-event-id': 'place',
  })
})

test('a sign of life every 30 seconds keeps it open, and 10 seconds of silence beyond that end it', {
  tags: ['CONST-20', 'CONST-21'],
}, async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const feed = answerOpenFeed()
  let ended = false
  const reading = read().finally(() => {
    ended = true
  })
  for (let nth = 0; nth < 3; nth += 1) {
    feed.send(':\n\n')
    await settle()
    vi.advanceTimersByTime(30_000)
    await settle()
    expect(ended).toBe(false)
  }
  vi.advanceTimersByTime(9_900)
  await settle()
  expect(ended).toBe(false)
  vi.advanceTimersByTime(200)
  expect(await reading).toMatchObject({ end: { opened: true }, parts: 3 })
})

test('a server that does not answer at all is given up after 40 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  fetched.mockImplementationOnce(
    (_, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      ),
  )
  const reading = read()
  await settle()
  vi.advanceTimersByTime(40_000)
  expect(await reading).toMatchObject({ end: { opened: false }, parts: 0 })
})

test('a refusal ends it, gives the time to wait, and ends the session only where it is about the session', async () => {
  fetched.mockResolvedValueOnce(new Response('{}', { status: 503, headers: { 'retry-after': '5' } }))
  expect((await read()).end).toEqual({ opened: false, retryAfterMs: 5000 })
  fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  expect((await read()).end).toEqual({ opened: false, retryAfterMs: 0 })
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()
  fetched.mockResolvedValueOnce(new Response('{}', { status: 401 }))
  expect((await read()).end).toEqual({ opened: false, retryAfterMs: 0 })
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
})

test('a refusal of a token that was replaced meanwhile ends it, and the session lives', async () => {
  fetched.mockImplementationOnce(async () => {
    storeSession({ accessToken: 'newer' })
    return new Response('{}', { status: 401 })
  })
  expect((await read()).end).toEqual({ opened: false, retryAfterMs: 0 })
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toContain('newer')
})

test('it ends when it is no longer wanted, without a word about the session', async () => {
  const ending = new AbortController()
  answerOpenFeed().send(`id: a\ndata: ${READY}\n\n`)
  const reading = read('', ending.signal)
  await settle()
  ending.abort()
  expect((await reading).received).toEqual([['ready', 'a']])
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()
})
