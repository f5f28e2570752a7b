import { concat, HASH_BYTES, number, readBytes } from './bytes.ts'
import type { Subtree } from './tree.ts'

/**
 * Tiles (c2sp.org/tlog-tiles): a tile holds up to 256 neighbouring hashes of one level, where each hash of a level covers 256 of the level
 * below. A full tile never changes.
 */
export const TILE_WIDTH = 256
const TILE_LEVELS = 8

const ENTRY_LENGTH_BYTES = 2
const MAX_LEVEL = 63
const MAX_INDEX = 2 ** 48

/** A tile of hashes, or of the entries themselves; a width below 256 is the part that a tree of some size has of it. */
export type Tile = { level: number | 'entries'; index: number; width: number }

/** `tile/0/x001/x234/067.p/112`: three digits a step, so that a folder of files can hold them. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const steps = (padded.match(/\d{3}/g) ?? []).map((step, at, all) =>
    at < all.length - 1 ? `x${step}` : step,
  )
  return `tile/${level}/${steps.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** @returns null for a path that `tilePath` does not write */
export function readTilePath(path: string): Tile | null {
  const [, level = '', steps = '', , width] =
    /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(\.p\/(\d{1,3}))?$/.exec(path) ?? []
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(steps.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  const exists =
    (tile.level === 'entries' || tile.level <= MAX_LEVEL) && tile.index < MAX_INDEX && tile.width > 0
  return steps !== '' && exists && tilePath(tile) === path ? tile : null
}

/** How many hashes of a tile a tree of so many leaves has; 0 for none. */
export function widthAt({ level, index }: Pick<Tile, 'level' | 'index'>, size: number): number {
  const ofLevel = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level))
  return Math.max(0, Math.min(TILE_WIDTH, ofLevel - index * TILE_WIDTH))
}

/** The tile that holds a complete subtree, and which of its hashes make it: `count` from `at`, a power of two. */
export function placeInTile({ level, index }: Subtree): {
  level: number
  index: number
  at: number
  count: number
} {
  const count = 2 ** (level % TILE_LEVELS)
  const first = index * count
  return {
    level: Math.floor(level / TILE_LEVELS),
    index: Math.floor(first / TILE_WIDTH),
    at: first % TILE_WIDTH,
    count,
  }
}

/** Hashes of a tile, apart. @returns null when the bytes are not so many hashes */
export function readTile(bytes: Uint8Array, width: number): Uint8Array[] | null {
  if (bytes.length !== width * HASH_BYTES) return null
  return Array.from({ length: width }, (_, at) => bytes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES))
}

/** An entry bundle: each entry with its length before it. */
export function writeBundle(entries: readonly Uint8Array[]): Uint8Array {
  return concat(...entries.flatMap((entry) => [number(entry.length, ENTRY_LENGTH_BYTES), entry]))
}

/** @returns null when the bytes are not so many entries */
export function readBundle(bytes: Uint8Array, width: number): Uint8Array[] | null {
  const reader = readBytes(bytes)
  const entries: Uint8Array[] = []
  while (entries.length < width) {
    const entry = reader.take(reader.number(ENTRY_LENGTH_BYTES) ?? Number.POSITIVE_INFINITY)
    if (!entry) return null
    entries.push(entry)
  }
  return reader.isAtEnd() ? entries : null
}
