import Big from 'big.js'
import type { Quote } from '../provider/provider.ts'

/**
 * A price looks wrong beyond the high or low of its own answer by more than the first part, or farther from the last known price than the
 * second.
 */
const OUTSIDE_RANGE = '0.005'
const FAR = '0.35'
/** New shares for old ones as companies split them, either way round, and how near a jump comes to one. */
const SPLITS = [2, 3, 4, 5, 8, 10, 15, 20, 25, 30, 50, 100, 3 / 2, 4 / 3]
const NEAR_SPLIT = 0.03

/**
 * Whether a price looks wrong (ADR 0076).
 * @param known the newest price that is known of the symbol, decimal text; null for none
 */
export function isSuspect(quote: Quote, known: string | null): boolean {
  return !isWithinDay(quote.price, quote) || (known !== null && isFar(quote.price, known))
}

/** Whether a price lies between the high and the low of an answer; a bound that the answer lacks does not count. */
export function isWithinDay(price: string, { high, low }: Pick<Quote, 'high' | 'low'>): boolean {
  const tooHigh = high !== null && new Big(price).gt(new Big(high).times(new Big(1).plus(OUTSIDE_RANGE)))
  const tooLow = low !== null && new Big(price).lt(new Big(low).times(new Big(1).minus(OUTSIDE_RANGE)))
  return !tooHigh && !tooLow
}

function isFar(price: string, known: string): boolean {
  return new Big(price).minus(known).abs().gt(new Big(known).times(FAR))
}

/** Whether a jump may be a split, so that only an operator knows. */
export function looksLikeSplit(price: string, known: string): boolean {
  const jump = Number(price) / Number(known)
  return SPLITS.some((ratio) => [ratio, 1 / ratio].some((split) => Math.abs(jump / split - 1) <= NEAR_SPLIT))
}
