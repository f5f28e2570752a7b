import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mailTag, makeReturnPaths } from './return-path.ts'

const KEY = Buffer.alloc(32, 1)
const READER = '0f8fad5b-d9cb-469f-a165-70867728950e'
const paths = makeReturnPaths('bounces@mail.example', [KEY])
const trace = { topic: 'positions', readerId: READER, tag: mailTag('7.trader') } as const
const address = paths.of(trace)

test('a return path names a mail within the length of a local part, and is read from any text, in letters of any case', () => {
  expect(address).toMatch(/^bounces\+[0-9a-v]{50}@mail\.example$/)
  expect(address.indexOf('@')).toBeLessThanOrEqual(64)
  for (const text of [
    address,
    address.toUpperCase(),
    `To: <${address}>\r\n`,
    `"a" <${address}>, b@c.example`,
  ])
    expect(paths.find(text)).toEqual(trace)
  expect(paths.of({ ...trace, tag: mailTag('8.trader') })).not.toBe(address)
  expect(paths.find('To: bounces@mail.example')).toBeNull()
  expect(makeReturnPaths('bounces@mailxexample', [KEY]).find(address)).toBeNull()
})

test('whoever changes a letter of it, or has another key, has made nothing that is read', () => {
  const digits = '0123456789abcdefghijklmnopqrstuv'
  for (let index = 'bounces+'.length; index < 'bounces+'.length + 49; index += 1) {
    const other = digits[(digits.indexOf(address[index] ?? '') + 1) % 32]
    expect(paths.find(address.slice(0, index) + other + address.slice(index + 1))).toBeNull()
  }
  expect(makeReturnPaths('bounces@mail.example', [Buffer.alloc(32, 2)]).find(address)).toBeNull()
})

test('an earlier key is still read, and what is signed is a cut HMAC-SHA-256', () => {
  expect(makeReturnPaths('bounces@mail.example', [Buffer.alloc(32, 2), KEY]).find(address)).toEqual(trace)
  const body = Buffer.concat([Buffer.from([0]), Buffer.from(READER.replaceAll('-', ''), 'hex'), trace.tag])
  const mac = createHmac('sha256', KEY).update(body).digest().subarray(0, 10)
  const bits = [...Buffer.concat([body, mac])].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = bits.padEnd(250, '0').match(/.{5}/g) ?? []
  expect(address).toBe(
    `bounces+${digits.map((five) => Number.parseInt(five, 2).toString(32)).join('')}@mail.example`,
  )
})

test('any mail is found again, also behind names that nobody gave', () => {
  const topic = fc.constantFrom('positions', 'money', 'security', 'sign-in', 'operator' as const)
  fc.assert(
    fc.property(topic, fc.uuid(), fc.string(), (named, readerId, name) => {
      const mail = { topic: named, readerId, tag: mailTag(name) }
      const forged = `bounces+${'0'.repeat(50)}@mail.example `
      expect(paths.find(forged.repeat(15) + paths.of(mail))).toEqual(mail)
      expect(paths.find(forged.repeat(16) + paths.of(mail))).toBeNull()
    }),
    { numRuns: 50 },
  )
})
