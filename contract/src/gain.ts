import Big from 'big.js'

/** Decimal places kept of a gain; two are shown, the rest keeps averages exact. */
const GAIN_DECIMALS = 12
const SHOWN_DECIMALS = 2

/** An exact decimal: a price or a gain as text, or a JSON number that holds its shortest form. */
export type Decimal = string | number

const Exact = Big()
Exact.DP = GAIN_DECIMALS
Exact.RM = Big.roundHalfUp

/**
 * Gain of a position in percent: (current - open) / open * 100 (docs/specification.md section 5), never through floats.
 * @param openPrice greater than zero
 * @returns decimal text with up to 12 places, rounded half away from zero
 */
export function percentageGain(openPrice: Decimal, currentPrice: Decimal): string {
  const open = new Exact(openPrice)
  return new Exact(currentPrice).minus(open).times(100).div(open).toFixed()
}

/** Two decimals, rounded half away from zero, never "-0.00" (it would be painted as a loss). */
export function formatGain(gain: Decimal): string {
  const shown = new Exact(gain).round(SHOWN_DECIMALS, Big.roundHalfUp)
  return shown.eq(0) ? '0.00' : shown.toFixed(SHOWN_DECIMALS)
}

/** A gain as JSON number of two decimals; formatting it again gives the same digits. */
export function gainNumber(gain: Decimal): number {
  return Number(formatGain(gain))
}

/** Whether a gain is painted as a loss: what is shown decides, so -0.001 is none. */
export function isLoss(gain: Decimal): boolean {
  return formatGain(gain).startsWith('-')
}

/** A price for people: `$187.52`, four decimals under one dollar, no grouping (decision G-24). */
export function formatPrice(price: Decimal): string {
  const exact = new Exact(price)
  return `$${exact.toFixed(leastDecimals(exact))}`
}

const leastDecimals = (price: Big) => (price.lt(1) ? 4 : 2)

/** A price that is to be recorded, as the price field shows it: `187.50`, all its decimals and at least those of `formatPrice`. */
export function quotedPrice(price: Decimal): string {
  const exact = new Exact(price)
  const [, decimals = ''] = exact.toFixed().split('.')
  return exact.toFixed(Math.max(leastDecimals(exact), decimals.length))
}
