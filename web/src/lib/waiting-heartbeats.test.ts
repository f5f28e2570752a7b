import { afterEach, expect, test, vi } from 'vitest'
import { readFeed } from './feed-stream.ts'
import { noteServerTime, serverNow } from './server-time.ts'
import { storeSession } from './test-session.ts'

const NOW = Date.parse('2026-11-18T15:00:00.000Z')
afterEach(() => {
  noteServerTime(new Date().toISOString(), Date.now())
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('heartbeats that waited together while the page stood still correct no clock', async () => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
  storeSession()
  const at = (seconds: number) =>
    new TextEncoder().encode(`: ${new Date(NOW + seconds * 1000).toISOString()}\n\n`)
  vi.stubGlobal('fetch', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(at(1))
        controller.enqueue(at(9))
        controller.close()
      },
    })
    vi.setSystemTime(NOW + 35_000)
    return new Response(body)
  })
  await readFeed('', { onMessage: () => undefined, onAlive: noteServerTime }, new AbortController().signal)
  expect(serverNow().getTime() - Date.now()).toBe(0)
})
