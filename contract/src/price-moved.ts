import Big from 'big.js'
import type { Decimal } from './gain.ts'

/** A price is asked for again when the key that holds it is older (ADR 0075), in seconds. */
export const PRICE_STANDS_SECONDS = 5

/** Of the market's price, and dollars: so far a held price may be better than the market, and never farther than the last one. */
const TOLERATED_PART = '0.0005'
const TOLERATED_DOLLARS = '0.01'
const TOLERATED_PART_AT_MOST = '0.002'

/**
 * Whether the market has left a held price behind in the trader's favour, so that nobody else could trade at it any more
 * (ADR 0075). A held price that is worse for the trader than the market never counts.
 * @param use a lower price is better for opening, a higher one for closing
 * @param held US dollars, greater than zero
 * @param market US dollars, the price of now, greater than zero
 */
export function isBetterThanMarket(use: 'open' | 'close', held: Decimal, market: Decimal): boolean {
  const now = new Big(market)
  const ahead = use === 'open' ? now.minus(held) : new Big(held).minus(now)
  return ahead.gt(tolerated(now))
}

function tolerated(price: Big): Big {
  const part = price.times(TOLERATED_PART)
  const least = part.gt(TOLERATED_DOLLARS) ? part : new Big(TOLERATED_DOLLARS)
  const most = price.times(TOLERATED_PART_AT_MOST)
  return least.gt(most) ? most : least
}
