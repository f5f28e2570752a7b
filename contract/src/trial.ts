import * as z from 'zod/mini'
import type { BillingInterval } from './billing-interval.ts'
import { formatPriceOf } from './money.ts'

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
 * Says what follows a trial, in the words that stand before the button: `then $12.50 a month from December 6, until you cancel`.
 * @param price.cents in the smallest unit of its currency
 * @param day of the first payment, as the reader's calendar writes it
 */
export function formatAfterTrial(
  price: { interval: BillingInterval; cents: number; currency: string },
  day: string,
): string {
  return `then ${formatPriceOf(price.interval, price.cents, price.currency)} from ${day}, until you cancel`
}
