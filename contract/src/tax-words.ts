import type { TaxLiable } from './tax.ts'

const TAX_INCLUDED = 'tax included'

/**
 * A price in words, with the words that its tax stands in it, so that it is what one pays wherever one lives: `$10 a month, tax included`.
 * @param liable of the settings; the price alone where no tax is computed
 */
export function withTaxWords(price: string, liable: TaxLiable | null | undefined): string {
  return liable ? `${price}, ${TAX_INCLUDED}` : price
}

/** Before somebody pays: where the tax is, and how a business names its number. */
export const TAX_SENTENCE =
  'Included in the price, if there is one where you live. Stripe asks for your address, and for the tax number of a business. Your invoices are under Account > Subscriptions, and Manage billing there changes both.'
