/// <reference path="./qrcode.d.ts" />
import { Secret, TOTP } from 'otpauth'
import qrcode from 'qrcode'

const STEP_SECONDS = 30
const SECRET_BYTES = 20
/** Steps by which the clock of the authenticator may be ahead or behind (RFC 6238 section 5.2). */
const WINDOW = 1

/** @returns a new shared secret, base32 */
export function drawTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** The `otpauth:` address that authenticator apps read: SHA-1, six digits, 30 seconds, which all of them support. */
export function totpUri(of: { secret: string; issuer: string; account: string }): string {
  return totp(of.secret, { issuer: of.issuer, label: of.account }).toString()
}

/**
 * Draws the address as a QR code.
 * @returns SVG without any `#`: clients put it unescaped into a data URL, where `#` would begin the fragment
 */
export async function totpPicture(uri: string): Promise<string> {
  const svg = await qrcode.toString(uri, { type: 'svg' })
  return svg.replaceAll('#ffffff', 'white').replaceAll('#000000', 'black').trim()
}

/**
 * Finds the time step that a code belongs to: the current one, the one before or the one after.
 * @returns the step's number since 1970, so that a step can be used once; null when the code is wrong
 */
export function totpStep(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = totp(secret).validate({ token: code, timestamp: now.getTime(), window: WINDOW })
  return delta === null ? null : Math.floor(now.getTime() / 1000 / STEP_SECONDS) + delta
}

function totp(secret: string, name: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({
    ...name,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_SECONDS,
  })
}
