import { concat, HASH_BYTES, type Sha256, sameBytes } from './bytes.ts'

/**
 * The Merkle tree of RFC 6962: every entry is a leaf, in order, and one hash (the root) commits to all of them. Sizes and indexes are whole
 * numbers below 2^48, so that no step leaves the numbers that JavaScript counts exactly.
 */

const LEAF = new Uint8Array([0])
const NODE = new Uint8Array([1])

export function leafHash(sha256: Sha256, entry: Uint8Array): Uint8Array {
  return sha256(concat(LEAF, entry))
}

export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concat(NODE, left, right))
}

export const emptyRoot = (sha256: Sha256): Uint8Array => sha256(new Uint8Array())

/** A range of leaves, from the first to before the last. */
type Range = readonly [from: number, to: number]

/** A complete subtree of 2^level leaves, the index-th of its level. */
export type Subtree = { level: number; index: number }

/** The complete subtrees that a range of the tree is made of, from left to right; `joinSubtrees` of their hashes is its hash. */
export function subtreesOf([from, to]: Range): Subtree[] {
  const subtrees: Subtree[] = []
  let start = from
  while (start < to) {
    let level = 0
    while (start % 2 ** (level + 1) === 0 && start + 2 ** (level + 1) <= to) level++
    subtrees.push({ level, index: start / 2 ** level })
    start += 2 ** level
  }
  return subtrees
}

/** @param hashes of complete subtrees that lie side by side, each smaller than the one before @throws RangeError without any */
export function joinSubtrees(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) throw new RangeError('There is nothing to join')
  return hashes.reduceRight((right, left) => nodeHash(sha256, left, right))
}

/** The ranges whose hashes are the inclusion path of a leaf, from the leaf up (RFC 6962 section 2.1.1). @throws RangeError beyond the tree */
export function inclusionRanges(index: number, size: number): Range[] {
  if (index < 0 || index >= size) throw new RangeError(`There is no leaf ${index} in a tree of ${size}`)
  const path: Range[] = []
  let [from, to]: Range = [0, size]
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from)
    path.push(index < middle ? [middle, to] : [from, middle])
    if (index < middle) to = middle
    else from = middle
  }
  return path.reverse()
}

/**
 * The ranges whose hashes prove that a tree goes on another one (RFC 6962 section 2.1.2); none from an empty tree, and none between two
 * of one size. @throws RangeError when the second is smaller
 */
export function consistencyRanges(first: number, second: number): Range[] {
  if (first < 0 || first > second) throw new RangeError(`A tree of ${second} does not go on one of ${first}`)
  if (first === 0 || first === second) return []
  const path: Range[] = []
  let [from, to]: Range = [0, second]
  while (to !== first) {
    const middle = from + largestPowerBelow(to - from)
    path.push(first <= middle ? [middle, to] : [from, middle])
    if (first <= middle) to = middle
    else from = middle
  }
  // A first tree that is complete is known already.
  if (from > 0) path.push([from, to])
  return path.reverse()
}

/** @returns the root that a path leads to from a leaf (RFC 9162 section 2.1.3.2), or null when it has another length than the place asks for */
export function rootOfInclusion(
  sha256: Sha256,
  { leaf, index, size, path }: { leaf: Uint8Array; index: number; size: number; path: readonly Uint8Array[] },
): Uint8Array | null {
  if (!isPlace(index, size) || index >= size || !path.every(isHash)) return null
  let place = index
  let last = size - 1
  let hash = leaf
  for (const sibling of path) {
    if (last === 0) return null
    if (isOdd(place) || place === last) {
      hash = nodeHash(sha256, sibling, hash)
      while (!isOdd(place) && place !== 0) {
        place = half(place)
        last = half(last)
      }
    } else hash = nodeHash(sha256, hash, sibling)
    place = half(place)
    last = half(last)
  }
  return last === 0 ? hash : null
}

type Head = { size: number; root: Uint8Array }

/** Whether the second tree begins with the whole first one (RFC 9162 section 2.1.4.2). */
export function isContinuation(
  sha256: Sha256,
  first: Head,
  second: Head,
  proof: readonly Uint8Array[],
): boolean {
  if (!isPlace(first.size, second.size) || !proof.every(isHash)) return false
  if (first.size === 0) return proof.length === 0 && sameBytes(first.root, emptyRoot(sha256))
  if (first.size === second.size) return proof.length === 0 && sameBytes(first.root, second.root)
  let place = first.size - 1
  let last = second.size - 1
  while (isOdd(place)) {
    place = half(place)
    last = half(last)
  }
  // A complete first tree is where the proof would begin.
  const [start, ...rest] = place === 0 ? [first.root, ...proof] : proof
  if (!start) return false
  let ofFirst = start
  let ofSecond = start
  for (const hash of rest) {
    if (last === 0) return false
    if (isOdd(place) || place === last) {
      ofFirst = nodeHash(sha256, hash, ofFirst)
      ofSecond = nodeHash(sha256, hash, ofSecond)
      while (!isOdd(place) && place !== 0) {
        place = half(place)
        last = half(last)
      }
    } else ofSecond = nodeHash(sha256, ofSecond, hash)
    place = half(place)
    last = half(last)
  }
  return last === 0 && sameBytes(ofFirst, first.root) && sameBytes(ofSecond, second.root)
}

const MAX_SIZE = 2 ** 48

const isHash = ({ length }: Uint8Array) => length === HASH_BYTES
const isOdd = (value: number) => value % 2 === 1
const half = (value: number) => Math.floor(value / 2)

function isPlace(index: number, size: number): boolean {
  return (
    Number.isSafeInteger(index) &&
    Number.isSafeInteger(size) &&
    index >= 0 &&
    index <= size &&
    size < MAX_SIZE
  )
}

/** The largest power of two below a number from 2. */
function largestPowerBelow(value: number): number {
  let power = 1
  while (power * 2 < value) power *= 2
  return power
}
