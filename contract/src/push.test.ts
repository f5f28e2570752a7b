import { expect, test } from 'vitest'
import { isPushEndpoint } from './push.ts'

const long = (length: number) => `https://push.example/${'x'.repeat(length - 'https://push.example/'.length)}`

test.for([
  ['https://fcm.googleapis.com/fcm/send/abc:def', true],
  ['https://updates.push.services.mozilla.com/wpush/v2/gAAA', true],
  ['https://web.push.apple.com:443/QK1', true],
  ['https://wns2-par02p.notify.windows.com/w/?token=a%2fb', true],
  [long(1024), true],
  [long(1025), false],
  ['http://push.example/x', false],
  ['ftp://push.example/x', false],
  ['https://push.example', false],
  ['https://push.example:8443/x', false],
  ['https://localhost/x', false],
  ['https://127.0.0.1/x', false],
  ['https://2130706433/x', false],
  ['https://0x7f.1/x', false],
  ['https://[::1]/x', false],
  ['https://me@push.example/x', false],
  ['https://push.example\\@10.0.0.1/x', false],
  ['https://push.example#@10.0.0.1/x', false],
  ['https://push..example/x', false],
  ['https://push.example./x', false],
  ['https://-push.example/x', false],
  [`https://${'a'.repeat(64)}.example/x`, false],
  ['https://push.example/x y', false],
  ['https://push.example/x\r\nHost: y', false],
  ['', false],
] as const)('whether messages are sent to %s: %s', ([endpoint, expected]) => {
  expect(isPushEndpoint(endpoint, { loopback: false })).toBe(expected)
})

test('this machine is called where the sandbox stands in for the world, and nowhere else', () => {
  for (const endpoint of ['http://127.0.0.1:4000/x', 'http://localhost:4000/x']) {
    expect(isPushEndpoint(endpoint, { loopback: true })).toBe(true)
    expect(isPushEndpoint(endpoint, { loopback: false })).toBe(false)
  }
  expect(isPushEndpoint('http://10.0.0.1:4000/x', { loopback: true })).toBe(false)
  expect(isPushEndpoint('http://127.0.0.1.example:4000/x', { loopback: true })).toBe(false)
})
