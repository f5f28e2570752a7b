import { HASH_BYTES } from '@tradepost/record/bytes'
import { TILE_WIDTH } from '@tradepost/record/tiles'
import { joinSubtrees, leafHash, nodeHash } from '@tradepost/record/tree'
import { sha256 } from './hashes.ts'

/** A tree by its right edge: the hashes of the complete subtrees that it is made of, the largest first. */
export type Edge = { size: number; hashes: Uint8Array[] }

export type FullTile = { level: number; index: number; hashes: Uint8Array; root: Uint8Array }

export type Grown = {
  edge: Edge
  root: Uint8Array
  leafHashes: Uint8Array[]
}

/** @param leaves one or more */
export function growTree({ hashes, size }: Edge, leaves: readonly Uint8Array[]): Grown {
  const edge = [...hashes]
  const leafHashes = leaves.map((leaf) => leafHash(sha256, leaf))
  leafHashes.forEach((hash, nth) => {
    let joined = hash
    // Each complete subtree of this height to the left is joined with what grew beside it.
    for (let place = size + nth; place % 2 === 1; place = (place - 1) / 2)
      joined = nodeHash(sha256, edge.pop() ?? joined, joined)
    edge.push(joined)
  })
  return {
    edge: { size: size + leaves.length, hashes: edge },
    root: joinSubtrees(sha256, edge),
    leafHashes,
  }
}

/** The first leaf whose hash is needed for the tiles that become full; null where none does. */
export function firstNeeded(level: number, before: number, after: number): number | null {
  const width = TILE_WIDTH ** (level + 1)
  const first = Math.floor(before / width)
  return Math.floor(after / width) > first ? first * TILE_WIDTH : null
}

/**
 * The tiles of a level that become full.
 * @param hashes of the level, from the first of the first tile on
 * @param first number of the first hash, a multiple of 256
 */
export function fullTiles(level: number, first: number, hashes: readonly Uint8Array[]): FullTile[] {
  return Array.from({ length: Math.floor(hashes.length / TILE_WIDTH) }, (_, nth) => {
    const of = hashes.slice(nth * TILE_WIDTH, (nth + 1) * TILE_WIDTH)
    return { level, index: first / TILE_WIDTH + nth, hashes: Buffer.concat(of), root: foldHashes(of) }
  })
}

/** The hash of a complete subtree. @param hashes of its parts of one height, a power of two of them */
export function foldHashes(hashes: readonly Uint8Array[]): Uint8Array {
  let level = [...hashes]
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) =>
      pair(level[2 * at], level[2 * at + 1]),
    )
  const [root] = level
  if (!root) throw new RangeError('There is nothing to join')
  return root
}

function pair(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array {
  if (!left || !right) throw new RangeError('A subtree is not complete')
  return nodeHash(sha256, left, right)
}

export function splitHashes(bytes: Uint8Array): Uint8Array[] {
  return Array.from(
    { length: bytes.length / HASH_BYTES },
    (_, at) => new Uint8Array(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  )
}
