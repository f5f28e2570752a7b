import { Secret, TOTP } from 'otpauth'

/** The app on a person's phone: the code of a secret at an instant (RFC 6238). */
export function authenticatorCode(secret: string, at: Date): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() })
}

/** A code that is none of those that count at the instant. */
export function wrongAuthenticatorCode(secret: string, at: Date): string {
  const right = [-30_000, 0, 30_000].map((off) => authenticatorCode(secret, new Date(at.getTime() + off)))
  return ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code)) ?? '000004'
}
