import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'

/** A time-ordered id (RFC 9562, version 7); every primary key is made here, by the application. */
export function newId(): string {
  return randomUUIDv7()
}

/** Draws a random secret for a link or a token. @param bytes of randomness @returns base64url */
export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/**
 * The form in which a random secret is stored. Only for secrets of at least 128 bits: a short code could be found by trying
 * all of them, so codes are stored as an HMAC (ADR 0006).
 */
export function sha256(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** The 16 bytes of an id. */
export function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}
