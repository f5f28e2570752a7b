import { createHmac, timingSafeEqual } from 'node:crypto'
import { SECRET_KEY_ID_BYTES, type SecretKey } from '../keys/secret-key.ts'

/** The content of a refresh token: it is the nth of its session. */
export type RefreshTokenContent = { sessionId: string; counter: number }

const VERSION = 1
const SESSION_AT = 1 + SECRET_KEY_ID_BYTES
const UUID_BYTES = 16
const COUNTER_AT = SESSION_AT + UUID_BYTES
const COUNTER_BYTES = 8
const MAC_AT = COUNTER_AT + COUNTER_BYTES
const MAC_BYTES = 32
const TOKEN_BYTES = MAC_AT + MAC_BYTES

/**
 * version | id of the secret | session | counter | HMAC-SHA-256 of these, base64url (rule G-82): nothing secret is
 * stored, and the same token can be made again for an answer that got lost.
 */
export function makeRefreshToken(secret: SecretKey, content: RefreshTokenContent): string {
  const token = Buffer.alloc(TOKEN_BYTES)
  token.writeUInt8(VERSION)
  secret.id.copy(token, 1)
  Buffer.from(content.sessionId.replaceAll('-', ''), 'hex').copy(token, SESSION_AT)
  token.writeBigUInt64BE(BigInt(content.counter), COUNTER_AT)
  mac(secret, token).copy(token, MAC_AT)
  return token.toString('base64url')
}

/** @returns null for anything that no secret of ours has made */
export function readRefreshToken(secret: SecretKey, token: string): RefreshTokenContent | null {
  const bytes = Buffer.from(token, 'base64url')
  // Re-encoded, so that one token has one spelling.
  if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) return null
  const maker = secret.all.find(({ id }) => bytes.subarray(1, SESSION_AT).equals(id))
  if (bytes.readUInt8() !== VERSION || !maker) return null
  if (!timingSafeEqual(bytes.subarray(MAC_AT), mac(maker, bytes))) return null
  const hex = bytes.toString('hex', SESSION_AT, COUNTER_AT)
  return {
    sessionId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter: Number(bytes.readBigUInt64BE(COUNTER_AT)),
  }
}

function mac(secret: SecretKey, token: Buffer): Buffer {
  return createHmac('sha256', secret.derive('refresh-tokens')).update(token.subarray(0, MAC_AT)).digest()
}
