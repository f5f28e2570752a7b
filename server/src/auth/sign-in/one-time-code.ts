import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { CODE_LIFE_MINUTES, LINK_LIFE_MINUTES } from '@tradepost/contract/limits'
import { type SecretKey, secretKeyNamed } from '../keys/secret-key.ts'

/** The purpose of a challenge; a code for one purpose is worth nothing for the other. */
export type Purpose = 'sign_in' | 'recovery'

export const CODE_LIFE_MS = CODE_LIFE_MINUTES * 60_000
export const LINK_LIFE_MS = LINK_LIFE_MINUTES * 60_000
/** Begins the link secrets of mails that a client with a PKCE verifier asked for, so that a redirect knows its flow. */
export const PKCE_PREFIX = 'pkce_'
const CODE_DIGITS = 6

/** @returns six random digits */
export function drawCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
}

type Bound = { id: string; purpose: string; email: string }

/**
 * The stored form of a code: an HMAC that only AUTH_SECRET can make, since a million candidates of a plain hash are
 * searched in a second. Bound to its challenge, so it fits nowhere else.
 */
export function codeHmac(secret: SecretKey, challenge: Bound, code: string): Buffer {
  return createHmac('sha256', secret.derive('one-time-codes'))
    .update(JSON.stringify([challenge.purpose, challenge.id, challenge.email, code]))
    .digest()
}

/** Whether `code` is the one that was drawn; compared in constant time. */
export function isCodeOf(
  secret: SecretKey,
  challenge: Bound & { code_hmac: Buffer | null; secret_key_id: string | null },
  code: string,
): boolean {
  const maker = secretKeyNamed(secret, challenge.secret_key_id)
  if (!challenge.code_hmac || !maker) return false
  return timingSafeEqual(codeHmac(maker, challenge, code), challenge.code_hmac)
}
