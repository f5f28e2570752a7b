import { NO_HASH } from '@tradepost/record/leaf'
import { placeInTile } from '@tradepost/record/tiles'
import { joinSubtrees, subtreesOf } from '@tradepost/record/tree'
import type { Queryable } from '../platform/database/queryable.ts'
import { foldHashes, splitHashes } from './grow-tree.ts'
import { sha256 } from './hashes.ts'
import { findTiles } from './log.queries.ts'

/**
 * The hashes of ranges of the tree, each from its first leaf to before its last. Their tiles are read in one statement.
 * @throws RangeError for a range that the log does not have
 */
export async function readHashes(
  db: Queryable,
  ranges: readonly (readonly [from: number, to: number])[],
): Promise<Uint8Array[]> {
  const subtrees = ranges.map((range) => subtreesOf(range).map(placeInTile))
  const wanted = new Map(subtrees.flat().map((place) => [nameOf(place), place]))
  if (wanted.size === 0) return []
  const found = await findTiles(db, [...wanted.values()])
  const tiles = new Map([...wanted.keys()].map((name, nth) => [name, splitHashes(found[nth] ?? NO_HASH)]))
  return subtrees.map((places) =>
    joinSubtrees(
      sha256,
      places.map((place) => {
        const hashes = tiles.get(nameOf(place))?.slice(place.at, place.at + place.count) ?? []
        if (hashes.length < place.count) throw new RangeError('The log does not have these leaves')
        return foldHashes(hashes)
      }),
    ),
  )
}

const nameOf = ({ index, level }: { level: number; index: number }) => `${level} ${index}`
