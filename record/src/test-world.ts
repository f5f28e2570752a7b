import { concat, toHex, utf8 } from './bytes.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { readEntryText } from './entry-text.ts'
import { followHistories } from './histories.ts'
import { revealedOf } from './judge-texts.ts'
import { commitTo, NO_HASH, NO_RECORD, readLeaf, writeLeaf } from './leaf.ts'
import { signedBytes, verifierKey, writeNote, writeSignature } from './note.ts'
import { type Policy, writeReceipt } from './receipt.ts'
import type { Opening, RecordSource, ShownTrader } from './record-source.ts'
import type { Act } from './test-acts.ts'
import { keyOf, sha256, verifyEd25519 } from './test-hash.ts'
import { treeOf } from './test-tree.ts'
import { TILE_WIDTH, writeBundle } from './tiles.ts'
import type { WitnessKey } from './witness.ts'

/** A log in memory with a site beside it, made of acts; for tests. */
export const ORIGIN = 'tradepost.example/record'
export const crypto = { sha256, verify: verifyEd25519 }

const timed = (name: string, seed: string): WitnessKey => {
  const { publicKey, sign } = keyOf(seed)
  return { ...verifierKey(sha256, { name, type: 4, publicKey }), type: 4, sign }
}
const LOG = timed(ORIGIN, 'log')
export const WITNESS = timed('witness.example/w1', 'w1')
export const POLICY: Policy = { origin: ORIGIN, logKeys: [LOG], witnesses: [WITNESS], quorum: 0 }

export const recordOf = (trader: string): Uint8Array => sha256(utf8(`record of ${trader}`)).slice(0, 16)

export type World = ReturnType<typeof worldOf>

/** @param signedAt of checkpoints, ms since 1970; a second after the last act where it is not given */
export function worldOf(acts: readonly Act[], signedAt = Math.max(...acts.map(({ at }) => at)) + 1000) {
  const { entries, salts } = entriesOf(acts)
  return worldOfEntries(entries, { acts, salts, signedAt })
}

function entriesOf(acts: readonly Act[]): { entries: Uint8Array[]; salts: Uint8Array[] } {
  const last = new Map<string, { seq: number; hash: Uint8Array; open: Set<number> }>()
  const entries: Uint8Array[] = []
  const salts: Uint8Array[] = []
  for (const { trader, text, kind, hold, flags, seqOfOpening, at } of acts) {
    const before = last.get(trader ?? '') ?? { seq: 0, hash: NO_HASH, open: new Set<number>() }
    const seq = before.seq + 1
    if (kind === 'opened') before.open.add(seq)
    if (kind === 'closed' || readEntryText(text)?.kind === 'struck') before.open.delete(seqOfOpening)
    if (kind === 'erased') before.open.clear()
    const salt = trader === null ? NO_HASH : sha256(utf8(`salt ${trader} ${seq}`))
    const commitment = commitTo(sha256, salt, text)
    const own = trader === null ? 0 : seq
    const entry = writeLeaf({
      ...{ kind, hold, flags, seqOfOpening, at, commitment, seq: own },
      record: trader === null ? NO_RECORD : recordOf(trader),
      open: trader === null ? 0 : before.open.size,
      previous: trader === null ? NO_HASH : before.hash,
    })
    last.set(trader ?? '', { ...before, seq, hash: sha256(concat(new Uint8Array([0]), entry)) })
    entries.push(entry)
    salts.push(salt)
  }
  return { entries, salts }
}

