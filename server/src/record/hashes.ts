import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import type { Sha256 } from '@tradepost/record/bytes'
import type { VerifyEd25519 } from '@tradepost/record/note'

/** SHA-256 of Node, as the record's formats take it. */
export const sha256: Sha256 = (bytes) => new Uint8Array(hash('sha256', bytes, 'buffer'))

/** The bytes before the 32 of an Ed25519 key in DER (RFC 8410). */
export const DER_PREFIX = {
  private: Buffer.from('302e020100300506032b657004220420', 'hex'),
  public: Buffer.from('302a300506032b6570032100', 'hex'),
}

/** @param seed the 32 bytes of a private key */
export function signingKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([DER_PREFIX.private, seed]), format: 'der', type: 'pkcs8' })
}

export function signEd25519(key: KeyObject, message: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, message, key))
}

export const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const der = Buffer.concat([DER_PREFIX.public, publicKey])
  return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}
