import { type BillingInterval, MONTHS_OF } from './billing-interval.ts'
import { formatPriceOf } from './money.ts'
import type { Prices } from './typed-prices.ts'

const HUNDREDTHS = 100
const WHOLE_PERCENT = 100 * HUNDREDTHS

/**
 * A trader's part of a payment: the platform's fee is rounded to the smallest unit, half of one up, as Stripe does it.
 * @param cents of the payment, in the currency's smallest unit
 * @param feePercent with at most two decimals
 */
export function tradersPart(cents: number, feePercent: number): number {
  const hundredths = Math.round(feePercent * HUNDREDTHS)
  return cents - Math.floor((cents * hundredths + WHOLE_PERCENT / 2) / WHOLE_PERCENT)
}

/**
 * By how much a year that is paid at once is cheaper than twelve months: in the currency's smallest unit, and in whole percent, rounded
 * down so that nobody is promised more. Null where it saves less than a percent, or nobody can pay by the year.
 */
export function savedByYear({
  monthlyCents,
  yearlyCents,
}: Prices): { cents: number; percent: number } | null {
  if (yearlyCents === null) return null
  const ofMonths = monthlyCents * MONTHS_OF.year
  const cents = ofMonths - yearlyCents
  const percent = Math.floor((cents * 100) / ofMonths)
  return percent < 1 ? null : { cents, percent }
}

/**
 * A price as it counts for a month: of a year's price a twelfth, rounded to the smallest unit, half of one away from zero.
 * @param cents in the currency's smallest unit
 */
export function ofMonth(cents: number, interval: BillingInterval): number {
  return Math.sign(cents) * Math.round(Math.abs(cents) / MONTHS_OF[interval])
}

/**
 * The prices of following a trader as people read them: `$12.50 a month`, and `$125 a year` where that is offered. Empty where none is
 * known.
 * @param prices amounts in the currency's smallest unit
 */
export function priceTexts({
  currency,
  priceCents,
  yearlyCents,
}: {
  priceCents?: number | undefined
  yearlyCents?: number | null | undefined
  currency?: string | undefined
}): string[] {
  if (priceCents === undefined || currency === undefined) return []
  const monthly = formatPriceOf('month', priceCents, currency)
  return yearlyCents == null ? [monthly] : [monthly, formatPriceOf('year', yearlyCents, currency)]
}
