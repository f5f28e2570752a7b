import { expect, test } from 'vitest'
import { isWritableAddress } from './mail-address.ts'

test('only an address that is one recipient can be written to', () => {
  for (const good of ['a@b.example', "o'neil+x@b.example", 'ünï@straße.example'])
    expect(isWritableAddress(good)).toBe(true)
  for (const bad of [
    'a@b>,c@d',
    'a@b.example,c@d.example',
    'a@b.example\r\nRCPT TO:<c@d.example>',
    '"quoted local"@b.example',
    'a b@c.example',
    '<a@b.example>',
    'nobody',
    'a@b@c',
    `${'a'.repeat(250)}@b.example`,
  ])
    expect(isWritableAddress(bad)).toBe(false)
})
