import { expect, test } from 'vitest'
import { type FindKept, versionedCache } from './versioned-cache.ts'

type Text = { text: string }

const keep = () => versionedCache<Text>({ maxSize: 160, sizeOf: ({ text }) => text.length })

/** Asks for one key; what is not kept is read as `text`. @returns what was answered, and whether it was read */
async function ask(find: FindKept<Text>, key: string, version: number, text: string) {
  let read = false
  const found = await find(new Map([[key, version]]), async () => {
    read = true
    return new Map([[key, { text }]])
  })
  return { text: found.get(key)?.text, read }
}

test('a value is read once a version', async () => {
  const find = keep()
  expect(await ask(find, 'a', 1, 'one')).toEqual({ text: 'one', read: true })
  expect(await ask(find, 'a', 1, 'other')).toEqual({ text: 'one', read: false })
  expect(await ask(find, 'a', 2, 'two')).toEqual({ text: 'two', read: true })
  expect(await ask(find, 'a', 2, 'other')).toEqual({ text: 'two', read: false })
})

test('keys that are asked for together are read together, and only those that are not kept', async () => {
  const find = keep()
  await ask(find, 'b', 1, 'kept')
  const readings: string[][] = []
  const asked = new Map([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ])
  const found = await find(asked, async (missing) => {
    readings.push([...missing.keys()])
    return new Map([...missing.keys()].map((key) => [key, { text: key }]))
  })
  expect(readings).toEqual([['a', 'c']])
  expect([...found].map(([key, { text }]) => `${key}: ${text}`).sort()).toEqual(['a: a', 'b: kept', 'c: c'])
})

test('two who miss the same value at once wait for one reading, and who misses another version does not', async () => {
  const find = keep()
  const { promise, resolve } = Promise.withResolvers<Map<string, Text>>()
  const first = find(new Map([['a', 1]]), () => promise)
  const second = ask(find, 'a', 1, 'read again')
  expect(await ask(find, 'a', 2, 'newer')).toEqual({ text: 'newer', read: true })
  resolve(new Map([['a', { text: 'older' }]]))
  expect((await first).get('a')?.text).toBe('older')
  expect(await second).toEqual({ text: 'older', read: false })
})

test('a reading that ends late does not replace a value of a newer version', async () => {
  const find = keep()
  const { promise, resolve } = Promise.withResolvers<Map<string, Text>>()
  const late = find(new Map([['a', 1]]), () => promise)
  await ask(find, 'a', 2, 'newer')
  resolve(new Map([['a', { text: 'older' }]]))
  await late
  expect(await ask(find, 'a', 2, 'read again')).toEqual({ text: 'newer', read: false })
})

test('of more than there is room for, what was asked for longest ago goes first', async () => {
  const find = keep()
  const text = 'nine more'
  for (let nth = 0; nth < 16; nth += 1) await ask(find, String.fromCharCode(97 + nth), 1, text)
  expect((await ask(find, 'a', 1, text)).read).toBe(false)
  await ask(find, 'z', 1, text)
  expect((await ask(find, 'a', 1, text)).read).toBe(false)
  expect((await ask(find, 'b', 1, text)).read).toBe(true)
})

test('a value that would take the room of many is answered and not kept', async () => {
  const find = keep()
  expect((await ask(find, 'a', 1, 'nine more')).read).toBe(true)
  expect((await ask(find, 'a', 1, 'nine more')).read).toBe(false)
  expect(await ask(find, 'a', 2, 'ten or more')).toEqual({ text: 'ten or more', read: true })
  expect((await ask(find, 'a', 2, 'ten or more')).read).toBe(true)
})

test('a reading that fails, or finds nothing that can be kept, is made again', async () => {
  const find = keep()
  const failing = find(new Map([['a', 1]]), async () => {
    throw new Error('not now')
  })
  const waiting = ask(find, 'a', 1, 'not read')
  await expect(failing).rejects.toThrow('not now')
  await expect(waiting).rejects.toThrow('not now')
  expect((await find(new Map([['a', 1]]), async () => new Map())).get('a')).toBeUndefined()
  expect(await ask(find, 'a', 1, 'now')).toEqual({ text: 'now', read: true })
})
