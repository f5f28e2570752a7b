import { normalizeEmail } from '@tradepost/contract/email-address'

const KEY = 'tradepost-login-email'

/*
 * The address this browser asked a code for. A mailed link opens in a new tab, so it is kept where tabs share it; it
 * lets the link sign in automatically in this browser and in no other (rule G-03).
 */

export function rememberEmail(email: string): void {
  try {
    localStorage.setItem(KEY, normalizeEmail(email) ?? email)
  } catch {
    // Storage is forbidden: the link asks before it signs in.
  }
}

export function isRememberedEmail(email: string): boolean {
  try {
    return localStorage.getItem(KEY)?.toLowerCase() === email.toLowerCase()
  } catch {
    return false
  }
}

export function forgetEmail(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Nothing was kept.
  }
}
