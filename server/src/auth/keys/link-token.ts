import { createHmac, timingSafeEqual } from 'node:crypto'
import { bytesOf } from '../../platform/ids.ts'
import type { KeyPurpose, SecretKey } from './secret-key.ts'

const ID_BYTES = 16
const TOKEN_BYTES = ID_BYTES + 32

/**
 * The secret of a link in a mail: the id of what it is about and its HMAC-SHA-256, base64url. Derived and not drawn, so a mail that is sent
 * twice brings one link; nothing of it is stored.
 */
export function makeLinkToken(secret: SecretKey, purpose: KeyPurpose, id: string): string {
  return Buffer.concat([bytesOf(id), mac(secret, purpose, id)]).toString('base64url')
}

/** @returns the id; null when we did not make the token for this purpose */
export function readLinkToken(secret: SecretKey, purpose: KeyPurpose, token: string): string | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== TOKEN_BYTES) return null
  const id = bytes.toString('hex', 0, ID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const given = bytes.subarray(ID_BYTES)
  return secret.all.some((key) => timingSafeEqual(given, mac(key, purpose, id))) ? id : null
}

function mac(secret: SecretKey, purpose: KeyPurpose, id: string): Buffer {
  return createHmac('sha256', secret.derive(purpose)).update(id).digest()
}
