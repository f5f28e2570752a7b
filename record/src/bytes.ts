/** SHA-256 of bytes. Passed in: servers have a fast one of their own, browsers a small one. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

export const HASH_BYTES = 32

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** @returns null for bytes that are no UTF-8 */
export function readUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Nothing compared here is secret, so the time it takes may depend on the bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** Standard base64 with padding (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** @returns null unless the text is the one way to write these bytes: `atob` takes spaces, missing padding and loose bits too */
export function fromBase64(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : null
  } catch {
    return null
  }
}

/** Base64 for addresses, without padding (RFC 4648 section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** @returns null unless the text is the one way to write these bytes */
export function fromBase64Url(text: string): Uint8Array | null {
  const bytes = fromBase64(
    text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (text.length % 4)) % 4),
  )
  return bytes && toBase64Url(bytes) === text ? bytes : null
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** In small letters. Joined at once: text that grows by parts takes many times its length for as long as it lives. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => HEX[byte]).join('')
}

/** @param hex as `toHex` writes it */
export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Big-endian, as every number of the record. @param value a whole number that fits */
export function number(value: number, byteLength: 1 | 2 | 4 | 6 | 8): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** (8 * byteLength))
    throw new RangeError(`${value} does not fit into ${byteLength} bytes`)
  const bytes = new Uint8Array(byteLength)
  let rest = value
  for (let at = byteLength - 1; at >= 0; at--) {
    bytes[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return bytes
}

/** Reads bytes from the front. */
export type Reader = {
  /** @returns null when fewer are left */
  take(length: number): Uint8Array | null
  /** A big-endian number. @returns null when fewer bytes are left, or where it is beyond 2^53 */
  number(byteLength: number): number | null
  isAtEnd(): boolean
}

export function readBytes(bytes: Uint8Array): Reader {
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length) return null
    at += length
    return bytes.slice(at - length, at)
  }
  return {
    take,
    number(byteLength) {
      if (at + byteLength > bytes.length) return null
      let value = 0
      // Without a copy: a leaf has eight numbers, and an audit reads a million leaves.
      for (const end = at + byteLength; at < end; at++) value = value * 256 + (bytes[at] ?? 0)
      return Number.isSafeInteger(value) ? value : null
    },
    isAtEnd: () => at === bytes.length,
  }
}
