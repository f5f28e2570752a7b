import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isPublicAddress, lookUpPublic } from './public-address.ts'

test.for([
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['100.128.0.1', true],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.15.255.255', true],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['142.250.74.74', true],
  ['::', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::7f00:1', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['2002:7f00:1::', false],
  ['2001::1', false],
  ['2a00:1450:4001:830::200a', true],
] as const)('%s is of the Internet: %s', ([address, expected]) => {
  expect(isPublicAddress(address)).toBe(expected)
})

test('a name that leads to this machine is not resolved', async () => {
  const look = promisify((name: string, done: (error: Error | null) => void) =>
    lookUpPublic(name, { all: true }, (error) => done(error)),
  )
  await expect(look('localhost')).rejects.toThrow('private network')
})
