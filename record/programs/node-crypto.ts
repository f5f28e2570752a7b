import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { concat, fromBase64, type Sha256, toBase64 } from '../src/bytes.ts'
import { type VerifyEd25519, verifierKey, writeVerifierKey } from '../src/note.ts'
import type { WitnessKey } from '../src/witness.ts'

/** Hashes and signatures of Node. */
export const sha256: Sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest())

const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const SEED_BYTES = 32
const TIMED = 4

export const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: 'der', type: 'spki' })
  return verify(null, message, key, signature)
}

export const crypto = { sha256, verify: verifyEd25519 }

/** @param seed of 32 bytes (RFC 8032) */
export function ed25519Of(seed: Uint8Array): {
  publicKey: Uint8Array
  sign: (message: Uint8Array) => Uint8Array
} {
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([PRIVATE_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: new Uint8Array(spki.subarray(PUBLIC_PREFIX.length)),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  }
}

/** A secret key as Go's package for notes writes it: name, id, and type with seed. */
export function newSecretKey(name: string, seed: Uint8Array = randomBytes(SEED_BYTES)): string {
  const { keyId } = verifierKey(sha256, { name, type: TIMED, publicKey: ed25519Of(seed).publicKey })
  const id = keyId.toString(16).padStart(8, '0')
  return `PRIVATE+KEY+${name}+${id}+${toBase64(concat(new Uint8Array([TIMED]), seed))}`
}

/** @throws for a text that is no secret key of the timed type */
export function readSecretKey(text: string): WitnessKey {
  const [, name = '', id = '', encoded = ''] =
    /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)\s*$/.exec(text) ?? []
  const bytes = fromBase64(encoded)
  if (bytes?.length !== 1 + SEED_BYTES || bytes[0] !== TIMED)
    throw new Error('This is no secret key: PRIVATE+KEY+name+id+base64 of type 4')
  const { publicKey, sign } = ed25519Of(bytes.slice(1))
  const key = verifierKey(sha256, { name, type: TIMED, publicKey })
  if (key.keyId !== Number.parseInt(id, 16)) throw new Error('The id of this key is not that of its seed')
  return { ...key, type: TIMED, sign }
}

export const verifierText = (key: WitnessKey): string => writeVerifierKey(key)
