import { fromBase64, HASH_BYTES, type Sha256, sameBytes, toBase64 } from './bytes.ts'
import { readCheckpoint } from './checkpoint.ts'
import {
  type Note,
  readNote,
  type SignatureLine,
  signedBytes,
  signersOf,
  type VerifierKey,
  type VerifyEd25519,
  writeNote,
  writeSignature,
  writeSignatureLine,
} from './note.ts'
import { emptyRoot, isContinuation } from './tree.ts'

/** A witness (c2sp.org/tlog-witness): it signs a checkpoint only where it goes on the one that it signed before. */

const MAX_PROOF = 63

/** A call of add-checkpoint. */
export type AddCheckpoint = { old: number; proof: Uint8Array[]; checkpoint: string }

export function writeAddCheckpoint({ old, proof, checkpoint }: AddCheckpoint): string {
  return `old ${old}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${checkpoint}`
}

/** @returns null for another body */
export function readAddCheckpoint(body: string): AddCheckpoint | null {
  const [, digits = '', lines = '', checkpoint = ''] =
    /^old (0|[1-9]\d{0,15})\n((?:[A-Za-z0-9+/=]+\n)*)\n([\s\S]+)$/.exec(body) ?? []
  const proof = lines === '' ? [] : lines.slice(0, -1).split('\n').map(readHash)
  if (digits === '' || proof.length > MAX_PROOF) return null
  return proof.every((hash) => hash !== null) ? { old: Number(digits), proof, checkpoint } : null
}

function readHash(line: string): Uint8Array | null {
  const hash = fromBase64(line)
  return hash?.length === HASH_BYTES ? hash : null
}

/** A log whose checkpoints are witnessed, with all its keys. */
export type WitnessedLog = { origin: string; keys: readonly VerifierKey[] }

/** The key of a witness. */
export type WitnessKey = VerifierKey & { type: 4; sign: (message: Uint8Array) => Uint8Array }

/** The answer of a call; `keep` is the note that has to be stored for the origin before the answer is given. */
export type WitnessAnswer = { status: number; body: string; type: string; keep?: string; origin?: string }

const refuse = (status: number, body: string): WitnessAnswer => ({
  status,
  body: `${body}\n`,
  type: 'text/plain; charset=utf-8',
})

/** The bytes of a cosignature over a checkpoint's text. @param at seconds since 1970 */
export function cosign({ name, keyId, type, sign }: WitnessKey, text: string, at: number): SignatureLine {
  return { name, keyId, signature: writeSignature(type, sign(signedBytes(type, text, at)), at) }
}

/**
 * Judges a call of add-checkpoint.
 * @param kept the newest note that was signed for an origin; it must not change until the answer's `keep` is stored
 * @param at seconds since 1970
 */
export async function addCheckpoint(
  body: string,
  {
    logs,
    key,
    kept,
    at,
  }: {
    logs: readonly WitnessedLog[]
    key: WitnessKey
    kept: (origin: string) => string | null
    at: number
  },
  { sha256, verify }: { sha256: Sha256; verify: VerifyEd25519 },
): Promise<WitnessAnswer> {
  const call = readAddCheckpoint(body)
  const note = call && readNote(call.checkpoint)
  const checkpoint = note && readCheckpoint(note.text)
  if (!call || !note || !checkpoint) return refuse(400, 'This is no call of add-checkpoint')
  const log = logs.find(({ origin }) => origin === checkpoint.origin)
  if (!log) return refuse(404, 'This log is not known here')
  const signatures = await signaturesOf(note, log.keys, verify)
  if (!signatures) return refuse(403, 'No key of this log signed the checkpoint')
  if (call.old > checkpoint.size) return refuse(400, 'The old size is larger than the new one')
  const before = headOf(kept(log.origin))
  if (call.old !== (before?.size ?? 0))
    return { status: 409, body: `${before?.size ?? 0}\n`, type: 'text/x.tlog.size' }
  const isEmpty = checkpoint.size === 0
  if (isEmpty && !sameBytes(checkpoint.root, emptyRoot(sha256)))
    return refuse(422, 'The empty tree has another root')
  const old = before ?? { size: 0, root: emptyRoot(sha256) }
  if (!isContinuation(sha256, old, checkpoint, call.proof))
    return refuse(422, 'The checkpoint does not go on the one before')
  const own = cosign(key, note.text, at)
  return {
    status: 200,
    body: writeSignatureLine(own),
    type: 'text/plain; charset=utf-8',
    keep: writeNote({ text: note.text, signatures: [...signatures, own] }),
    origin: log.origin,
  }
}

/** @returns the lines of the log's own keys, or null where none holds */
async function signaturesOf(
  note: Note,
  keys: readonly VerifierKey[],
  verify: VerifyEd25519,
): Promise<SignatureLine[] | null> {
  const signers = await signersOf(note, keys, verify)
  return (
    signers &&
    note.signatures.filter((line) =>
      signers.some(({ key }) => key.name === line.name && key.keyId === line.keyId),
    )
  )
}

function headOf(kept: string | null): { size: number; root: Uint8Array } | null {
  const note = kept === null ? null : readNote(kept)
  return note && readCheckpoint(note.text)
}
