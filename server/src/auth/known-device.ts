import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AuthUser } from '@tradepost/contract/auth'
import { SECRET_KEY_ID_BYTES, type SecretKey } from './secret-key.ts'

/** Who asks on behalf of an address: a device that has signed in to it before, or anybody. Each has its own counts. */
export type Asker = 'known device' | 'anybody'

/** A device that has not signed in for so long is anybody's again. */
const KNOWN_FOR_SECONDS = 365 * 86_400

const VERSION = 1
const ISSUED_AT = 1 + SECRET_KEY_ID_BYTES
const MAC_AT = ISSUED_AT + 8
const PROOF_BYTES = MAC_AT + 32

/**
 * What a device keeps of a sign-in, to be told from strangers at the next one (decision G-04): version | id of the secret |
 * Unix seconds | HMAC-SHA-256 of these and the address, base64url. It opens nothing: all it does is to be counted apart. A
 * secret that is taken out of AUTH_SECRET takes its proofs along.
 * @param email normalised
 */
export function makeDeviceProof(secret: SecretKey, email: string, now: Date): string {
  const proof = Buffer.alloc(PROOF_BYTES)
  proof.writeUInt8(VERSION)
  secret.id.copy(proof, 1)
  proof.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 1000)), ISSUED_AT)
  mac(secret, proof, email).copy(proof, MAC_AT)
  return proof.toString('base64url')
}

/**
 * @param proof as the device sent it; anything that is not a living proof of this address counts as none
 * @param email normalised
 */
export function askerOf(secret: SecretKey, proof: unknown, email: string, now: Date): Asker {
  if (typeof proof !== 'string') return 'anybody'
  const bytes = Buffer.from(proof, 'base64url')
  if (bytes.length !== PROOF_BYTES || bytes.readUInt8() !== VERSION) return 'anybody'
  const maker = secret.all.find(({ id }) => bytes.subarray(1, ISSUED_AT).equals(id))
  if (!maker || !timingSafeEqual(bytes.subarray(MAC_AT), mac(maker, bytes, email))) return 'anybody'
  const age = now.getTime() / 1000 - Number(bytes.readBigUInt64BE(ISSUED_AT))
  return age < KNOWN_FOR_SECONDS ? 'known device' : 'anybody'
}

/** Whether proving the address has signed the person in: not while a second factor is still to be given. */
export function hasSignedIn(user: AuthUser): boolean {
  return !user.factors.some(({ status }) => status === 'verified')
}

function mac(secret: SecretKey, proof: Buffer, email: string): Buffer {
  return createHmac('sha256', secret.derive('known-devices'))
    .update(proof.subarray(0, MAC_AT))
    .update(email)
    .digest()
}
