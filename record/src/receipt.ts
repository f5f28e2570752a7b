import {
  concat,
  HASH_BYTES,
  number,
  readBytes,
  readUtf8,
  type Sha256,
  sameBytes,
  toBase64,
  utf8,
} from './bytes.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { commitTo, LEAF_BYTES, type Leaf, readLeaf, SALT_BYTES } from './leaf.ts'
import { type SignatureLine, signersOf, type VerifierKey, type VerifyEd25519, writeNote } from './note.ts'
import { leafHash, rootOfInclusion } from './tree.ts'

const VERSION = 1
/** Id of the key, time and signature: the timed type alone. */
const SIGNATURE_BYTES = 76
const KEY_ID_BYTES = 4

/** A receipt: it proves without a network that an entry is in the record. The root is not in it but computed. */
export type Receipt = {
  /** Of `LEAF_BYTES`. */
  leaf: Uint8Array
  salt: Uint8Array
  /** As it was committed to, byte by byte. */
  text: string
  index: number
  size: number
  path: Uint8Array[]
  /** Timed signatures of the log and of witnesses over the checkpoint of `size`. */
  signatures: Omit<SignatureLine, 'name'>[]
}

export function writeReceipt({ leaf, salt, text, index, size, path, signatures }: Receipt): Uint8Array {
  const words = utf8(text)
  return concat(
    new Uint8Array([VERSION]),
    leaf,
    salt,
    number(words.length, 2),
    words,
    number(index, 6),
    number(size, 6),
    number(path.length, 1),
    ...path,
    number(signatures.length, 1),
    ...signatures.flatMap(({ keyId, signature }) => [
      number(KEY_ID_BYTES + signature.length, 1),
      number(keyId, KEY_ID_BYTES),
      signature,
    ]),
  )
}

/** @returns null for bytes that are no receipt of this version */
export function readReceipt(bytes: Uint8Array): Receipt | null {
  const reader = readBytes(bytes)
  const missing = Number.POSITIVE_INFINITY
  const version = reader.number(1)
  const leaf = reader.take(LEAF_BYTES)
  const salt = reader.take(SALT_BYTES)
  const text = readUtf8(reader.take(reader.number(2) ?? missing) ?? new Uint8Array([0xff]))
  const [index, size] = [reader.number(6), reader.number(6)]
  const path = list(reader.number(1), () => reader.take(HASH_BYTES))
  const signatures = list(reader.number(1), () => {
    if (reader.number(1) !== SIGNATURE_BYTES) return null
    const keyId = reader.number(KEY_ID_BYTES)
    const signature = reader.take(SIGNATURE_BYTES - KEY_ID_BYTES)
    return keyId === null || !signature ? null : { keyId, signature }
  })
  if (version !== VERSION || !leaf || !salt || text === null || index === null || size === null) return null
  if (!path || !signatures || !reader.isAtEnd()) return null
  return { leaf, salt, text, index, size, path, signatures }
}

/** @returns null as soon as one cannot be read */
function list<Item>(length: number | null, read: () => Item | null): Item[] | null {
  if (length === null) return null
  const items: Item[] = []
  while (items.length < length) {
    const item = read()
    if (item === null) return null
    items.push(item)
  }
  return items
}

/** The keys whose signatures count, all of the timed type. */
export type Policy = {
  origin: string
  /** The log's keys, old ones too. */
  logKeys: readonly VerifierKey[]
  witnesses: readonly VerifierKey[]
  /** So many different witnesses have to have signed. */
  quorum: number
}

export type RefusedReceipt =
  /** The bytes are no receipt, or their leaf is none. */
  | 'unreadable'
  /** The text is not the one that was committed to. */
  | 'other_text'
  /** The path does not fit the place of the leaf. */
  | 'not_in_tree'
  /** The log did not sign the root that the leaf leads to, or a signature of somebody known is wrong. */
  | 'not_signed'
  | 'too_few_witnesses'

export type CheckedReceipt = {
  leaf: Leaf
  text: string
  index: number
  size: number
  root: Uint8Array
  /** When the log signed the root; seconds since 1970. */
  signedAt: number
  /** The names of witnesses that signed it. */
  witnesses: string[]
}

/** Checks a receipt, without a network (ADR 0118). Signatures of unknown keys say nothing. */
export async function checkReceipt(
  bytes: Uint8Array,
  { origin, logKeys, witnesses, quorum }: Policy,
  { sha256, verify }: { sha256: Sha256; verify: VerifyEd25519 },
): Promise<CheckedReceipt | { refused: RefusedReceipt }> {
  const receipt = readReceipt(bytes)
  const leaf = receipt && readLeaf(receipt.leaf)
  if (!receipt || !leaf) return { refused: 'unreadable' }
  const { index, path, salt, size, text } = receipt
  if (!sameBytes(commitTo(sha256, salt, text), leaf.commitment)) return { refused: 'other_text' }
  const root = rootOfInclusion(sha256, { leaf: leafHash(sha256, receipt.leaf), index, size, path })
  if (!root) return { refused: 'not_in_tree' }
  const keys = [...logKeys, ...witnesses]
  const signatures = receipt.signatures.flatMap((line) => {
    const key = keys.find(({ keyId }) => keyId === line.keyId)
    return key ? [{ ...line, name: key.name }] : []
  })
  const signed = await signersOf({ text: writeCheckpoint({ origin, size, root }), signatures }, keys, verify)
  const ofLog = signed?.find(({ key }) => logKeys.includes(key))
  if (!signed || ofLog?.at === undefined || ofLog.at === null) return { refused: 'not_signed' }
  const names = new Set(signed.flatMap(({ key }) => (witnesses.includes(key) ? [key.name] : [])))
  if (names.size < quorum) return { refused: 'too_few_witnesses' }
  return { leaf, text, index, size, root, signedAt: ofLog.at, witnesses: [...names] }
}

/**
 * The receipt as c2sp.org/tlog-proof@v1, which tools of others read; `extra` is leaf, salt and text.
 * @param root of the tree of the receipt's size
 * @param signatures with their names, as a note has them
 */
export function writeProof(
  { leaf, salt, text, index, size, path }: Receipt,
  { origin, root, signatures }: { origin: string; root: Uint8Array; signatures: SignatureLine[] },
): string {
  const lines = [
    'c2sp.org/tlog-proof@v1',
    `extra ${toBase64(concat(leaf, salt, utf8(text)))}`,
    `index ${index}`,
    ...path.map(toBase64),
    '',
  ]
  return `${lines.join('\n')}\n${writeNote({ text: writeCheckpoint({ origin, size, root }), signatures })}`
}
