import { MONTHS_OF } from './billing-interval.ts'
import { decimalsOf, formatMoney } from './money.ts'
import { seenText } from './seen-text.ts'

/** A year costs so many months where a trader names no price of a year (rule G-28). */
const MONTHS_OF_A_YEARS_PRICE = 10

/** The least and the most that a month may cost, in the currency's smallest unit. */
export type PriceBounds = { minCents: number; maxCents: number }

/** A trader's prices, in the currency's smallest unit; `yearlyCents` is null where nobody can pay by the year. */
export type Prices = { monthlyCents: number; yearlyCents: number | null }

/** Why prices are refused; `from` and `to` are the bounds that the sentence names. */
export type PriceFault =
  | { code: 'price_invalid' | 'price_currency'; field: keyof TypedPrices }
  | {
      code: 'price_out_of_bounds' | 'yearly_out_of_bounds'
      field: keyof TypedPrices
      from: string
      to: string
    }

/** As they are typed. `yearly`: null for none, empty for that of ten months. */
export type TypedPrices = { monthly: string; yearly: string | null }

/**
 * Reads prices as a trader types them, and judges them (rule G-28): a month within the bounds; a year at least one month's price, and
 * never more than twelve.
 * @param currency three letters, as Stripe writes them
 */
export function readPrices(
  typed: TypedPrices,
  currency: string,
  bounds: PriceBounds,
): { prices: Prices } | { fault: PriceFault } {
  const monthly = readAmount(typed.monthly, currency)
  if (typeof monthly === 'string') return { fault: { code: monthly, field: 'monthly' } }
  const fault = outOfBounds('monthly', monthly, bounds, currency)
  if (fault) return { fault }
  if (typed.yearly === null) return { prices: { monthlyCents: monthly, yearlyCents: null } }
  if (seenText(typed.yearly) === '')
    return { prices: { monthlyCents: monthly, yearlyCents: usualYear(monthly) } }
  const yearly = readAmount(typed.yearly, currency)
  if (typeof yearly === 'string') return { fault: { code: yearly, field: 'yearly' } }
  const yearFault = outOfBounds('yearly', yearly, yearBounds(monthly), currency)
  return yearFault ? { fault: yearFault } : { prices: { monthlyCents: monthly, yearlyCents: yearly } }
}

function outOfBounds(
  field: keyof TypedPrices,
  cents: number,
  { maxCents, minCents }: PriceBounds,
  currency: string,
): PriceFault | null {
  if (cents >= minCents && cents <= maxCents) return null
  const code = field === 'monthly' ? 'price_out_of_bounds' : 'yearly_out_of_bounds'
  return { code, field, from: formatMoney(minCents, currency), to: formatMoney(maxCents, currency) }
}

/** The least and the most that a year may cost beside the price of a month. @param monthlyCents in the currency's smallest unit */
export function yearBounds(monthlyCents: number): PriceBounds {
  return { minCents: monthlyCents, maxCents: monthlyCents * MONTHS_OF.year }
}

/** The price of a year where the trader names none: that of ten months. @param monthlyCents in the currency's smallest unit */
export function usualYear(monthlyCents: number): number {
  return monthlyCents * MONTHS_OF_A_YEARS_PRICE
}

/**
 * Reads an amount of money as a person types or pastes it: `12`, `12.50`, `12,50`, `$12.50`, `USD 12`.
 * @returns the currency's smallest unit, or why it cannot be read
 */
export function readAmount(typed: string, currency: string): number | 'price_invalid' | 'price_currency' {
  const text = seenText(typed).replaceAll(/\s/g, '')
  const {
    after,
    before,
    fraction = '',
    whole,
  } = /^(?<before>\D*)(?<whole>\d{1,9})(?:[.,](?<fraction>\d*))?(?<after>\D*)$/.exec(text)?.groups ?? {}
  if (whole === undefined) return 'price_invalid'
  const named = `${before}${after}`
  if (!namesOf(currency).has(named.toLowerCase()))
    return /^(?:\p{Sc}|[a-z]{3})$/iu.test(named) ? 'price_currency' : 'price_invalid'
  const decimals = decimalsOf(currency)
  if (fraction.length > decimals) return 'price_invalid'
  return Number(whole + fraction.padEnd(decimals, '0'))
}

/** All that may stand beside an amount. */
function namesOf(currency: string): ReadonlySet<string> {
  const shown = (currencyDisplay: 'symbol' | 'narrowSymbol') =>
    new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay })
      .formatToParts(0)
      .find(({ type }) => type === 'currency')?.value ?? ''
  return new Set(['', currency, shown('symbol'), shown('narrowSymbol')].map((name) => name.toLowerCase()))
}
