import { seenText } from './seen-text.ts'

/** A whole mail may be pasted; nobody types more. */
const TYPED_MAX_LENGTH = 10_000
const BLANKS_AND_DASHES = /[\s\p{Dash_Punctuation}\u2212.·_]/gu
const LINKS = /https?:\/\/\S+/gi
/** Six digits that are no part of a word or of a longer number; letters of languages without blanks may touch them. */
const SIX = /(?<![A-Za-z0-9_])\d{6}(?![A-Za-z0-9_])/g
/** The same in two groups. */
const THREE_AND_THREE =
  /(?<![A-Za-z0-9_]|\d[\s\p{Dash_Punctuation}])\d{3}[\s\p{Dash_Punctuation}]\d{3}(?![A-Za-z0-9_]|[\s\p{Dash_Punctuation}]\d)/gu
/** Crockford's base32: no letter that is taken for a digit. */
const RECOVERY_CODE = /^[0-9A-HJKMNP-TV-Z]{10}$/
const DIGITS_OF_A_SCRIPT = 16

/**
 * A code of six digits out of a typed or pasted text: with blanks, dashes and invisible characters, in the digits of any script, or in
 * the sentence it came in.
 * @returns six ASCII digits; null when there is no such code, or more than one
 */
export function readCode(typed: string): string | null {
  const seen = seenDigits(typed)
  const together = seen.replaceAll(BLANKS_AND_DASHES, '')
  if (/^\d*$/.test(together)) return together.length === 6 ? together : null
  const words = seen.replaceAll(LINKS, ' ')
  const whole = found(words, SIX)
  const codes = whole.size > 0 ? whole : found(words, THREE_AND_THREE)
  const [code] = codes
  return codes.size === 1 && code !== undefined ? code : null
}

/**
 * A recovery code (rule G-92) out of a typed or pasted text: two groups of five, in letters of any case.
 * @returns its ten characters; null when it cannot be one: an authenticator's code has six digits
 */
export function readRecoveryCode(typed: string): string | null {
  const seen = seenDigits(typed).toUpperCase().replaceAll(BLANKS_AND_DASHES, '')
  const code = seen.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return RECOVERY_CODE.test(code) ? code : null
}

function found(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([digits]) => digits.replaceAll(/\D/g, '')))
}

/** As a person reads it, with ASCII digits. */
function seenDigits(typed: string): string {
  return seenText(typed.slice(0, TYPED_MAX_LENGTH)).replaceAll(/\p{Decimal_Number}/gu, asciiDigit)
}

/** The ten digits of a script stand together in Unicode, from a code point that ends in 0 or in 6. */
function asciiDigit(digit: string): string {
  const place = (digit.codePointAt(0) ?? 0) % DIGITS_OF_A_SCRIPT
  const first = String.fromCodePoint((digit.codePointAt(0) ?? 0) - place)
  return String(/\p{Decimal_Number}/u.test(first) ? place : place - 6)
}
