import Big from 'big.js'

/** Decimal places kept of a gain; two are shown, the rest keeps averages exact. */
const GAIN_DECIMALS = 12
const SHOWN_DECIMALS = 2
/** Of a price that would otherwise look like another one beside it. */
const MORE_DECIMALS = 2
/** Significant ones; so a price below one dollar does not look like one dollar. */
const DIGITS_BELOW_A_DOLLAR = { min: 3, max: 6 }

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

/** Whether a gain is painted as a loss: the shown figure decides, so -0.001 is none. */
export function isLoss(gain: Decimal): boolean {
  return formatGain(gain).startsWith('-')
}

/**
 * A price for people, in US dollars, without grouping (rule G-24): `$187.52`, or `$10.0010` where two decimals would hide that
 * it differs from a price beside it; below one dollar three significant digits at least, `$0.500` and `$0.00000140`.
 * @param beside the prices that it stands together with
 */
export function formatPrice(price: Decimal, ...beside: Decimal[]): string {
  const exact = new Exact(price)
  const short = shortened(exact)
  const looksLike = (other: Big) => !other.eq(exact) && shortened(other).eq(short)
  const hidden = beside.some((other) => looksLike(new Exact(other)))
  return `$${exact.toFixed(shownDecimals(exact) + (hidden ? MORE_DECIMALS : 0))}`
}

function shortened(price: Big): Big {
  return price.round(shownDecimals(price), Big.roundHalfUp)
}

function shownDecimals(price: Big): number {
  if (price.gte(1)) return SHOWN_DECIMALS
  const digits = Math.min(Math.max(price.c.length, DIGITS_BELOW_A_DOLLAR.min), DIGITS_BELOW_A_DOLLAR.max)
  return digits - 1 - price.e
}
