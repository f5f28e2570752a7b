import { recordKeys, recordOfTrader, recordProof } from '@tradepost/contract/record-answers'
import {
  CHECKPOINT_PATH,
  KEYS_PATH,
  PROOF_PATH,
  RECORD_PATH,
  TRADERS_PATH,
} from '@tradepost/contract/record-keys'
import { fromBase64, sameBytes } from '@tradepost/record/bytes'
import { type Leaf, NO_HASH, readLeaf } from '@tradepost/record/leaf'
import { readBundle, TILE_WIDTH, tilePath, widthAt } from '@tradepost/record/tiles'
import { leafHash, rootOfInclusion } from '@tradepost/record/tree'
import type { Ask } from './ask-record.ts'
import { policyOf, readSignedHead, type SignedHead, TOOLS } from './known-keys.ts'

type Shape<Answer> = { safeParse(body: unknown): { success: true; data: Answer } | { success: false } }

/** The result of reading a trader's leaves. `false` ones do not lead to the signed checkpoint, or not to each other. */
export type ReadLeaves = { outcome: 'read'; leaves: Leaf[] } | { outcome: 'unreachable' | 'false' }

/**
 * Reads all leaves of a trader and checks them: each names the hash of the one before, and the last stands in the tree that the log signed,
 * so all of them do. A trader of whom the record has nothing has no leaves.
 */
export async function readTraderLeaves(username: string, ask: Ask): Promise<ReadLeaves> {
  const answer = await ask(`${TRADERS_PATH}/${encodeURIComponent(username)}`)
  if (answer?.status === 404) return { outcome: 'read', leaves: [] }
  const trader = await readAnswer(answer, recordOfTrader)
  const keys = await askFor(ask, KEYS_PATH, recordKeys)
  const checkpoint = await ask(CHECKPOINT_PATH)
  if (!keys || !trader || !checkpoint?.ok) return { outcome: 'unreachable' }
  const head = await readSignedHead(await checkpoint.text(), policyOf(keys))
  if (!head) return { outcome: 'false' }
  const entries = await readEntries(trader.leaves, head.size, ask)
  const index = trader.leaves.at(-1)
  if (!entries) return { outcome: 'unreachable' }
  const leaves = chainOf(entries)
  if (!leaves) return { outcome: 'false' }
  const last = entries.at(-1)
  if (index === undefined || !last) return { outcome: 'read', leaves }
  const proof = await askFor(ask, `${PROOF_PATH}?index=${index}&size=${head.size}`, recordProof)
  if (!proof) return { outcome: 'unreachable' }
  return leadsTo(head, last, index, proof.path) ? { outcome: 'read', leaves } : { outcome: 'false' }
}

async function askFor<Answer>(ask: Ask, path: string, shape: Shape<Answer>): Promise<Answer | null> {
  return readAnswer(await ask(path), shape)
}

async function readAnswer<Answer>(answer: Response | null, shape: Shape<Answer>): Promise<Answer | null> {
  const read = shape.safeParse(answer?.ok ? await answer.json().catch(() => null) : null)
  return read.success ? read.data : null
}

/** @returns null when one of them cannot be had */
async function readEntries(indexes: readonly number[], size: number, ask: Ask): Promise<Uint8Array[] | null> {
  const bundles = new Map<number, Uint8Array[] | null>()
  for (const index of new Set(indexes.map((leaf) => Math.floor(leaf / TILE_WIDTH)))) {
    const width = widthAt({ level: 'entries', index }, size)
    const answer = await ask(`${RECORD_PATH}/${tilePath({ level: 'entries', index, width })}`)
    bundles.set(index, answer?.ok ? readBundle(new Uint8Array(await answer.arrayBuffer()), width) : null)
  }
  const entries = indexes.flatMap(
    (leaf) => bundles.get(Math.floor(leaf / TILE_WIDTH))?.[leaf % TILE_WIDTH] ?? [],
  )
  return entries.length === indexes.length ? entries : null
}

/** @returns null when a leaf is none, is missing between others, or does not name the one before */
function chainOf(entries: readonly Uint8Array[]): Leaf[] | null {
  const leaves: Leaf[] = []
  let previous: Uint8Array = NO_HASH
  for (const entry of entries) {
    const leaf = readLeaf(entry)
    if (leaf?.seq !== leaves.length + 1 || !sameBytes(leaf.previous, previous)) return null
    if (leaves[0] && !sameBytes(leaf.record, leaves[0].record)) return null
    previous = leafHash(TOOLS.sha256, entry)
    leaves.push(leaf)
  }
  return leaves
}

function leadsTo({ root, size }: SignedHead, entry: Uint8Array, index: number, path: string[]): boolean {
  const hashes = path.map((hash) => fromBase64(hash) ?? new Uint8Array())
  const leaf = leafHash(TOOLS.sha256, entry)
  const led = rootOfInclusion(TOOLS.sha256, { leaf, index, size, path: hashes })
  return led !== null && sameBytes(led, root)
}
