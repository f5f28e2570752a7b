import type { RefusalCode } from './errors.ts'

/** An exchange ticker: a letter, then up to nine letters, digits, dots or hyphens (decision G-44). */
const SYMBOL_PATTERN = /^[A-Z][A-Z0-9.-]{0,9}$/

/** Brings a ticker into the spelling that is stored and compared: trimmed, upper case (decision G-44). */
export function normaliseSymbol(text: string): string {
  return text.trim().toUpperCase()
}

/**
 * Checks the shape of a ticker. Whether the stock exists is a question to the price provider.
 * @param symbol a ticker as `normaliseSymbol` returns it
 * @returns `symbol_required` or `symbol_invalid`; null for a good shape
 */
export function checkSymbol(symbol: string): RefusalCode | null {
  if (symbol === '') return 'symbol_required'
  return SYMBOL_PATTERN.test(symbol) ? null : 'symbol_invalid'
}
