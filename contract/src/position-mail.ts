import { type Decimal, formatGain, formatPrice, isLoss } from './gain.ts'

/**
 * The subject of the mail about an opened position, which must be enough in an inbox; the trade desk shows it before the opening.
 * @param opened.trader username without the @
 * @param opened.openPrice in US dollars
 */
export function openedSubject(opened: { trader: string; symbol: string; openPrice: Decimal }): string {
  return `@${opened.trader} opened ${opened.symbol} at ${formatPrice(opened.openPrice)}`
}

/** A gain with its sign, since colour alone would not distinguish a gain from a loss: `+7.24%`. */
export function signedGain(gain: Decimal): string {
  const shown = formatGain(gain)
  return `${shown === '0.00' || isLoss(gain) ? '' : '+'}${shown}%`
}

/**
 * The subject of the mail about a closed position; an open page announces the close with it.
 * @param closed.openPrice in US dollars; the mail shows it beside the closing price
 * @param closed.closePrice in US dollars
 * @param closed.percentageGain percent
 * @param closed.settled false while price and gain are those of the last trade
 */
export function closedSubject(closed: {
  trader: string
  symbol: string
  openPrice: Decimal
  closePrice: Decimal
  percentageGain: Decimal
  settled?: false | undefined
}): string {
  const { openPrice, percentageGain, symbol, trader } = closed
  const closePrice = formatPrice(closed.closePrice, openPrice)
  if (closed.settled === false)
    return `@${trader} closed ${symbol}, settles at the next trade (last price ${closePrice})`
  return `@${trader} closed ${symbol} at ${closePrice} (${signedGain(percentageGain)})`
}
