import type { Address } from '../model/tax.ts'
import { fields, type Of, optional, text } from '../shape/shape.ts'

/** An address as a request gives it. */
export const ADDRESS = fields({
  city: optional(text),
  country: optional(text),
  line1: optional(text),
  line2: optional(text),
  postal_code: optional(text),
  state: optional(text),
})

/** The address with every field that Stripe shows. */
export function wholeAddress(given: Of<typeof ADDRESS>): Address {
  const { city, country, line1, line2, postal_code, state } = given
  return {
    city: city ?? null,
    country: country?.toUpperCase() ?? null,
    line1: line1 ?? null,
    line2: line2 ?? null,
    postal_code: postal_code ?? null,
    state: state ?? null,
  }
}

/** The countries that the pages offer. */
export const COUNTRIES: readonly string[] = ['AU', 'BR', 'CA', 'FR', 'DE', 'IN', 'JP', 'CH', 'GB', 'US']

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

/** The English name of a country; what is no code of two letters stays as it is. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (NAMES.of(code) ?? code) : code
}

/** An address whose place is known. */
export type Location = Address & { country: string }

/**
 * Whether tax can be computed for an address: a country is enough outside of the United States. There the sandbox reads the
 * state, where Stripe reads the postal code (docs.stripe.com/tax/customer-locations).
 */
export function isLocation(address: Address | null | undefined): address is Location {
  if (address === null || address === undefined || address.country === null) return false
  return address.country !== 'US' || address.state !== null
}
