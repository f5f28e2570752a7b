import { hkdfSync } from 'node:crypto'

/** The purpose of a derived key; one key never serves two purposes. */
export type KeyPurpose =
  | 'signing-keys'
  | 'one-time-codes'
  | 'refresh-tokens'
  | 'limits'
  | 'audit'
  | 'factor-secrets'
  | 'known-devices'
  | 'recovery-codes'
  | 'factor-undos'
  | 'exports'
  | 'email-undos'
  | 'push-keys'
  | 'push-devices'
  | 'return-paths'
  | 'record-log'
  | 'reopenings'
  | 'former-names'
  | 'trials'
  | 'leaving'
  | 'leave-requests'

/**
 * The key material of AUTH_SECRET. Everything that is keyed by it is stored with `id`, so that a later secret can live beside
 * this one without signing anybody out (rule G-83).
 */
export type SecretKey = {
  /** Identifies the secret and reveals nothing of it: 6 bytes. */
  id: Buffer
  /** 32 bytes of HKDF-SHA-256 (RFC 5869). */
  derive(purpose: KeyPurpose): Buffer
  /** This one and the earlier ones that still count, newest first. */
  all: readonly SecretKey[]
}

const KEY_BYTES = 32
export const SECRET_KEY_ID_BYTES = 6

/**
 * @param authSecret one secret of at least 32 characters, or several, newest first, with commas between: what the
 *   newest makes is the newest's, what earlier ones made is still read
 */
export function makeSecretKey(authSecret: string): SecretKey {
  const all: SecretKey[] = []
  for (const secret of authSecret.split(',')) all.push(oneSecretKey(secret.trim(), all))
  const [newest] = all
  if (!newest) throw new Error('AUTH_SECRET is empty')
  return newest
}

/** The secret of that name, or null when it is not, or no longer, ours. */
export function secretKeyNamed(secret: SecretKey, name: string | null): SecretKey | null {
  return secret.all.find((known) => secretKeyName(known) === name) ?? null
}

/** The id as it is written into text columns. */
export function secretKeyName(secret: SecretKey): string {
  return secret.id.toString('base64url')
}

function oneSecretKey(secret: string, all: readonly SecretKey[]): SecretKey {
  const derived = new Map<KeyPurpose, Buffer>()
  return {
    id: expand(secret, 'key-id', SECRET_KEY_ID_BYTES),
    all,
    derive(purpose) {
      const known = derived.get(purpose)
      if (known) return known
      const key = expand(secret, purpose, KEY_BYTES)
      derived.set(purpose, key)
      return key
    },
  }
}

function expand(secret: string, info: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'tradepost', info, bytes))
}
