import type { TaxNumber } from '../model/tax.ts'
import type { Location } from './location.ts'

/** The buyer as far as tax asks. `exempt` is the customer's `tax_exempt`. */
export type TaxedBuyer = { location: Location; numbers: TaxNumber[]; exempt: string }

/** A place's rule: the rate in thousandths of a percent. */
export type Judgement = {
  place: string
  kind: 'VAT' | 'Sales Tax'
  rate: number
  reason: 'standard_rated' | 'not_collecting' | 'not_subject_to_tax' | 'reverse_charge' | 'customer_exempt'
}

type Place = {
  country: string
  state: string | null
  name: string
  kind: Judgement['kind']
  rate: number
  /** The tax number that makes a buyer a business, which accounts for the tax itself; null: businesses pay as everybody. */
  number: string | null
}

/** The places in which the sandbox's sellers are registered, with rates of the year 2026 that never change here. */
const PLACES: Place[] = [
  { country: 'DE', state: null, name: 'Germany', kind: 'VAT', rate: 19_000, number: 'eu_vat' },
  { country: 'FR', state: null, name: 'France', kind: 'VAT', rate: 20_000, number: 'eu_vat' },
  { country: 'GB', state: null, name: 'United Kingdom', kind: 'VAT', rate: 20_000, number: 'gb_vat' },
  { country: 'US', state: 'NY', name: 'New York', kind: 'Sales Tax', rate: 8_875, number: null },
]

/** States without a sales tax; the sandbox knows one. */
const UNTAXED = ['OR']

/** The rule for a buyer (docs.stripe.com/tax/zero-tax names the reasons for no tax). */
export function judge({ location, numbers, exempt }: TaxedBuyer): Judgement {
  const { country, state } = location
  const inUs = country === 'US'
  const place = PLACES.find((one) => one.country === country && (one.state === null || one.state === state))
  const none = {
    place: place?.name ?? (inUs ? (state ?? country) : country),
    kind: inUs ? ('Sales Tax' as const) : ('VAT' as const),
    rate: 0,
  }
  if (exempt === 'exempt') return { ...none, reason: 'customer_exempt' }
  if (place === undefined)
    return {
      ...none,
      reason: inUs && UNTAXED.includes(state ?? '') ? 'not_subject_to_tax' : 'not_collecting',
    }
  const isBusiness = place.number !== null && numbers.some(({ type }) => type === place.number)
  if (isBusiness || exempt === 'reverse') return { ...none, reason: 'reverse_charge' }
  return { ...none, rate: place.rate, reason: 'standard_rated' }
}

/**
 * The tax that is in an amount: amount − amount ÷ (1 + rate), half a cent rounded up.
 * @param amount cents, tax included
 * @param rate thousandths of a percent
 */
export function taxWithin(amount: number, rate: number): number {
  const whole = 100_000 + rate
  return Math.floor((2 * amount * rate + whole) / (2 * whole))
}
