import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto'
import { type Checkpoint, writeCheckpoint } from '@tradepost/record/checkpoint'
import {
  readVerifierKey,
  type SignatureLine,
  signedBytes,
  type VerifierKey,
  verifierKey,
  writeNote,
  writeSignature,
  writeVerifierKey,
} from '@tradepost/record/note'
import { seal, unseal } from '../auth/keys/sealed-box.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { DER_PREFIX, sha256, signEd25519, signingKeyOf } from './hashes.ts'
import type { LockedHead } from './log.queries.ts'
import { findLogKeys, insertLogKey, type LogKeyRow } from './log-keys.queries.ts'

export type KeyDeps = { secret: SecretKey }

const SEED_BYTES = 32
const PLAIN = 1
const TIMED = 4

/** A key of the log that is at hand, under the names of both types of a note's signature. */
export type LogKey = { timed: VerifierKey; plain: VerifierKey; key: KeyObject }

/**
 * The key that signs.
 * @param head that is locked
 * @throws where it was sealed under a secret that is not ours
 */
export async function signingKey(
  tx: Queryable,
  { secret }: KeyDeps,
  { signsWith }: LockedHead,
): Promise<LogKey> {
  const known = opened.get(secret)
  if (known?.vkey === signsWith) return known.key
  const row = (await findLogKeys(tx)).find(({ vkey }) => vkey === signsWith)
  if (!row) throw new Error('the record has no key that signs')
  const key = openKey(secret, row)
  opened.set(secret, { vkey: signsWith, key })
  return key
}

/** The last key that was opened with a secret. */
const opened = new WeakMap<SecretKey, { vkey: string; key: LogKey }>()

function openKey(secret: SecretKey, { private_sealed, public_key, secret_key_id, vkey }: LogKeyRow): LogKey {
  const box = private_sealed &&
    secret_key_id !== null && { sealed: private_sealed, secretKeyId: secret_key_id }
  const seed = box && unseal(secret, { purpose: 'record-log', id: vkey }, box)
  const timed = readVerifierKey(sha256, vkey)
  if (!seed || !timed)
    throw new Error('the key of the record cannot be opened: do all processes have the same AUTH_SECRET?')
  const plain = plainKey({ name: timed.name, publicKey: new Uint8Array(public_key) })
  return { timed, plain, key: signingKeyOf(Buffer.from(seed, 'base64')) }
}

/** The same key under the plain type, which every reader of signed notes knows. */
export function plainKey({ name, publicKey }: Pick<VerifierKey, 'name' | 'publicKey'>): VerifierKey {
  return verifierKey(sha256, { name, type: PLAIN, publicKey })
}

/**
 * Draws a key and stores it, sealed.
 * @param signsFrom instant from which it signs
 * @returns its verifier key
 */
export async function drawLogKey(
  db: Queryable,
  { secret }: KeyDeps,
  { origin, signsFrom }: { origin: string; signsFrom: Date },
  now: Date,
): Promise<string> {
  const seed = randomBytes(SEED_BYTES)
  const spki = createPublicKey(signingKeyOf(seed)).export({ format: 'der', type: 'spki' })
  const publicKey = new Uint8Array(spki.subarray(DER_PREFIX.public.length))
  const vkey = writeVerifierKey(verifierKey(sha256, { name: origin, type: TIMED, publicKey }))
  const box = seal(secret, { purpose: 'record-log', id: vkey }, seed.toString('base64'))
  await insertLogKey(db, {
    vkey,
    public_key: Buffer.from(publicKey),
    private_sealed: box.sealed,
    secret_key_id: box.secretKeyId,
    created_at: now,
    signs_from: signsFrom,
  })
  return vkey
}

/** @returns the checkpoint as a note with both types of the log's signature */
export function signCheckpoint({ key, plain, timed }: LogKey, checkpoint: Checkpoint, now: Date): string {
  const text = writeCheckpoint(checkpoint)
  const at = Math.floor(now.getTime() / 1000)
  const lineOf = ({ keyId, name, type }: VerifierKey): SignatureLine => ({
    name,
    keyId,
    signature: writeSignature(type, signEd25519(key, signedBytes(type, text, at)), at),
  })
  return writeNote({ text, signatures: [plain, timed].map(lineOf) })
}
