import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { parseAddresses } from '../../env.ts'
import { expectProxyHeaders } from './proxy-protocol.ts'

const HEADER = 'PROXY TCP4 203.0.113.7 192.0.2.1 50000 443\r\n'
const REQUEST = 'POST /path HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 4\r\n\r\nbody'

/** Answers who asked what. */
async function listen(
  balancers: string,
  withinMs?: number,
): Promise<AsyncDisposable & { port: number; server: Server; endWaiting(): void }> {
  const server = createServer(async (request, response) => {
    response.end(`${request.socket.remoteAddress} ${request.url} ${await text(request)}`)
  })
  const endWaiting = expectProxyHeaders(
    server,
    parseAddresses(balancers),
    withinMs === undefined ? {} : { withinMs },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    server,
    endWaiting,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Sends parts, each in a packet of its own; answers everything that comes back. */
async function send(port: number, parts: (string | Buffer)[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined)
  const answer = text(socket).catch(() => 'reset')
  await once(socket, 'connect')
  for (const part of parts) {
    await new Promise((resolve) => socket.write(part, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return answer
}

test('a listed balancer sends the client of a connection, in one packet with the request or byte by byte', async () => {
  await using listening = await listen('127.0.0.0/8')
  const answer = '203.0.113.7 /path body'
  expect(await send(listening.port, [HEADER + REQUEST])).toContain(answer)
  expect(await send(listening.port, [...(HEADER + REQUEST)])).toContain(answer)
  expect(await send(listening.port, [HEADER, REQUEST])).toContain(answer)
})

test('a later request of the connection is the same client’s, and a health check the balancer’s own', async () => {
  await using listening = await listen('10.0.0.1, 127.0.0.1')
  const first = REQUEST.replace('connection: close\r\n', '')
  const answers = await send(listening.port, [HEADER + first, REQUEST])
  expect(answers.match(/203\.0\.113\.7 \/path body/g)).toHaveLength(2)
  const check = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex')
  expect(await send(listening.port, [check, REQUEST])).toContain('127.0.0.1 /path body')
})

test('a listed balancer that sends no header is cut off without an answer', async () => {
  await using listening = await listen('127.0.0.1')
  expect(await send(listening.port, [REQUEST])).toMatch(/^(reset)?$/)
  expect(await send(listening.port, [Buffer.from('16030100c8', 'hex')])).toMatch(/^(reset)?$/)
})

test('a header that does not end is waited for so long and no longer, and a closing server waits for none', async () => {
  await using patient = await listen('127.0.0.1', 600_000)
  const waiting = send(patient.port, [HEADER.slice(0, 20)])
  await once(patient.server, 'connection')
  patient.endWaiting()
  expect(await waiting).toMatch(/^(reset)?$/)
  await using hasty = await listen('127.0.0.1', 50)
  expect(await send(hasty.port, [...HEADER.slice(0, 20)])).toMatch(/^(reset)?$/)
})

test('from anybody else a header is no HTTP', async () => {
  await using listening = await listen('10.0.0.0/8')
  expect(await send(listening.port, [HEADER + REQUEST])).toMatch(/^HTTP\/1\.1 400 /)
  expect(await send(listening.port, [REQUEST])).toContain('127.0.0.1 /path body')
})

test.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.1, x', '::1/129'])(
  'a list of balancers with %j is refused',
  (list) => {
    expect(() => parseAddresses(list)).toThrow('is neither an address nor a network')
  },
)
