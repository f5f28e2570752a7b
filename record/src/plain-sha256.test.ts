import { expect, test } from 'vitest'
import { utf8 } from './bytes.ts'
import { plainSha256 } from './plain-sha256.ts'
import { sha256 } from './test-hash.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
])('the hashes of the standard’s examples come out', (text, expected) => {
  expect(hex(plainSha256(utf8(text)))).toBe(expected)
})

test('texts of every length around the edges of blocks have the hash that Node makes', () => {
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 131 + length) % 256)
    expect(hex(plainSha256(bytes)), String(length)).toBe(hex(sha256(bytes)))
  }
})
