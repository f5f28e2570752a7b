import { createHmac, randomInt } from 'node:crypto'
import { RECOVERY_CODES_COUNT } from '@tradepost/contract/limits'
import type { SecretKey } from '../keys/secret-key.ts'

/** Crockford's base32: no letter that is taken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 50 bits: with ten tries in a quarter of an hour nobody guesses one (ADR 0083). */
const CODE_LENGTH = 10

/** @returns ten new ones, as they are shown: two groups of five */
export function drawRecoveryCodes(): string[] {
  const draw = () => Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const codes = new Set<string>()
  while (codes.size < RECOVERY_CODES_COUNT) codes.add(draw().replace(/^.{5}/, '$&-'))
  return [...codes]
}

/** The stored form of a code: an HMAC that only AUTH_SECRET can make, bound to its owner. @param code in the one spelling */
export function recoveryCodeHmac(secret: SecretKey, userId: string, code: string): Buffer {
  return createHmac('sha256', secret.derive('recovery-codes'))
    .update(JSON.stringify([userId, code]))
    .digest()
}
