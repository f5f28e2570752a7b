import { expect, test } from 'vitest'
import vectors from '../test-vectors/vectors.json' with { type: 'json' }
import { utf8 } from './bytes.ts'
import { placeInTile, readBundle, readTile, readTilePath, tilePath, widthAt, writeBundle } from './tiles.ts'

test('paths of tiles are those that Go writes, but for its step that names the height', () => {
  expect(vectors.tiles.length).toBeGreaterThan(5)
  for (const { path, level, index, width } of vectors.tiles) {
    const ours = tilePath({ level, index, width })
    expect(ours).toBe(path.replace('tile/8/', 'tile/'))
    expect(readTilePath(ours)).toEqual({ level, index, width })
  }
})

test('a path of the specification leads to its tile', () => {
  expect(readTilePath('tile/0/x001/x234/067')).toEqual({ level: 0, index: 1_234_067, width: 256 })
  expect(readTilePath('tile/entries/000.p/112')).toEqual({ level: 'entries', index: 0, width: 112 })
})

test.each([
  'tile/0/1',
  'tile/0/x000/001',
  'tile/00/001',
  'tile/64/001',
  'tile/0/001/002',
  'tile/0/001.p/0',
  'tile/0/001.p/256',
  'tile/0/001.p/012',
  'tile/data/001',
  'tile/0/x1234/001',
  'tile/0/001/',
  '/tile/0/001',
  'tile/0/001\n',
  `tile/0/${'x999/'.repeat(6)}999`,
])('%j names no tile', (path) => {
  expect(readTilePath(path)).toBeNull()
})

test('a tree of 70,000 leaves has the tiles that the specification counts', () => {
  const widths = (level: number) => [0, 1, 272, 273, 274].map((index) => widthAt({ level, index }, 70_000))
  expect(widths(0)).toEqual([256, 256, 256, 112, 0])
  expect(widths(1)).toEqual([256, 17, 0, 0, 0])
  expect(widths(2)).toEqual([1, 0, 0, 0, 0])
  expect(widthAt({ level: 1, index: 0 }, 256)).toBe(1)
  expect(widthAt({ level: 'entries', index: 273 }, 70_000)).toBe(112)
})

test('a complete subtree is made of hashes that lie side by side in one tile', () => {
  expect(placeInTile({ level: 0, index: 300 })).toEqual({ level: 0, index: 1, at: 44, count: 1 })
  expect(placeInTile({ level: 7, index: 3 })).toEqual({ level: 0, index: 1, at: 128, count: 128 })
  expect(placeInTile({ level: 8, index: 300 })).toEqual({ level: 1, index: 1, at: 44, count: 1 })
  expect(placeInTile({ level: 17, index: 5 })).toEqual({ level: 2, index: 0, at: 10, count: 2 })
})

test('entries come back from their bundle, and a bundle of another number of them is refused', () => {
  const entries = ['', 'one', 'x'.repeat(108)].map(utf8)
  const bundle = writeBundle(entries)
  expect(bundle.slice(0, 7)).toEqual(new Uint8Array([0, 0, 0, 3, 111, 110, 101]))
  expect(readBundle(bundle, 3)).toEqual(entries)
  expect(readBundle(bundle, 2)).toBeNull()
  expect(readBundle(bundle, 4)).toBeNull()
  expect(readBundle(bundle.slice(0, -1), 3)).toBeNull()
})

test('hashes come back from their tile, and a tile of another length is refused', () => {
  const bytes = new Uint8Array(64).fill(7, 32)
  expect(readTile(bytes, 2)).toEqual([new Uint8Array(32), new Uint8Array(32).fill(7)])
  expect(readTile(bytes, 1)).toBeNull()
  expect(readTile(bytes.slice(1), 2)).toBeNull()
})
