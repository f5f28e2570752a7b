import { createHmac, timingSafeEqual } from 'node:crypto'
import { bytesOf } from '../../platform/ids.ts'
import { SECRET_KEY_ID_BYTES, type SecretKey } from '../keys/secret-key.ts'
import type { Asker } from '../users/addresses.queries.ts'

/**
 * Where a device is known.
 * @property email normalised
 * @property factorId of the second factor, for devices that have passed it; a sign-in by the mailbox alone leaves it out
 */
export type KnownAt = { email: string; factorId?: string }

/** A device that has not signed in for so long is anybody's again. */
const KNOWN_FOR_SECONDS = 365 * 86_400

const SIGNED_IN = 1
const PASSED_FACTOR = 2
const ISSUED_AT = 1 + SECRET_KEY_ID_BYTES
const FACTOR_AT = ISSUED_AT + 8
/** Where the MAC begins, by the first byte of a proof. */
const MAC_AT: Readonly<Record<number, number>> = { [SIGNED_IN]: FACTOR_AT, [PASSED_FACTOR]: FACTOR_AT + 16 }
const MAC_BYTES = 32

/**
 * The proof of a sign-in that a device keeps, to be distinguished from strangers at the next one (rule G-04): version | id of the secret |
 * Unix seconds | HMAC-SHA-256 of these and the address, base64url. One that has passed a second factor has its id before
 * the HMAC, and is known to that factor too (ADR 0083). It gives no access: its device only has counts of its own. Proofs of a
 * secret that is taken out of AUTH_SECRET count no more.
 */
export function makeDeviceProof(secret: SecretKey, { email, factorId }: KnownAt, now: Date): string {
  const issued = Buffer.alloc(8)
  issued.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 1000)))
  const factor = factorId === undefined ? Buffer.alloc(0) : bytesOf(factorId)
  const version = Buffer.of(factorId === undefined ? SIGNED_IN : PASSED_FACTOR)
  const claims = Buffer.concat([version, secret.id, issued, factor])
  return Buffer.concat([claims, mac(secret, claims, email)]).toString('base64url')
}

/**
 * @param proof as the device sent it; anything that is not a living proof of this address counts as none
 * @param at of a second factor, whether the device has passed that one: a sign-in by the mailbox is no proof there
 */
export function askerOf(secret: SecretKey, proof: unknown, at: KnownAt, now: Date): Asker {
  if (typeof proof !== 'string') return 'anybody'
  const bytes = Buffer.from(proof, 'base64url')
  const macAt = MAC_AT[bytes[0] ?? 0]
  if (macAt === undefined || bytes.length !== macAt + MAC_BYTES) return 'anybody'
  const claims = bytes.subarray(0, macAt)
  const maker = secret.all.find(({ id }) => claims.subarray(1, ISSUED_AT).equals(id))
  if (!maker || !timingSafeEqual(bytes.subarray(macAt), mac(maker, claims, at.email))) return 'anybody'
  if (at.factorId !== undefined && !claims.subarray(FACTOR_AT).equals(bytesOf(at.factorId))) return 'anybody'
  const age = now.getTime() / 1000 - Number(claims.readBigUInt64BE(ISSUED_AT))
  return age < KNOWN_FOR_SECONDS ? 'known device' : 'anybody'
}

function mac(secret: SecretKey, claims: Buffer, email: string): Buffer {
  return createHmac('sha256', secret.derive('known-devices')).update(claims).update(email).digest()
}
