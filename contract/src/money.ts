/** Currencies without a smaller unit, and with a thousandth, as Stripe counts; all others have cents (docs.stripe.com/currencies). */
const WHOLE = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ')
const THOUSANDTHS = 'bhd jod kwd omr tnd'.split(' ')

/**
 * An amount of money for people: `$10.00`, `€4.90`, `¥1000`, `-$10.00`; no grouping, as for prices (rule G-24).
 * Exact: digits are set apart, never divided.
 * @param cents integer of the currency's smallest unit
 * @param currency three letters, as Stripe writes them: `usd`
 */
export function formatMoney(cents: number, currency: string): string {
  const decimals = decimalsOf(currency.toLowerCase())
  const digits = String(Math.abs(cents)).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const exact = `${cents < 0 ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: false,
  }).format(exact as Intl.StringNumericLiteral)
}

/**
 * A price, without a fraction that is zero: `$10 a month`, `€49.90 a year`.
 * @param interval one of `BILLING_INTERVALS`, or a word of a newer version
 */
export function formatPriceOf(interval: string, cents: number, currency: string): string {
  return `${formatMoney(cents, currency).replace(/\.0+$/, '')} a ${interval}`
}

/** How many decimals a currency has. @param currency three small letters */
export function decimalsOf(currency: string): number {
  if (WHOLE.includes(currency)) return 0
  return THOUSANDTHS.includes(currency) ? 3 : 2
}
