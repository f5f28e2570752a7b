import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../../test/build-test-app.ts'
import { silentLog } from '../../../../test/database/database.ts'
import { makeHttpServer } from '../http-server.ts'

/** 198.51.100.9 and 203.0.113.7, in headers of a balancer on this machine. */
const GRACE = Buffer.from('PROXY TCP4 198.51.100.9 192.0.2.1 50000 443\r\n')
const ADA = Buffer.from('0d0a0d0a000d0a515549540a2111000ccb007107c0000201c35001bb', 'hex')

async function listen({ app }: TestApp): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

/** A request for a sign-in mail, over a connection that begins with `header`. @returns the status, null where none came */
async function askForCode(port: number, header: Buffer | null, email: string): Promise<number | null> {
  const body = JSON.stringify({ email })
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  if (header) socket.write(header)
  socket.write(
    `POST /auth/v1/otp HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const answer = await text(socket).catch(() => '')
  return answer === '' ? null : Number(answer.split(' ')[1])
}

test('two people behind one balancer of TCP have sign-in limits apart, and a connection without a header is cut off', async () => {
  await using testApp = await buildTestApp({ settings: { proxyProtocol: '10.0.0.0/8, 127.0.0.1' } })
  const port = await listen(testApp)
  for (let sent = 0; sent < 30; sent += 1)
    expect(await askForCode(port, ADA, `person-${sent}@example.com`)).toBe(200)
  expect(await askForCode(port, ADA, 'ada@example.com')).toBe(429)
  expect(await askForCode(port, GRACE, 'grace@example.com')).toBe(200)
  expect(await askForCode(port, null, 'hedy@example.com')).toBeNull()
})

test('a header of an unlisted balancer is refused, and a server without balancers reads no header', async () => {
  await using listed = await buildTestApp({ settings: { proxyProtocol: '10.0.0.0/8' } })
  const port = await listen(listed)
  expect(await askForCode(port, ADA, 'ada@example.com')).toBe(400)
  expect(await askForCode(port, null, 'ada@example.com')).toBe(200)
  await using plain = await buildTestApp()
  expect(await askForCode(await listen(plain), ADA, 'ada@example.com')).toBe(400)
})

test('a forwarded address counts from a listed address or network, and from nobody else', async () => {
  const trustProxy = '10.0.0.0/8, 192.0.2.1'
  const app = await makeHttpServer({ log: silentLog, origin: 'http://x', trustProxy, limitsOn: false })
  app.get('/address', ({ ip }) => ip)
  const seen = async (remoteAddress: string, forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded }
    return (await app.inject({ url: '/address', remoteAddress, headers })).body
  }
  expect(await seen('10.1.2.3', '203.0.113.7')).toBe('203.0.113.7')
  expect(await seen('192.0.2.1', '203.0.113.7, 10.9.9.9')).toBe('203.0.113.7')
  expect(await seen('192.0.2.1', '203.0.113.7, 198.51.100.9')).toBe('198.51.100.9')
  expect(await seen('192.0.2.2', '203.0.113.7')).toBe('192.0.2.2')
  await app.close()
})
