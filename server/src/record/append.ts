import { concat } from '@tradepost/record/bytes'
import { NO_HASH } from '@tradepost/record/leaf'
import { emptyRoot, joinSubtrees } from '@tradepost/record/tree'
import type { EventKey } from '../events/events.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { type FullTile, firstNeeded, fullTiles, growTree, splitHashes } from './grow-tree.ts'
import { sha256 } from './hashes.ts'
import {
  findLeafHashes,
  findTileRoots,
  type HeadRow,
  insertBatch,
  type LockedHead,
  type PlanRow,
  type RecordRow,
} from './log.queries.ts'
import { type KeyDeps, signCheckpoint, signingKey } from './log-keys.ts'

/** An entry that is to be added. `record`: null for one of the log itself. */
export type NewEntry = { leaf: Uint8Array; text: string; record: Uint8Array | null }

export type Batch = {
  entries: readonly NewEntry[]
  plan: readonly PlanRow[]
  /** Events whose work for the log is done with this. */
  done: readonly EventKey[]
  /** Every record with a new entry, as it is after it. */
  records: readonly RecordRow[]
  /** Milliseconds since 1970, of the newest entry. */
  newestAt: number
  importsEnded: boolean
}

/** A checkpoint that was signed. */
export type SignedHead = { logId: string; size: number; root: Uint8Array; note: string; signedAt: Date }

/**
 * Adds entries to the log and signs the tree with them.
 * @param tx holds the lock of `head`
 * @returns the checkpoint: nobody may be given it before the transaction is committed
 */
export async function appendEntries(
  tx: Queryable,
  deps: KeyDeps,
  head: LockedHead,
  { done, entries, importsEnded, newestAt, plan, records }: Batch,
  now: Date,
): Promise<SignedHead> {
  const { edge, leafHashes, root } = growTree(
    { size: head.size, hashes: splitHashes(head.edge) },
    entries.map(({ leaf }) => leaf),
  )
  const tiles = await newTiles(tx, { before: head.size, after: edge.size, leafHashes })
  const key = await signingKey(tx, deps, head)
  const note = signCheckpoint(key, { origin: head.origin, size: edge.size, root }, now)
  await insertBatch(tx, {
    first: head.size,
    entries: entries.map((entry, nth) => ({ ...entry, leafHash: leafHashes[nth] ?? NO_HASH })),
    tiles,
    records,
    plan,
    done,
    head: {
      size: edge.size,
      edge: concat(...edge.hashes),
      root,
      newestAt,
      importsEnded,
      note,
      signedAt: now,
    },
  })
  return { logId: head.logId, size: edge.size, root, note, signedAt: now }
}

type Growth = { before: number; after: number; leafHashes: readonly Uint8Array[] }

/** The tiles that become full: what they hold of before is read, the rest is new. */
async function newTiles(tx: Queryable, { after, before, leafHashes }: Growth): Promise<FullTile[]> {
  const all: FullTile[] = []
  let added: readonly Uint8Array[] = leafHashes
  for (let level = 0; ; level += 1) {
    const first = firstNeeded(level, before, after)
    if (first === null) return all
    const kept = await (level === 0 ? findLeafHashes(tx, first) : findTileRoots(tx, level - 1, first))
    const full = fullTiles(level, first, [...kept, ...added])
    all.push(...full)
    added = full.map(({ root }) => root)
  }
}

/** The root of a head. */
export function rootOf({ edge, size }: Pick<HeadRow, 'edge' | 'size'>): Uint8Array {
  return size === 0 ? emptyRoot(sha256) : joinSubtrees(sha256, splitHashes(edge))
}
