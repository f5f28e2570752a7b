import type { VerifyEd25519 } from '@tradepost/record/note'

/** The public key of the first test of RFC 8032, which every browser with Ed25519 can read. */
const KNOWN_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'

/** Browsers have Ed25519 since 2025 (Chromium 137, Firefox 129, Safari 17), over HTTPS and on localhost. */
export async function knowsEd25519(): Promise<boolean> {
  try {
    await readKey(Uint8Array.from(KNOWN_KEY.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)))
    return true
  } catch {
    return false
  }
}

/** @throws in a browser without Ed25519 */
export const verifyInBrowser: VerifyEd25519 = async (publicKey, message, signature) =>
  crypto.subtle.verify('Ed25519', await readKey(publicKey), copyOf(signature), copyOf(message))

function readKey(publicKey: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', copyOf(publicKey), 'Ed25519', false, ['verify'])
}

/** Browsers take no bytes that another thread might share. */
const copyOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)
