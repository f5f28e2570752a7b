import { toBase64, toBase64Url, utf8 } from './bytes.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { writeEntryText } from './entry-text.ts'
import { commitTo, type Leaf, NO_HASH, writeLeaf } from './leaf.ts'
import { signedBytes, verifierKey, writeNote, writeSignature, writeVerifierKey } from './note.ts'
import { writeReceipt } from './receipt.ts'
import { keyOf, sha256 } from './test-hash.ts'
import { entriesTo, treeOf } from './test-tree.ts'
import { readTilePath, TILE_WIDTH, writeBundle } from './tiles.ts'
import { leafHash } from './tree.ts'

/*
 * A signed log with one position in it, for tests of what people see of the record.
 */

const ORIGIN = 'tradepost.example/record'
const key = (name: string, seed: string) =>
  verifierKey(sha256, { name, type: 4, publicKey: keyOf(seed).publicKey })
const LOG = key(ORIGIN, 'log')
const WITNESS = key('witness.example/w1', 'w1')
const SIGNED_AT = Date.UTC(2026, 10, 26, 15, 2, 4) / 1000

/** As an installation answers its keys. */
export const HISTORY_KEYS = {
  origin: ORIGIN,
  log: [writeVerifierKey(LOG)],
  witnesses: [writeVerifierKey(WITNESS)],
  quorum: 0,
}

const salt = sha256(utf8('a salt'))
const text = writeEntryText({
  kind: 'opened',
  symbol: 'NVDA',
  price: '187.52',
  quotedAt: '2026-11-26T15:02:03.120Z',
  hold: '3-6 months',
  notesHash: toBase64(sha256(utf8('notes'))),
})
const OPENING: Leaf = {
  kind: 'opened',
  hold: 4,
  flags: 0,
  record: sha256(utf8('maria')).slice(0, 16),
  seq: 1,
  seqOfOpening: 0,
  open: 3,
  at: Date.UTC(2026, 10, 26, 15, 2, 3, 120),
  previous: NO_HASH,
  commitment: commitTo(sha256, salt, text),
}

/** The tree of these entries, signed by the log and a witness at any size. */
function signedLog(entries: Uint8Array[]) {
  const tree = treeOf(sha256, entries)
  const checkpoint = (size: number) => writeCheckpoint({ origin: ORIGIN, size, root: tree.root(size) })
  const sign = ({ keyId, name }: typeof LOG, seed: string, size: number) => ({
    keyId,
    name,
    signature: writeSignature(4, keyOf(seed).sign(signedBytes(4, checkpoint(size), SIGNED_AT)), SIGNED_AT),
  })
  const signatures = (size: number) => [sign(LOG, 'log', size), sign(WITNESS, 'w1', size)]
  const note = (size: number) => writeNote({ text: checkpoint(size), signatures: signatures(size) })
  return { tree, signatures, note }
}

/** A history: the opening of a position as the leaf 42 between others. @param changed another one has another leaf at that number */
export function historyOf({ flags = 0, changed }: { flags?: number; changed?: number } = {}) {
  const leaf = writeLeaf({ ...OPENING, flags })
  const entries = entriesTo(200).with(42, leaf)
  const { note, signatures, tree } = signedLog(
    changed === undefined ? entries : entries.with(changed, utf8('rewritten')),
  )
  return {
    note,
    proof: (from: number, to: number) => tree.consistency(from, to).map(toBase64),
    receipt: (size: number): Uint8Array =>
      writeReceipt({
        leaf,
        salt,
        text,
        index: 42,
        size,
        path: tree.inclusion(42, size),
        signatures: signatures(size),
      }),
  }
}

type Act = Pick<Leaf, 'kind' | 'open' | 'at'> & Partial<Pick<Leaf, 'hold' | 'seqOfOpening'>>

/** The leaves of one trader, each naming the one before. */
export function leavesOf(acts: readonly Act[]): Uint8Array[] {
  const leaves: Uint8Array[] = []
  for (const { at, hold = 0, kind, open, seqOfOpening = 0 } of acts) {
    const before = leaves.at(-1)
    const previous = before ? leafHash(sha256, before) : NO_HASH
    const leaf = { ...OPENING, kind, hold, open, at, seqOfOpening, previous, seq: leaves.length + 1 }
    leaves.push(writeLeaf(leaf))
  }
  return leaves
}

/**
 * The answers of a server whose record holds a trader's leaves: every 70th of 300 entries, so that they lie in two bundles.
 * @returns null for a path that it does not know
 */
export function serveTrader(
  leaves: readonly Uint8Array[],
): (path: string) => string | object | Uint8Array | null {
  const size = 300
  const indexes = leaves.map((_, nth) => 10 + 70 * nth)
  const entries = leaves.reduce((all, leaf, nth) => all.with(10 + 70 * nth, leaf), entriesTo(size))
  const { note, tree } = signedLog(entries)
  return (path) => {
    const { pathname, searchParams } = new URL(path, 'https://tradepost.example')
    if (pathname === '/record/keys') return HISTORY_KEYS
    if (pathname === '/record/checkpoint') return note(size)
    if (pathname.startsWith('/record/traders/'))
      return { record: '00'.repeat(16), seq: indexes.length, open: 0, closed: 0, leaves: indexes }
    if (pathname === '/record/proof') {
      const index = Number(searchParams.get('index'))
      return { index, size, path: tree.inclusion(index, size).map(toBase64) }
    }
    const tile = readTilePath(pathname.slice('/record/'.length))
    if (!tile) return null
    const first = tile.index * TILE_WIDTH
    return writeBundle(entries.slice(first, first + tile.width))
  }
}

export type History = ReturnType<typeof historyOf>

export const fragmentOf = (receipt: Uint8Array): string => `#${toBase64Url(receipt)}`
