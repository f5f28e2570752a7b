import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { type EventStream, makeEventStreams } from './event-stream.ts'
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
  const open = makeEventStreams(clock)
  app.get('/stream', (request, reply) => resolve(open(request, reply)))
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  return { stream, port: Number(url.port), [Symbol.asyncDispose]: () => app.close() }
}

test('a reader that does not read its stream is cut off', async () => {
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

test('a stream whose reader has gone reports that, and takes what it is given without a fault', async () => {
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
  const open = makeEventStreams(clock)
  app.get('/', (request, reply) => {
    opened.resolve({ stream: open(request, reply), socket: request.raw.socket })
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

test('a reader that was written to twenty seconds ago is not cut off before it has had thirty', async () => {
  const { app, reader, socket, stream } = await openToDeafReader()
  vi.advanceTimersByTime(20_000)
  stream.send('more', 'b')
  vi.advanceTimersByTime(29_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(socket.destroyed).toBe(false)
  const closed = once(socket, 'close')
  vi.advanceTimersByTime(1000)
  await closed
  reader.destroy()
  await app.close()
})

test('streams that were opened together are sent their signs of life one after the other, each one in thirty seconds', async () => {
  const app = Fastify()
  const open = makeEventStreams(clock)
  let opened = 0
  app.get('/', (request, reply) => {
    open(request, reply)
    opened += 1
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { port } = app.server.address() as AddressInfo
  const received = ['', '', '', '']
  const readers = received.map((_, nth) => {
    const reader = connect(port, '127.0.0.1').setEncoding('latin1')
    reader.on('data', (text) => {
      received[nth] = `${received[nth]}${text}`
    })
    reader.write(`GET / HTTP/1.${nth === 0 ? 0 : 1}\r\nHost: x\r\n\r\n`)
    return reader
  })
  await expect.poll(() => opened).toBe(4)
  const signs = () =>
    received.reduce((sum, text) => sum + text.split(': 2026-11-18T15:00:00.000Z\n\n').length - 1, 0)
  for (const sum of [1, 2, 3, 4]) {
    vi.advanceTimersByTime(250)
    await expect.poll(signs).toBe(sum)
  }
  vi.advanceTimersByTime(29_000)
  vi.advanceTimersByTime(1000)
  await expect.poll(signs).toBe(8)
  // As node:http writes it: in chunks, but for who speaks HTTP/1.0.
  const body = (nth: number) => received[nth]?.split('\r\n\r\n').slice(1).join('\r\n\r\n')
  expect(body(0)).toBe(': 2026-11-18T15:00:00.000Z\n\n'.repeat(2))
  expect(body(1)).toBe('1c\r\n: 2026-11-18T15:00:00.000Z\n\n\r\n'.repeat(2))
  for (const reader of readers) reader.destroy()
  await app.close()
})