/** The log of any entries: an attack puts them into another order. */
export function worldOfEntries(
  entries: readonly Uint8Array[],
  { acts, salts, signedAt }: { acts: readonly Act[]; salts: readonly Uint8Array[]; signedAt: number },
) {
  const tree = treeOf(sha256, entries)
  const at = Math.ceil(signedAt / 1000)
  const checkpointOf = (size: number) => writeCheckpoint({ origin: ORIGIN, size, root: tree.root(size) })
  const signatureOf = (size: number) => ({
    name: LOG.name,
    keyId: LOG.keyId,
    signature: writeSignature(4, LOG.sign(signedBytes(4, checkpointOf(size), at)), at),
  })
  const note = (size = entries.length) =>
    writeNote({ text: checkpointOf(size), signatures: [signatureOf(size)] })
  const receipt = (index: number, size: number) =>
    writeReceipt({
      leaf: entries[index] ?? NO_HASH,
      salt: salts[index] ?? NO_HASH,
      text: acts[index]?.text ?? '',
      ...{ index, size, path: tree.inclusion(index, size), signatures: [signatureOf(size)] },
    })
  const site = siteOf(entries, { acts, salts, signedAt })
  const source = sourceOf({ entries, tree, note: note(), ...site })
  return { entries, acts, salts, signedAt, tree, note, receipt, ...site, source }
}

type Site = { openings: Opening[]; traders: Map<string, ShownTrader> }

/** The site's own account of a log: as an honest server gives it. */
function siteOf(
  entries: readonly Uint8Array[],
  { acts, salts, signedAt }: { acts: readonly Act[]; salts: readonly Uint8Array[]; signedAt: number },
): Site {
  const histories = followHistories()
  for (const [index, entry] of entries.entries()) {
    const leaf = readLeaf(entry)
    if (leaf) histories.add(index, leaf, NO_HASH)
  }
  const openings = entries.map((): Opening => 'sealed')
  const traders = new Map<string, ShownTrader>()
  const reveal = (index: number) => {
    openings[index] = { salt: salts[index] ?? NO_HASH, text: acts[index]?.text ?? '' }
  }
  for (const [index, { trader }] of acts.entries()) if (trader === null) reveal(index)
  for (const trader of new Set(acts.flatMap((act) => act.trader ?? []))) {
    const record = histories.records.get(toHex(recordOf(trader)))
    if (!record) continue
    for (const { leaf } of revealedOf(histories, record, signedAt)) reveal(leaf.index)
    if (record.isErased) {
      for (const index of record.leaves) openings[index] = 'erased'
      continue
    }
    const seq = record.leaves.length
    const leaves = record.leaves
    traders.set(trader, { record: record.id, seq, ...countsOf(acts, trader), leaves })
  }
  return { openings, traders }
}

/** Counts by the texts, which is not how an auditor counts. */
function countsOf(acts: readonly Act[], trader: string): { open: number; closed: number } {
  const states = new Map<number, 'open' | 'closed' | 'struck'>()
  for (const [at, act] of acts.filter((one) => one.trader === trader).entries()) {
    if (act.kind === 'opened') states.set(at + 1, 'open')
    if (act.kind === 'closed') states.set(act.seqOfOpening, 'closed')
    if (readEntryText(act.text)?.kind === 'struck') states.set(act.seqOfOpening, 'struck')
  }
  const count = (wanted: string) => [...states.values()].filter((state) => state === wanted).length
  return { open: count('open'), closed: count('closed') }
}

/** The public answers of a log and of a site, which may contradict each other. */
export function sourceOf({
  entries,
  tree,
  note,
  openings,
  traders,
}: Site & {
  entries: readonly Uint8Array[]
  tree: ReturnType<typeof treeOf>
  note: string
}): RecordSource {
  const later = async <Answer>(answer: Answer) => answer
  return {
    checkpoint: () => later(note),
    bundle: (index, width) =>
      later(writeBundle(entries.slice(index * TILE_WIDTH, index * TILE_WIDTH + width))),
    inclusion: (index, size) => later(size <= entries.length ? tree.inclusion(index, size) : null),
    consistency: (from, to) => later(to <= entries.length ? tree.consistency(from, to) : null),
    opening: (index) => later(openings[index] ?? 'sealed'),
    trader: (username) => later(traders.get(username) ?? null),
  }
}
