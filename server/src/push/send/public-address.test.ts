import { expect, test } from 'vitest'
import { startNameServer } from '../../../test/mails/name-server.ts'
import { isPublicAddress, makePublicLookUp } from './public-address.ts'

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

const NAMES = {
  'inside.example': ['127.0.0.1'],
  'both.example': ['142.250.74.74', '10.0.0.7'],
  'outside.example': ['142.250.74.74'],
  'nowhere.example': [],
}

/** Looks a name up at name servers that know those and answer about no other. */
async function lookUp(name: string, count = 1) {
  await using servers = new AsyncDisposableStack()
  const addresses: string[] = []
  while (addresses.length < count) addresses.push(servers.use(await startNameServer(NAMES)).address)
  return await new Promise((resolve, reject) => {
    makePublicLookUp(addresses)(name, { all: true }, (error, found) =>
      error ? reject(error) : resolve(found),
    )
  })
}

test('a name is resolved to its public address', async () => {
  expect(await lookUp('outside.example')).toEqual([{ address: '142.250.74.74', family: 4 }])
})

test.for(['inside.example', 'both.example'])(
  'a name that leads inside (%s) is not resolved',
  async (name) => {
    await expect(lookUp(name)).rejects.toThrow('private network')
  },
)

test('a name without an address, and one about which nobody answers, are given up', async () => {
  await expect(lookUp('nowhere.example')).rejects.toMatchObject({ code: 'ENODATA' })
  await expect(lookUp('unknown.example')).rejects.toMatchObject({ code: 'ETIMEOUT' })
})

test('however many name servers do not answer, a name is given up in time', async () => {
  await expect(lookUp('unknown.example', 4)).rejects.toMatchObject({ code: 'ETIMEOUT' })
})
