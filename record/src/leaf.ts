import { concat, HASH_BYTES, number, readBytes, type Sha256, utf8 } from './bytes.ts'

/**
 * A leaf of the record: 108 bytes in public. It says that a trader acted, when, for how long a position is planned and how many of theirs
 * are open then; symbol, price and notes are committed to and stay sealed until they are public.
 */
export const LEAF_BYTES = 108
export const RECORD_ID_BYTES = 16
export const SALT_BYTES = 32

/** The number of a kind is its place, from 1. `key` and `marks` belong to no trader. */
export const LEAF_KINDS = ['opened', 'closed', 'adjusted', 'erased', 'key', 'marks'] as const
export type LeafKind = (typeof LEAF_KINDS)[number]

/** The bits of the flags. `override`: the market's hours were forced; `operator`: an act of the operator; `imported`: from before the log began. */
export const LEAF_FLAGS = { override: 1, operator: 2, imported: 4 } as const

export type Leaf = {
  kind: LeafKind
  /** 1 to 5 for an opening, else 0: the place in `HOLD_LENGTHS` (contract/src/hold-length.ts), from 1. */
  hold: number
  /** A sum of `LEAF_FLAGS`. */
  flags: number
  /** The random id of a trader's record; zeros where the leaf belongs to none. */
  record: Uint8Array
  /** The number of the leaf among those of the record, from 1 without gaps; 0 where it belongs to none. */
  seq: number
  /** The `seq` of the opening that a close or a change is about, else 0. */
  seqOfOpening: number
  /** Positions of the trader that are open after this. */
  open: number
  /** Milliseconds since 1970. */
  at: number
  /** The hash of the record's leaf before, zeros for its first. */
  previous: Uint8Array
  commitment: Uint8Array
}

const VERSION = 1
const MAX_HOLD = 5
const ALL_FLAGS = 7
const RESERVED_BYTES = 4

const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0)

export const NO_RECORD = new Uint8Array(RECORD_ID_BYTES)
export const NO_HASH = new Uint8Array(HASH_BYTES)

/** @throws RangeError for a leaf that `readLeaf` would refuse */
export function writeLeaf(leaf: Leaf): Uint8Array {
  const bytes = concat(
    new Uint8Array([VERSION, LEAF_KINDS.indexOf(leaf.kind) + 1, leaf.hold, leaf.flags]),
    leaf.record,
    number(leaf.seq, 4),
    number(leaf.seqOfOpening, 4),
    number(leaf.open, 4),
    number(leaf.at, 8),
    leaf.previous,
    leaf.commitment,
    new Uint8Array(RESERVED_BYTES),
  )
  if (!readLeaf(bytes)) throw new RangeError('These facts make no leaf')
  return bytes
}

/** @returns null for bytes that are no leaf of this version, and for facts that contradict each other */
export function readLeaf(bytes: Uint8Array): Leaf | null {
  if (bytes.length !== LEAF_BYTES) return null
  const reader = readBytes(bytes)
  const version = reader.number(1)
  const kind = LEAF_KINDS[(reader.number(1) ?? 0) - 1]
  const hold = reader.number(1) ?? 0
  const flags = reader.number(1) ?? 0
  const record = reader.take(RECORD_ID_BYTES) ?? NO_RECORD
  const [seq, seqOfOpening, open] = [reader.number(4) ?? 0, reader.number(4) ?? 0, reader.number(4) ?? 0]
  const at = reader.number(8)
  const previous = reader.take(HASH_BYTES) ?? NO_HASH
  const commitment = reader.take(HASH_BYTES) ?? NO_HASH
  const reserved = reader.take(RESERVED_BYTES) ?? NO_HASH
  if (version !== VERSION || !kind || at === null || flags > ALL_FLAGS || !isZero(reserved)) return null
  const leaf: Leaf = { kind, hold, flags, record, seq, seqOfOpening, open, at, previous, commitment }
  return agrees(leaf) ? leaf : null
}

function agrees({ kind, hold, record, seq, seqOfOpening, open, previous }: Leaf): boolean {
  if (kind === 'opened' ? hold < 1 || hold > MAX_HOLD : hold !== 0) return false
  if (kind === 'key' || kind === 'marks')
    return isZero(record) && seq === 0 && seqOfOpening === 0 && open === 0 && isZero(previous)
  const isOfPosition = kind === 'closed' || kind === 'adjusted'
  if (isOfPosition ? seqOfOpening < 1 || seqOfOpening >= seq : seqOfOpening !== 0) return false
  return !isZero(record) && seq >= 1 && (seq === 1) === isZero(previous)
}

const COMMITMENT_LABEL = 'tradepost/1\n'

/** Binds a leaf to its text without showing it: only with the salt can anybody try texts against it. @param salt 32 bytes */
export function commitTo(sha256: Sha256, salt: Uint8Array, text: string): Uint8Array {
  return sha256(concat(utf8(COMMITMENT_LABEL), salt, utf8(text)))
}
