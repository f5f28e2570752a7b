import * as z from 'zod/mini'
import type { BillingInterval } from './billing-interval.ts'
import { formatMoney, formatPriceOf } from './money.ts'

/** The free days that a trader can offer to new followers (rule G-123). */
export const TRIAL_DAYS = [7, 14] as const
export type TrialDays = (typeof TRIAL_DAYS)[number]

/** Between two trials of a person, whoever the traders are. */
export const TRIAL_PAUSE_DAYS = 30
/** A mail tells of the end of a trial so many days before. */
export const TRIAL_NOTICE_DAYS = 2
/** Hashes of an erased person's address and card are kept so long for this rule. */
export const TRIAL_KEPT_DAYS = 400

export const trialDays = z.literal(TRIAL_DAYS)

/** The offer: `7 days free`. */
export function formatTrial(days: TrialDays): string {
  return `${days} days free`
}

/**
 * Says what follows a trial, in the words that stand before the button: `then $12.50 a month from December 6, until you cancel`, or with a
 * discount `then $3 a month for 3 months from December 6, then $12.50 a month, until you cancel`.
 * @param price.cents in the smallest unit of its currency, of the first payment
 * @param price.later of the payments behind so many months of a discount; null without one, or where it does not end
 * @param day of the first payment, as the reader's calendar writes it
 */
export function formatAfterTrial({ cents, currency, interval, later }: PriceAfterTrial, day: string): string {
  const price = formatPriceOf(interval, cents, currency)
  if (later === null) return `then ${price} from ${day}, until you cancel`
  const first =
    later.months === 1
      ? `${formatMoney(cents, currency)} for the first month`
      : `${price} for ${later.months} months`
  return `then ${first} from ${day}, then ${formatPriceOf(interval, later.cents, currency)}, until you cancel`
}

export type PriceAfterTrial = {
  interval: BillingInterval
  cents: number
  currency: string
  later: { months: number; cents: number } | null
}
