import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { silentLog } from '../../../test/database.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { makeHttpServer } from './http-server.ts'

async function startServer() {
  const app = await makeHttpServer({
    log: silentLog,
    origin: 'http://localhost',
    trustProxy: null,
    limitsOn: false,
  })
  const { promise: stream, resolve } = Promise.withResolvers<EventStream>()
  app.get('/stream', (request, reply) => resolve(openEventStream(request, reply)))
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
