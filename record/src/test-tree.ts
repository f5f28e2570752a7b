import { type Sha256, utf8 } from './bytes.ts'
import { consistencyRanges, inclusionRanges, joinSubtrees, leafHash, nodeHash, subtreesOf } from './tree.ts'

/** A tree in memory, for tests: its proofs are made as the server makes them, from hashes of complete subtrees. */
export function treeOf(sha256: Sha256, entries: readonly Uint8Array[]) {
  const levels: Uint8Array[][] = [entries.map((entry) => leafHash(sha256, entry))]
  for (let below = levels[0] ?? []; below.length > 1; below = levels.at(-1) ?? [])
    levels.push(
      Array.from({ length: Math.floor(below.length / 2) }, (_, at) =>
        nodeHash(sha256, below[2 * at] ?? new Uint8Array(), below[2 * at + 1] ?? new Uint8Array()),
      ),
    )
  const ofRange = (range: readonly [number, number]) =>
    joinSubtrees(
      sha256,
      subtreesOf(range).map(({ level, index }) => levels[level]?.[index] ?? new Uint8Array()),
    )
  return {
    leaf: (index: number) => levels[0]?.[index] ?? new Uint8Array(),
    range: ofRange,
    /** The hash of a complete subtree. */
    subtree: (level: number, index: number) => levels[level]?.[index] ?? new Uint8Array(),
    root: (size: number) => ofRange([0, size]),
    inclusion: (index: number, size: number) => inclusionRanges(index, size).map(ofRange),
    consistency: (first: number, second: number) => consistencyRanges(first, second).map(ofRange),
  }
}

/** The entries of the vectors: `entry 0`, `entry 1` and so on. */
export const entriesTo = (size: number): Uint8Array[] =>
  Array.from({ length: size }, (_, index) => utf8(`entry ${index}`))
