import type { Sha256 } from './bytes.ts'
import { emptyRoot, joinSubtrees, nodeHash } from './tree.ts'

/** The root of a tree that grows by one leaf after the other; it keeps one hash a level. */
export type GrowingRoot = {
  /** @param leafHash of the next leaf */
  add(leafHash: Uint8Array): void
  root(): Uint8Array
  /** The hashes of the complete subtrees that the tree is made of, from left to right; `joinSubtrees` of them is its root. */
  edge(): readonly Uint8Array[]
  size(): number
}

export function growingRoot(sha256: Sha256): GrowingRoot {
  /** Complete subtrees from left to right, each smaller than the one before. */
  const subtrees: Uint8Array[] = []
  let size = 0
  return {
    add(leafHash) {
      let hash = leafHash
      for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2))
        hash = nodeHash(sha256, subtrees.pop() ?? hash, hash)
      subtrees.push(hash)
      size++
    },
    root: () => (size === 0 ? emptyRoot(sha256) : joinSubtrees(sha256, subtrees)),
    edge: () => [...subtrees],
    size: () => size,
  }
}
