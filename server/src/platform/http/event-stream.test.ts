import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { type EventStream, openEventStream } from './event-stream.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A stream whose reader has stopped reading, with so much on its way that the connection takes no more. */
async function openToDeafReader() {
  const app = Fastify()
  const opened = Promise.withResolvers<{ stream: EventStream; socket: Socket }>()
  app.get('/', (request, reply) => {
    opened.resolve({ stream: openEventStream(request, reply), socket: request.raw.socket })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  reader.on('error', () => undefined).pause()
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const { socket, stream } = await opened.promise
  const text = 'x'.repeat(16_384)
  // Until one is not taken at once.
  while (socket.writableLength === 0) {
    stream.send(text, 'a')
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { app, reader, socket, stream }
}

test('a reader that has stopped reading is cut off five seconds after the end of its stream', async () => {
  const { app, reader, socket, stream } = await openToDeafReader()
  stream.end()
  vi.advanceTimersByTime(4900)
  expect(socket.destroyed).toBe(false)
  vi.advanceTimersByTime(200)
  await vi.waitFor(() => expect(socket.destroyed).toBe(true))
  reader.destroy()
  await app.close()
})

test('a reader that has not read for 30 seconds is cut off instead of being sent a sign of life', async () => {
  const { app, reader, socket } = await openToDeafReader()
  const closed = once(socket, 'close')
  vi.advanceTimersByTime(30_000)
  await closed
  reader.destroy()
  await app.close()
})
