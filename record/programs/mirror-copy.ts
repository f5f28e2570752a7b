import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { concat, sameBytes } from '../src/bytes.ts'
import { type Finding, finding } from '../src/findings.ts'
import { type GrowingRoot, growingRoot } from '../src/growing-root.ts'
import { followHistories, type Histories } from '../src/histories.ts'
import { readLeaf } from '../src/leaf.ts'
import type { RecordSource } from '../src/record-source.ts'
import { readBundle, TILE_WIDTH, type Tile, tilePath, widthAt } from '../src/tiles.ts'
import { joinSubtrees, leafHash } from '../src/tree.ts'
import { readKept, writeDurably } from './kept-file.ts'
import { sha256 } from './node-crypto.ts'
import { sideBySide } from './side-by-side.ts'

const AT_ONCE = 16

type Head = { size: number; root: Uint8Array }

/** A log that is read, with its tiles of hashes. */
type TiledSource = RecordSource & { hashes(path: string): Promise<Uint8Array> }

/** A copy of a log's entries and tiles in a folder. */
export type Copy = {
  /**
   * Brings the copy to a signed head.
   * @param before the head that the folder was held against last; the new one has to go on it
   * @returns no finding where all of it is under the root and on the disk; after one the copy is opened again
   */
  take(source: TiledSource, head: Head, before: Head | null): Promise<Finding[]>
  /** The history of every record in the copy. */
  histories: Histories
}

/** A tile of leaves that is on the disk. */
type Taken = { entries: Uint8Array[]; hashes: Uint8Array[]; found: Finding[] }

