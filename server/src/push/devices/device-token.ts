import { createHmac } from 'node:crypto'
import { type SecretKey, secretKeyName, secretKeyNamed } from '../../auth/keys/secret-key.ts'
import { sha256 } from '../../platform/ids.ts'

/** The stored part of a device's token: its hash, and the name of the secret that it is derived from. */
export type StoredToken = { hash: Buffer; secretKeyId: string }

/**
 * The token with which a device is turned off, or its address renewed, without a sign-in. It is derived and not drawn: it goes with
 * every message, and must not be readable in the database.
 */
export function deviceToken(secret: SecretKey, deviceId: string): string {
  return createHmac('sha256', secret.derive('push-devices')).update(deviceId).digest('base64url')
}

export function storedToken(secret: SecretKey, deviceId: string): StoredToken {
  return { hash: sha256(deviceToken(secret, deviceId)), secretKeyId: secretKeyName(secret) }
}

/** The token that a device was given; null when that was under a secret that is not ours any more. */
export function tokenUnder(secret: SecretKey, secretKeyId: string, deviceId: string): string | null {
  const known = secretKeyNamed(secret, secretKeyId)
  return known && deviceToken(known, deviceId)
}
