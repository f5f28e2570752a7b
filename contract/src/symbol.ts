import type { RefusalCode } from './errors.ts'

/** An exchange ticker: a letter, then up to nine letters, digits, dots or hyphens (decision G-44). */
const SYMBOL_PATTERN = /^[A-Z][A-Z0-9.-]{0,9}$/

/** The one spelling of a ticker: trimmed, upper case. */
export function normaliseSymbol(text: string): string {
  return text.trim().toUpperCase()
}

/**
 * Checks a ticker's shape; whether it exists only the price provider knows.
 * @param symbol a ticker as `normaliseSymbol` returns it
 */
export function checkSymbol(symbol: string): RefusalCode | null {
  if (symbol === '') return 'symbol_required'
  return SYMBOL_PATTERN.test(symbol) ? null : 'symbol_invalid'
}
