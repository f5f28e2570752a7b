import { entriesTo, treeOf } from '@tradepost/record/test-tree'
import { TILE_WIDTH, widthAt } from '@tradepost/record/tiles'
import { emptyRoot } from '@tradepost/record/tree'
import { expect, test } from 'vitest'
import { type Edge, firstNeeded, foldHashes, fullTiles, growTree, splitHashes } from './grow-tree.ts'
import { sha256 } from './hashes.ts'

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex')

/** A log in memory that grows as the server's tables do. */
function emptyLog() {
  let edge: Edge = { size: 0, hashes: [] }
  let root = emptyRoot(sha256)
  const hashes: Uint8Array[] = []
  const tiles = new Map<string, { hashes: Uint8Array; root: Uint8Array }>()
  const rootsFrom = (level: number, first: number) => {
    const roots: Uint8Array[] = []
    for (let index = first; tiles.has(`${level} ${index}`); index += 1)
      roots.push(tiles.get(`${level} ${index}`)?.root ?? new Uint8Array())
    return roots
  }
  return {
    tiles,
    head: () => ({ size: edge.size, root, edge: edge.hashes }),
    add(leaves: readonly Uint8Array[]) {
      const before = edge.size
      const grown = growTree(edge, leaves)
      edge = grown.edge
      root = grown.root
      hashes.push(...grown.leafHashes)
      for (let level = 0; ; level += 1) {
        const first = firstNeeded(level, before, edge.size)
        if (first === null) break
        const below = level === 0 ? hashes.slice(first) : rootsFrom(level - 1, first)
        for (const tile of fullTiles(level, first, below)) {
          const name = `${level} ${tile.index}`
          expect(tiles.has(name), `tile ${name} is made once`).toBe(false)
          tiles.set(name, tile)
        }
      }
    },
  }
}

/** Numbers from 0 to below 1, the same in each run. */
function drawsOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

test('a tree that grows in pieces of any size has the root of the one that is built at once, up to seventy leaves', () => {
  const entries = entriesTo(70)
  const whole = treeOf(sha256, entries)
  const draw = drawsOf(7)
  for (let round = 0; round < 20; round += 1) {
    const log = emptyLog()
    for (let size = 0; size < 70; size = log.head().size) {
      log.add(entries.slice(size, size + 1 + Math.floor(draw() * 9)))
      const { edge, root, size: now } = log.head()
      expect(hex(root)).toBe(hex(whole.root(now)))
      expect(edge).toHaveLength(now.toString(2).replaceAll('0', '').length)
    }
  }
})

test('beyond 256 and beyond 65,536 leaves, root and full tiles are those of the tree that is built at once', () => {
  const entries = entriesTo(70_000)
  const whole = treeOf(sha256, entries)
  for (const seed of [1, 2]) {
    const draw = drawsOf(seed)
    const log = emptyLog()
    while (log.head().size < 70_000) {
      const { size } = log.head()
      const toTile = TILE_WIDTH - (size % TILE_WIDTH)
      // Single ones, up to the end of a tile, one beyond it, and large batches.
      const piece = [1, toTile, toTile + 1, 2000][Math.floor(draw() * 4)] ?? 1
      log.add(entries.slice(size, size + piece))
      expect(hex(log.head().root)).toBe(hex(whole.root(log.head().size)))
    }
    expect(log.tiles.size).toBe(273 + 1)
    for (const [name, { hashes, root }] of log.tiles) {
      const [level = 0, index = 0] = name.split(' ').map(Number)
      expect(widthAt({ level, index }, 70_000)).toBe(256)
      const span = TILE_WIDTH ** level
      const of = splitHashes(hashes)
      expect(of).toHaveLength(256)
      for (const at of [0, 1, 128, 255])
        expect(hex(of[at])).toBe(hex(whole.range([(index * 256 + at) * span, (index * 256 + at + 1) * span])))
      expect(hex(root)).toBe(hex(whole.range([index * 256 * span, (index + 1) * 256 * span])))
    }
  }
})

test('a subtree that is not complete has no hash', () => {
  const hashes = entriesTo(6)
  expect(() => foldHashes([])).toThrow('There is nothing to join')
  for (const count of [3, 5, 6])
    expect(() => foldHashes(hashes.slice(0, count))).toThrow('A subtree is not complete')
})
