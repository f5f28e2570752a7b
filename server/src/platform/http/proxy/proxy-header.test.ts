import { expect, test } from 'vitest'
import { type ProxyHeader, readProxyHeader } from './proxy-header.ts'

const V2 = '0d0a0d0a000d0a515549540a'
/** 203.0.113.7:50000 to 192.0.2.1:443. */
const IPV4 = 'cb007107c0000201c35001bb'
const IPV6 = `20010db8000000000000000000000007${'20010db8000000000000000000000001'}c35001bb`
const REQUEST = Buffer.from('GET / HTTP/1.1\r\n\r\n')

const binary = (hex: string) => Buffer.from(V2 + hex, 'hex')
const line = (text: string) => Buffer.from(text, 'latin1')

const whole: [what: string, header: Buffer, client: string | null][] = [
  ['a line of IPv4', line('PROXY TCP4 203.0.113.7 192.0.2.1 50000 443\r\n'), '203.0.113.7'],
  ['a line of IPv6', line('PROXY TCP6 2001:db8::7 2001:db8::1 50000 443\r\n'), '2001:db8::7'],
  ['a line of nobody', line('PROXY UNKNOWN\r\n'), null],
  ['a line of nobody that goes on', line('PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n'), null],
  ['IPv4', binary(`2111000c${IPV4}`), '203.0.113.7'],
  ['IPv6', binary(`21210024${IPV6}`), '2001:db8::7'],
  ['IPv4 and three bytes of something else', binary(`2111000f${IPV4}040000`), '203.0.113.7'],
  ['a health check', binary('20000000'), null],
  ['a health check with addresses', binary(`2011000c${IPV4}`), null],
  ['a health check of a family nobody knows', binary('20ff0000'), null],
  ['a socket of Unix', binary(`213100d8${'2f'.repeat(216)}`), null],
  ['no family', binary('21000000'), null],
]

test('a header of either version names the client, whatever follows it and however it arrives in pieces', () => {
  for (const [what, header, client] of whole) {
    const expected: ProxyHeader = { length: header.length, client }
    expect(readProxyHeader(Buffer.concat([header, REQUEST])), what).toEqual(expected)
    for (let length = 0; length < header.length; length += 1)
      expect(readProxyHeader(header.subarray(0, length)), `${what}, ${length} bytes`).toBe('partial')
  }
})

const none: [what: string, bytes: Buffer][] = [
  ['a request', REQUEST],
  ['a handshake of TLS', Buffer.from('16030100c8', 'hex')],
  ['a family of its own', line('PROXY TCP5 203.0.113.7 192.0.2.1 50000 443\r\n')],
  ['an address of the other family', line('PROXY TCP4 2001:db8::7 192.0.2.1 50000 443\r\n')],
  ['no address', line('PROXY TCP4 203.0.113.700 192.0.2.1 50000 443\r\n')],
  ['no port', line('PROXY TCP4 203.0.113.7 192.0.2.1 70000 443\r\n')],
  ['a line without its ports', line('PROXY TCP4 203.0.113.7 192.0.2.1\r\n')],
  ['a line that does not end', line(`PROXY UNKNOWN ${'x'.repeat(107)}`)],
  ['version 3', binary(`3111000c${IPV4}`)],
  ['a command nobody knows', binary(`2211000c${IPV4}`)],
  ['a family nobody knows', binary(`2141000c${IPV4}`)],
  ['a transport nobody knows', binary(`2113000c${IPV4}`)],
  ['less than two addresses', binary('2111000bcb007107')],
  ['more than a balancer sends', binary('2111ffff')],
]

test('bytes that are no header are rejected as soon as they cannot become one', () => {
  for (const [what, bytes] of none) expect(readProxyHeader(bytes), what).toBe('none')
  expect(readProxyHeader(line('PROXy'))).toBe('none')
  expect(readProxyHeader(Buffer.from('0d0a0d0a01', 'hex'))).toBe('none')
})

test('an address of IPv6 is given in its short form', () => {
  const local = binary(`21210024${'0'.repeat(31)}1${'0'.repeat(31)}1c35001bb`)
  expect(readProxyHeader(local)).toMatchObject({ client: '::1' })
})