/** @param folder with the files of an earlier copy, or none */
export function openCopy(folder: string): Copy {
  const histories = followHistories()
  /** The hash of each full tile of leaves. */
  const roots: Uint8Array[] = []
  /** So many leaves have been followed; some may be behind the last full tile. */
  let followed = 0
  const fileOf = (tile: Tile) => join(folder, tilePath(tile))

  /** The bundle of the folder, where it is full and fits its tile: a file that a disk has spoiled is asked for again. */
  function readKeptBundle(index: number): Taken | null {
    const bytes = readKept(fileOf({ level: 'entries', index, width: TILE_WIDTH }))
    const tile = bytes && readKept(fileOf({ level: 0, index, width: TILE_WIDTH }))
    const entries = bytes && readBundle(bytes, TILE_WIDTH)
    if (!entries || !tile) return null
    const hashes = entries.map((entry) => leafHash(sha256, entry))
    return sameBytes(concat(...hashes), tile) ? { entries, hashes, found: [] } : null
  }

  /** Reads a bundle, of the folder or of the log, and keeps it with its tile. */
  async function takeBundle(source: TiledSource, index: number, width: number): Promise<Taken | null> {
    const kept = width === TILE_WIDTH ? readKeptBundle(index) : null
    if (kept) return kept
    const bytes = await source.bundle(index, width)
    const entries = readBundle(bytes, width)
    if (!entries) return null
    const hashes = entries.map((entry) => leafHash(sha256, entry))
    await keep({ level: 'entries', index, width }, bytes)
    return { entries, hashes, found: await takeTile(source, { level: 0, index, width }, hashes) }
  }

  async function take(source: TiledSource, head: Head, before: Head | null): Promise<Finding[]> {
    const first = roots.length
    const tiles = Array.from({ length: Math.ceil(head.size / TILE_WIDTH) - first }, (_, nth) => first + nth)
    const found: Finding[] = []
    let edge: readonly Uint8Array[] = []
    const widthOf = (index: number) => widthAt({ level: 'entries', index }, head.size)
    const ask = (index: number) => takeBundle(source, index, widthOf(index))
    for await (const { item: index, answer } of sideBySide(tiles, AT_ONCE, ask)) {
      const start = index * TILE_WIDTH
      if (!answer) return [finding('A6', `The entries from ${start} cannot be read`)]
      if (before && !goesOn(roots, start, answer.hashes, before))
        return [finding('A5', `The copy of ${head.size} leaves`)]
      for (const [at, entry] of answer.entries.entries())
        if (start + at >= followed)
          found.push(...follow(histories, start + at, entry, answer.hashes[at] ?? entry))
      followed = start + answer.entries.length
      found.push(...answer.found)
      const tree = treeOf(answer.hashes)
      const isFull = answer.entries.length === TILE_WIDTH
      if (isFull) roots.push(tree.root())
      edge = isFull ? [] : tree.edge()
    }
    if (sameBytes(rootOf(roots, edge), head.root)) return [...found, ...(await takeUpperTiles(source, first))]
    for (const index of tiles.filter((tile) => (tile + 1) * TILE_WIDTH > (before?.size ?? 0)))
      for (const level of ['entries', 0] as const)
        await rm(fileOf({ level, index, width: widthOf(index) }), { force: true })
    return [finding('A6', `The copy of ${head.size} leaves`)]
  }

  /** Keeps a tile; where it is full its parts are done with. */
  async function keep(tile: Tile, bytes: Uint8Array): Promise<void> {
    await writeDurably(fileOf(tile), bytes)
    if (tile.width === TILE_WIDTH) await rm(`${fileOf(tile)}.p`, { recursive: true, force: true })
  }

  /** Keeps a tile of hashes; the log's own has to be the same. */
  async function takeTile(
    source: TiledSource,
    tile: Tile,
    hashes: readonly Uint8Array[],
  ): Promise<Finding[]> {
    const bytes = concat(...hashes)
    await keep(tile, bytes)
    const path = tilePath(tile)
    return sameBytes(await source.hashes(path), bytes) ? [] : [finding('A6', `The tile ${path}`)]
  }

  /** The tiles above those of leaves that have changed. @param first the first tile of leaves that was not full before */
  async function takeUpperTiles(source: TiledSource, first: number): Promise<Finding[]> {
    const found: Finding[] = []
    let from = first
    let below: readonly Uint8Array[] = roots
    for (let level = 1; below.length > 0 && from < below.length; level++) {
      const above: Uint8Array[] = []
      for (let start = 0; start < below.length; start += TILE_WIDTH) {
        const hashes = below.slice(start, start + TILE_WIDTH)
        if (start + TILE_WIDTH > from) {
          const tile = { level, index: start / TILE_WIDTH, width: hashes.length }
          found.push(...(await takeTile(source, tile, hashes)))
        }
        if (hashes.length === TILE_WIDTH) above.push(treeOf(hashes).root())
      }
      from = Math.floor(from / TILE_WIDTH)
      below = above
    }
    return found
  }

  return { take, histories }
}

function treeOf(hashes: readonly Uint8Array[]): GrowingRoot {
  const tree = growingRoot(sha256)
  for (const hash of hashes) tree.add(hash)
  return tree
}

/** @param edge of the leaves behind the full tiles */
function rootOf(roots: readonly Uint8Array[], edge: readonly Uint8Array[]): Uint8Array {
  const upper = treeOf(roots)
  const subtrees = [...upper.edge(), ...edge]
  return subtrees.length === 0 ? upper.root() : joinSubtrees(sha256, subtrees)
}

/** Whether a head that ends in this tile has the root of the leaves up to there. @param start the first leaf of the tile */
function goesOn(
  roots: readonly Uint8Array[],
  start: number,
  hashes: readonly Uint8Array[],
  before: Head,
): boolean {
  const inTile = before.size - start
  if (inTile <= 0 || inTile > hashes.length) return true
  return sameBytes(rootOf(roots, treeOf(hashes.slice(0, inTile)).edge()), before.root)
}

function follow(histories: Histories, index: number, entry: Uint8Array, hash: Uint8Array): Finding[] {
  const leaf = readLeaf(entry)
  return leaf
    ? histories.add(index, leaf, hash)
    : [finding('A7', `Entry ${index} is no leaf of the record`, { index })]
}
