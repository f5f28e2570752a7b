import { type Decimal, formatPrice } from './gain.ts'

/**
 * The subject of the mail about an opened position, which must be enough in an inbox; the trade desk shows it beforehand.
 * @param opened.trader username without the @
 * @param opened.openPrice in US dollars
 */
export function openedSubject(opened: { trader: string; symbol: string; openPrice: Decimal }): string {
  return `@${opened.trader} opened ${opened.symbol} at ${formatPrice(opened.openPrice)}`
}
