import { invalid } from '../refusals/errors.ts'

/** The smallest charge of each currency, in its cents (docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
const SMALLEST: Record<string, number> = {
  gbp: 30,
  pln: 200,
  dkk: 250,
  nok: 300,
  sek: 300,
  czk: 1500,
}
const OTHERS = 50

/**
 * Checks that a checkout asks for nothing, or for enough to be charged.
 * @param amount in cents
 * @throws ApiError amount_too_small
 */
export function checkMinimum(amount: number, currency: string): void {
  const smallest = SMALLEST[currency] ?? OTHERS
  if (amount === 0 || amount >= smallest) return
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() })
  throw invalid(
    `The Checkout Session's total amount due must add up to at least ${format.format(smallest / 100)} ${currency}`,
    null,
    'amount_too_small',
  )
}
