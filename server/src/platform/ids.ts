import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'

/** A time-ordered id (RFC 9562, version 7); every primary key is made here, by the application. */
export function newId(): string {
  return randomUUIDv7()
}

/** A secret to hand out, url-safe. @param bytes of randomness */
export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** How a random secret of at least 128 bits is stored: its SHA-256. Guessable secrets (codes) need an HMAC instead. */
export function sha256(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
