import { concat, fromBase64, number, readBytes, type Sha256, sameBytes, toBase64, utf8 } from './bytes.ts'

/**
 * Signed notes (c2sp.org/signed-note): a text, a blank line, and signature lines. Two types of Ed25519 signature are known: 1 over the
 * text, and 4, a cosignature (c2sp.org/tlog-cosignature), over the text with the time of signing.
 */

const PLAIN = 1
const TIMED = 4
type SignatureType = typeof PLAIN | typeof TIMED

const KEY_BYTES = 32
const KEY_ID_BYTES = 4
const TIME_BYTES = 8
const SIGNATURE_BYTES = 64
const MAX_SIGNATURES = 64

/** A public key that signs notes, under a name; `keyId` says in signature lines which key of the name it is. */
export type VerifierKey = { name: string; keyId: number; type: SignatureType; publicKey: Uint8Array }

/** Checks an Ed25519 signature (RFC 8032). Browsers answer later. */
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>

/** Names hold no space and no plus, which stand between the parts of lines and of keys. */
const NAME = /^[^\s+]+$/u

/** @throws RangeError for a name or a key that no note can carry */
export function verifierKey(
  sha256: Sha256,
  { name, type, publicKey }: Omit<VerifierKey, 'keyId'>,
): VerifierKey {
  if (!NAME.test(name) || publicKey.length !== KEY_BYTES) throw new RangeError('No note can carry this key')
  const digest = sha256(concat(utf8(`${name}\n`), new Uint8Array([type]), publicKey))
  return { name, type, publicKey, keyId: readBytes(digest).number(KEY_ID_BYTES) ?? 0 }
}

/** A key as text (`vkey`): name, id in hexadecimal, type and key in base64, with a plus between them. */
export function writeVerifierKey({ name, keyId, type, publicKey }: VerifierKey): string {
  const id = keyId.toString(16).padStart(2 * KEY_ID_BYTES, '0')
  return `${name}+${id}+${toBase64(concat(new Uint8Array([type]), publicKey))}`
}

/** @returns null for a text that is no key of a known type, or whose id is not that of its key */
export function readVerifierKey(sha256: Sha256, text: string): VerifierKey | null {
  const [, name = '', id = '', encoded = ''] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u.exec(text) ?? []
  const bytes = fromBase64(encoded)
  const type = bytes?.[0]
  if (!bytes || bytes.length !== 1 + KEY_BYTES || (type !== PLAIN && type !== TIMED)) return null
  const key = verifierKey(sha256, { name, type, publicKey: bytes.slice(1) })
  return key.keyId === Number.parseInt(id, 16) ? key : null
}

/** A signature line: the name, and the bytes behind the id of the key. */
export type SignatureLine = { name: string; keyId: number; signature: Uint8Array }

/** A note before anything of it is trusted. The text ends with its newline. */
export type Note = { text: string; signatures: SignatureLine[] }

export function writeNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(writeSignatureLine).join('')}`
}

export function writeSignatureLine({ name, keyId, signature }: SignatureLine): string {
  return `— ${name} ${toBase64(concat(number(keyId, KEY_ID_BYTES), signature))}\n`
}

/** @returns null for what is no note */
export function readNote(note: string): Note | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the specification forbids them by their numbers
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note) || !note.isWellFormed()) return null
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return null
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return null
  const signatures = lines.map(readSignatureLine)
  return signatures.every((line) => line !== null) ? { text: note.slice(0, end + 1), signatures } : null
}

/** @param line without its newline @returns null for what is no signature line */
export function readSignatureLine(line: string): SignatureLine | null {
  const [, name = '', encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/u.exec(line) ?? []
  const reader = readBytes(fromBase64(encoded) ?? new Uint8Array())
  const keyId = reader.number(KEY_ID_BYTES)
  const length = fromBase64(encoded)?.length ?? 0
  const signature = reader.take(length - KEY_ID_BYTES)
  return keyId === null || !signature || signature.length === 0 ? null : { name, keyId, signature }
}

/** The bytes that a key signs. @param at seconds since 1970, for the timed type */
export function signedBytes(type: SignatureType, text: string, at: number): Uint8Array {
  return utf8(type === PLAIN ? text : `cosignature/v1\ntime ${at}\n${text}`)
}

/** The bytes of a line: the signature, behind the time where the type has one. @param at seconds since 1970 */
export function writeSignature(type: SignatureType, signature: Uint8Array, at: number): Uint8Array {
  return type === PLAIN ? signature : concat(number(at, TIME_BYTES), signature)
}

/** A signature that holds; `at` in seconds since 1970, of the timed type. */
export type Signed = { key: VerifierKey; at: number | null }

/**
 * Which of the known keys signed a text. Signatures of other keys say nothing.
 * @returns null when none did, and when a signature that names a known key is wrong
 */
export async function signersOf(
  { text, signatures }: Note,
  keys: readonly VerifierKey[],
  verify: VerifyEd25519,
): Promise<Signed[] | null> {
  const signed: Signed[] = []
  for (const line of signatures) {
    const key = keys.find(({ name, keyId }) => name === line.name && keyId === line.keyId)
    if (!key) continue
    const parts = readSignature(key.type, line.signature)
    if (!parts || !(await verify(key.publicKey, signedBytes(key.type, text, parts.at), parts.signature)))
      return null
    signed.push({ key, at: key.type === TIMED ? parts.at : null })
  }
  return signed.length > 0 ? signed : null
}

function readSignature(type: SignatureType, bytes: Uint8Array): { at: number; signature: Uint8Array } | null {
  const reader = readBytes(bytes)
  const at = type === TIMED ? reader.number(TIME_BYTES) : 0
  const signature = reader.take(SIGNATURE_BYTES)
  return at === null || !signature || !reader.isAtEnd() ? null : { at, signature }
}

export const isSameKey = (a: VerifierKey, b: VerifierKey): boolean =>
  a.name === b.name && a.type === b.type && sameBytes(a.publicKey, b.publicKey)
