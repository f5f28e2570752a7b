import type { RefusalCode } from './errors.ts'
import { seenText } from './seen-text.ts'

/** An exchange ticker: a letter, then up to nine letters, digits, dots or hyphens (rule G-44). */
const SYMBOL_PATTERN = /^[A-Z][A-Z0-9.-]{0,9}$/

/** As posts write it, `$AAPL` or `#AAPL`, and what followed it in a sentence. */
const AROUND = /^[$#]+(?=[A-Z])|(?<=[A-Z0-9])[,;:!?]+$/g
/** With its exchange or country, as `NASDAQ:AAPL` and `AAPL:US`. */
const EXCHANGE_BEFORE = /^(?:NASDAQ|NYSE|NYSEARCA|NYSEAMERICAN|AMEX|ARCA|BATS|CBOE|OTC):/
const COUNTRY_BEHIND = /:(?:US|UN|UW|UQ|UA)$/
/** A class of shares, as `BRK-B`, `BRK/B` and `BRK B`, behind one to five letters. Two letters with a blank between them are none. */
const SHARE_CLASS = /^([A-Z]{1,5})(?:[-/]|(?<=[A-Z]{2}) )([A-Z])$/
const CANONICAL_CLASS = /^([A-Z]{1,5})\.([A-Z])$/

/**
 * Brings a ticker into the spelling that is stored and compared: as a person sees it, however they typed or pasted it, in upper case
 * (rule G-44). Applied again it changes nothing.
 */
export function normaliseSymbol(text: string): string {
  const seen = seenText(text).toUpperCase().replaceAll(AROUND, '').trim()
  return seen.replace(EXCHANGE_BEFORE, '').replace(COUNTRY_BEHIND, '').trim().replace(SHARE_CLASS, '$1.$2')
}

/**
 * By which a position in a ticker may be stored: releases before kept the class of a share behind a hyphen too.
 * @param symbol a ticker as `normaliseSymbol` returns it
 * @returns that one first; of `BRK.B` also `BRK-B`
 */
export function symbolSpellings(symbol: string): string[] {
  return CANONICAL_CLASS.test(symbol) ? [symbol, symbol.replace(CANONICAL_CLASS, '$1-$2')] : [symbol]
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
