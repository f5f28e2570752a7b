import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { makeHttpServer } from './http-server.ts'

const clock = { now: () => new Date('2026-11-18T15:00:00.000Z') }

afterEach(() => {
  vi.useRealTimers()
})

async function startServer() {
  const app = await makeHttpServer({
    log: silentLog,
    origin: 'http://localhost',
    trustProxy: null,
    limitsOn: false,
  })
  const { promise: stream, resolve } = Promise.withResolvers<EventStream>()
  app.get('/stream', (request, reply) => resolve(openEventStream(request, reply, clock)))
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  return { stream, port: Number(url.port), [Symbol.asyncDispose]: () => app.close() }
}

test('who does not read what they are sent is cut off', async () => {
  await using server = await startServer()
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
  socket.pause()
  socket.write('GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const stream = await server.stream
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  stream.onEnd(resolve)
  // More than the buffers of both ends hold.
  for (let nth = 0; nth < 64; nth += 1) stream.send('x'.repeat(1024 * 1024), String(nth))
  await ended
  socket.destroy()
})

test('a stream whose reader has gone says so, and takes what it is given without a fault', async () => {
  await using server = await startServer()
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const stream = await server.stream
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  stream.onEnd(resolve)
  await once(socket, 'data')
  socket.destroy()
  await ended
  stream.send('late', '1')
  stream.end()
  let late = false
  stream.onEnd(() => {
    late = true
  })
  expect(late).toBe(true)
})

/** A stream whose reader has stopped reading, with so much on its way that the connection takes no more. */
async function openToDeafReader() {
  const app = Fastify()
  const opened = Promise.withResolvers<{ stream: EventStream; socket: Socket }>()
  app.get('/', (request, reply) => {
    opened.resolve({ stream: openEventStream(request, reply, clock), socket: request.raw.socket })
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
  await expect.poll(() => socket.destroyed).toBe(true)
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
