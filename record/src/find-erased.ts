import { type Sha256, sameBytes } from './bytes.ts'
import type { Finding } from './findings.ts'
import { readLeaf } from './leaf.ts'
import type { Policy } from './receipt.ts'
import type { RecordSource } from './record-source.ts'
import { type Crypto, readSignedHead } from './signed-head.ts'
import { readBundle, TILE_WIDTH, widthAt } from './tiles.ts'
import { isContinuation, leafHash, rootOfInclusion } from './tree.ts'

/**
 * Looks for the leaf that says that a record was erased, from the end; it has to be under the signed root.
 * @returns its instant, ms since 1970; null where there is none
 */
async function findErased(
  source: Pick<RecordSource, 'bundle' | 'inclusion'>,
  { size, root }: { size: number; root: Uint8Array },
  record: Uint8Array,
  sha256: Sha256,
): Promise<number | null> {
  for (let tile = Math.ceil(size / TILE_WIDTH) - 1; tile >= 0; tile--) {
    const width = widthAt({ level: 'entries', index: tile }, size)
    const entries = readBundle(await source.bundle(tile, width), width) ?? []
    const nth = entries.findIndex((entry) => {
      const leaf = readLeaf(entry)
      return leaf?.kind === 'erased' && sameBytes(leaf.record, record)
    })
    const entry = entries[nth]
    if (!entry) continue
    const index = tile * TILE_WIDTH + nth
    const path = (await source.inclusion(index, size)) ?? []
    const led = rootOfInclusion(sha256, { leaf: leafHash(sha256, entry), index, size, path })
    return led !== null && sameBytes(led, root) ? (readLeaf(entry)?.at ?? null) : null
  }
  return null
}

/**
 * Looks whether a record is erased by now: a person may have gone since the head was read. The newest head has to go on that one.
 * @param head that the log signed before
 * @returns the instant of the erasure, ms since 1970; null for a record that is not erased
 */
export async function findErasure(
  source: RecordSource,
  head: { size: number; root: Uint8Array },
  record: Uint8Array,
  policy: Policy,
  crypto: Crypto,
): Promise<number | null> {
  const { head: newest } = await readSignedHead(await source.checkpoint(), policy, crypto)
  if (!newest || newest.size < head.size) return null
  const proof = newest.size === head.size ? [] : ((await source.consistency(head.size, newest.size)) ?? [])
  if (!isContinuation(crypto.sha256, head, newest, proof)) return null
  return findErased(source, newest, record, crypto.sha256)
}

/** For so long nobody is given the name of somebody who was erased; later it may be somebody else's, with a record of their own. */
const NAME_KEPT_MS = 365 * 86_400_000

/** Whether the record that a name has now is of somebody who was given the name after the year in which nobody gets it. */
export async function isAnothersSince(
  source: Pick<RecordSource, 'bundle'>,
  size: number,
  leaves: readonly number[],
  erasedAt: number,
): Promise<boolean> {
  const first = Math.min(...leaves)
  if (!(first < size)) return false
  const tile = Math.floor(first / TILE_WIDTH)
  const width = widthAt({ level: 'entries', index: tile }, size)
  const entry = readBundle(await source.bundle(tile, width), width)?.[first - tile * TILE_WIDTH]
  const at = entry && readLeaf(entry)?.at
  return at !== undefined && at - erasedAt >= NAME_KEPT_MS
}

/** Drops texts that are missing (A14) for people who were erased after the head was signed: they have no texts any more. */
export async function withoutErased(
  found: readonly Finding[],
  erasureOf: (record: string) => Promise<number | null>,
): Promise<Finding[]> {
  const records = new Set(found.flatMap(({ check, record }) => (check === 'A14' && record ? [record] : [])))
  const erased = new Set<string>()
  for (const record of records) if ((await erasureOf(record)) !== null) erased.add(record)
  return found.filter(({ check, record }) => check !== 'A14' || !erased.has(record ?? ''))
}
