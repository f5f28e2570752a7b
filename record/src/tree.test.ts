import { expect, test } from 'vitest'
import vectors from '../test-vectors/vectors.json' with { type: 'json' }
import { concat, fromBase64, toBase64, utf8 } from './bytes.ts'
import { sha256 } from './test-hash.ts'
import { entriesTo, treeOf } from './test-tree.ts'
import { consistencyRanges, emptyRoot, inclusionRanges, isContinuation, rootOfInclusion } from './tree.ts'

const bytes = (text: string) => fromBase64(text) ?? new Uint8Array()
const hex = (value: Uint8Array | null) => value && Buffer.from(value).toString('hex')
const root = (size: number) => bytes(vectors.roots[size - 1] ?? '')
const tree = treeOf(sha256, entriesTo(300))

/** One bit of a hash is another. */
const spoiled = (hash: Uint8Array, bit: number) =>
  hash.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))

test('a tree of the eight entries that implementations of RFC 6962 are tried with has their roots', () => {
  const entries = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ]
  const known = treeOf(
    sha256,
    entries.map((entry) => new Uint8Array(Buffer.from(entry, 'hex'))),
  )
  expect(hex(emptyRoot(sha256))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(hex(known.root(1))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d')
  expect(hex(known.root(2))).toBe('fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125')
  expect(hex(known.root(3))).toBe('aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77')
  expect(hex(known.root(7))).toBe('ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c')
  expect(hex(known.root(8))).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328')
})

test('the roots of 300 trees are those that Go’s package for its checksum database makes', () => {
  expect(vectors.roots).toHaveLength(300)
  for (const [at, expected] of vectors.roots.entries()) expect(toBase64(tree.root(at + 1))).toBe(expected)
})

test('inclusion paths are those that Go makes, and lead to the roots', () => {
  expect(vectors.inclusions).toHaveLength(53)
  for (const { index, size, path } of vectors.inclusions) {
    expect(tree.inclusion(index, size).map(toBase64)).toEqual(path)
    const led = rootOfInclusion(sha256, { leaf: tree.leaf(index), index, size, path: path.map(bytes) })
    expect(hex(led)).toBe(hex(root(size)))
  }
})

test('consistency proofs are those that Go makes, and hold', () => {
  for (const { first, size, proof } of vectors.consistencies) {
    expect(tree.consistency(first, size).map(toBase64)).toEqual(proof)
    const heads = [
      { size: first, root: root(first) },
      { size, root: root(size) },
    ] as const
    expect(isContinuation(sha256, ...heads, proof.map(bytes))).toBe(true)
  }
  expect(vectors.consistencies).toHaveLength(76)
})

test('in every tree of up to 70 leaves every right path is accepted, and no other', () => {
  for (let size = 1; size <= 70; size++) {
    const expected = hex(tree.root(size))
    for (let index = 0; index < size; index++) {
      const path = tree.inclusion(index, size)
      const led = (change: Partial<Parameters<typeof rootOfInclusion>[1]>) =>
        hex(rootOfInclusion(sha256, { leaf: tree.leaf(index), index, size, path, ...change }))
      expect(led({})).toBe(expected)
      expect(led({ leaf: spoiled(tree.leaf(index), 7) })).not.toBe(expected)
      expect(led({ path: [...path, tree.leaf(0)] })).not.toBe(expected)
      if (size > 1) expect(led({ index: (index + 1) % size })).not.toBe(expected)
      for (const at of path.keys()) {
        expect(led({ path: path.with(at, spoiled(path[at] ?? tree.leaf(0), (index * 7) % 256)) })).not.toBe(
          expected,
        )
        expect(led({ path: path.toSpliced(at, 1) })).not.toBe(expected)
      }
    }
  }
})

test('between all trees of up to 70 leaves every right proof is accepted, and no other', () => {
  for (let size = 1; size <= 70; size++)
    for (let first = 1; first <= size; first++) {
      const proof = tree.consistency(first, size)
      const holds = (changed: Uint8Array[], ofFirst = tree.root(first), ofSecond = tree.root(size)) =>
        isContinuation(sha256, { size: first, root: ofFirst }, { size, root: ofSecond }, changed)
      expect(holds(proof)).toBe(true)
      expect(holds(proof, spoiled(tree.root(first), 9))).toBe(false)
      expect(holds(proof, tree.root(first), spoiled(tree.root(size), 9))).toBe(false)
      expect(holds([...proof, tree.leaf(0)])).toBe(false)
      for (const at of proof.keys()) {
        expect(holds(proof.with(at, spoiled(proof[at] ?? tree.leaf(0), (first * 5) % 256)))).toBe(false)
        expect(holds(proof.toSpliced(at, 1))).toBe(false)
      }
    }
})

test('an empty tree goes on as any tree, with an empty proof alone', () => {
  const empty = { size: 0, root: emptyRoot(sha256) }
  const later = { size: 3, root: tree.root(3) }
  expect(isContinuation(sha256, empty, later, [])).toBe(true)
  expect(isContinuation(sha256, { ...empty, root: tree.root(1) }, later, [])).toBe(false)
  expect(isContinuation(sha256, empty, later, [tree.leaf(0)])).toBe(false)
  expect(isContinuation(sha256, later, empty, [])).toBe(false)
})

test('in a tree of nearly 2^48 leaves a path has 48 hashes, and leads to one root alone', () => {
  const size = 2 ** 48 - 1
  const index = 2 ** 47 + 12_345
  const path = inclusionRanges(index, size).map(([from, to]) => sha256(utf8(`${from} ${to}`)))
  expect(path).toHaveLength(48)
  const leaf = tree.leaf(0)
  const led = rootOfInclusion(sha256, { leaf, index, size, path })
  expect(led).not.toBeNull()
  expect(hex(rootOfInclusion(sha256, { leaf, index: index + 1, size, path }))).not.toBe(hex(led))
  expect(rootOfInclusion(sha256, { leaf, index, size, path: path.slice(1) })).toBeNull()
})

test.each([
  [-1, 5],
  [5, 5],
  [1.5, 5],
  [0, 2 ** 48],
  [Number.NaN, 5],
])('nobody is led anywhere from leaf %d of %d', (index, size) => {
  expect(rootOfInclusion(sha256, { leaf: tree.leaf(0), index, size, path: [] })).toBeNull()
})

test('no path is made beyond a tree, and no proof backwards', () => {
  expect(() => inclusionRanges(3, 3)).toThrow('There is no leaf 3 in a tree of 3')
  expect(() => consistencyRanges(4, 3)).toThrow('A tree of 3 does not go on one of 4')
})

test('a hash of another length leads nowhere, in a path and in a proof of growth', () => {
  const place = { leaf: tree.leaf(1), index: 1, size: 4 }
  const path = tree.inclusion(1, 4)
  expect(rootOfInclusion(sha256, { ...place, path })).toEqual(tree.root(4))
  const [first, second] = [
    { size: 3, root: tree.root(3) },
    { size: 4, root: tree.root(4) },
  ]
  const proof = tree.consistency(3, 4)
  expect(isContinuation(sha256, first, second, proof)).toBe(true)
  for (const spoil of [(hash: Uint8Array) => hash.slice(1), (hash: Uint8Array) => concat(hash, hash)]) {
    expect(rootOfInclusion(sha256, { ...place, path: path.map(spoil) })).toBeNull()
    expect(isContinuation(sha256, first, second, proof.map(spoil))).toBe(false)
  }
})
