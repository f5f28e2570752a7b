import { WITHDRAWAL_DAYS } from './leaving.ts'
import { RISK_SENTENCE } from './risk.ts'
import { webPaths } from './web-paths.ts'

/**
 * The sentence beside the box that a person ticks on Stripe's page before paying (rule G-125); a link is in square brackets, as Stripe takes
 * it, and far below the 1200 characters that it takes.
 * @param shown.origin public address of the product, without a slash at the end
 * @param shown.termsVersion of the terms that are there now
 */
export function acceptanceSentence(shown: { origin: string; termsVersion: string }): string {
  const { origin, termsVersion } = shown
  return `I agree to the [terms](${origin}${webPaths.terms}), version ${termsVersion}. ${RISK_SENTENCE}`
}

/** How long a subscription waits, uncharged, for a trader who cannot be paid or is suspended, before it ends (rule G-56). */
export const TRADER_WAIT_DAYS = 30

/** The end of a subscription by its follower, in the words before the payment. */
export const ENDING_SENTENCE =
  'In Account > Subscriptions, at any time. You have access to the end of what you paid for.'

/** The right to withdraw (rule G-126), in the words before the payment, of the mail after it and of the built-in terms. */
export const WITHDRAWAL_SENTENCE = `For ${WITHDRAWAL_DAYS} days from your first payment you can withdraw: your access ends at once, and you get back the part for the days that are left, or everything if the trader has published nothing since.`

/** The cost of a cancellation in money, where one cancels. @param returnsEmptyMonths whether this product returns those (rule G-127) */
export function paidStays(returnsEmptyMonths: boolean): string {
  return returnsEmptyMonths
    ? 'What is paid stays paid, except a month in which nothing reached you: that comes back by itself.'
    : 'What is paid stays paid.'
}

/** The end of a subscription by its trader, in the words before the payment (rule G-56). */
export const TRADER_STOPS_SENTENCE = `Nothing is charged while this trader cannot be paid or is suspended. After ${TRADER_WAIT_DAYS} days, or once the account is closed, it ends, and you get the unused part back.`
