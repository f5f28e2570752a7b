import { createCipheriv, createHmac } from 'node:crypto'
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

test('an address with a changed letter, or signed with another key, is not read', () => {
  const digits = '0123456789abcdefghijklmnopqrstuv'
  for (let index = 'bounces+'.length; index < 'bounces+'.length + 49; index += 1) {
    const other = digits[(digits.indexOf(address[index] ?? '') + 1) % 32]
    expect(paths.find(address.slice(0, index) + other + address.slice(index + 1))).toBeNull()
  }
  expect(makeReturnPaths('bounces@mail.example', [Buffer.alloc(32, 2)]).find(address)).toBeNull()
})

test('a mail that went out under an earlier key is still read', () => {
  expect(makeReturnPaths('bounces@mail.example', [Buffer.alloc(32, 2), KEY]).find(address)).toEqual(trace)
})

test('the address is always this one, and what signs it is a cut block of AES-256 under the HMAC-SHA-256 of the mail', () => {
  // A mail that went out long ago: after a change of the format, reports about mails under way would no longer be read.
  expect(address).toBe('bounces+03c4hrqo1u7qqmuppd39v8b5e237ea4l1p5ns5ji6gb07ghmoo@mail.example')
  const mail = Buffer.concat([Buffer.from([0]), trace.tag])
  const ofMail = createHmac('sha256', KEY).update(mail).digest()
  const reader = Buffer.from(READER.replaceAll('-', ''), 'hex')
  const mac = createCipheriv('aes-256-ecb', ofMail, null).update(reader).subarray(0, 10)
  expect(`bounces+${inFives(mail)}${inFives(Buffer.concat([reader, mac]))}@mail.example`).toBe(address)
})

/** Each five bits a digit, the last ones filled up with zeros. */
function inFives(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const fives = bits.padEnd(Math.ceil(bits.length / 5) * 5, '0').match(/.{5}/g) ?? []
  return fives.map((five) => Number.parseInt(five, 2).toString(32)).join('')
}

/** The signature of a token. */
const signOf = (path: string) => path.slice('bounces+'.length + 34, -'@mail.example'.length)

test('readers of one mail, mails to one reader and topics have nothing of their signatures in common', () => {
  const readers = Array.from(
    { length: 250 },
    (_, index) => `${READER.slice(0, -3)}${String(index).padStart(3, '0')}`,
  )
  const ofOneMail = paths.ofAll(trace, readers)
  expect(ofOneMail.map((path) => paths.find(path)?.readerId)).toEqual(readers)
  expect(ofOneMail).toEqual(readers.map((readerId) => paths.of({ ...trace, readerId })))
  const toOneReader = Array.from({ length: 250 }, (_, index) =>
    paths.of({ ...trace, tag: mailTag(`${index}.trader`) }),
  )
  const ofOtherTopics = (['money', 'security'] as const).map((topic) => paths.of({ ...trace, topic }))
  expect(new Set([...ofOneMail, ...toOneReader, ...ofOtherTopics].map(signOf)).size).toBe(502)
})

test('from one mail nobody can make the address of a mail to somebody else, nor of another mail to the same reader', () => {
  const other = paths.of({ ...trace, readerId: '0f8fad5b-d9cb-469f-a165-708677289500' })
  const later = paths.of({ ...trace, tag: mailTag('8.trader') })
  expect([paths.find(other), paths.find(later)]).not.toContain(null)
  for (const theirs of [other, later])
    expect(paths.find(theirs.replace(signOf(theirs), signOf(address)))).toBeNull()
  // A reader with an id of ours is nobody's who has none: the rest of the range would have each other's addresses.
  expect(() => paths.ofAll(trace, [READER, '7', READER])).toThrow('an id is no UUID')
})

test('any mail is found again, also behind names that nobody gave', () => {
  const topic = fc.constantFrom('positions', 'money', 'security', 'sign-in', 'operator' as const)
  fc.assert(
    fc.property(topic, fc.uuid(), fc.string(), (named, readerId, name) => {
      const mail = { topic: named, readerId, tag: mailTag(name) }
      const forged = `bounces+${'0'.repeat(50)}@mail.example `
      expect(paths.find(forged.repeat(15) + paths.of(mail))).toEqual(mail)
      expect(paths.find(forged.repeat(16) + paths.of(mail))).toBeNull()
      expect(paths.ofAll(mail, [])).toEqual([])
    }),
    { numRuns: 50 },
  )
})
