import { TRADER_WAIT_DAYS } from './consent.ts'

/* The texts about payouts that a trader reads, apart from the calls (payments.ts), which a first page loads. */

/** The fate of followers of a rejected account, on the page and by mail (rule G-56). */
export function rejectedFollowers(isFollowed: boolean): string {
  return isFollowed
    ? `Nobody new can subscribe to you, and those who follow you are not charged. After ${TRADER_WAIT_DAYS} days their subscriptions end, and what they paid for days that they do not get goes back to them.`
    : 'Nobody can subscribe to you.'
}
/** Of an account that was rejected: where to ask, and what is not touched. */
export const REJECTED_REASON =
  'Stripe’s support can tell you more. Your positions and your record stay yours.'

/** The terms that a trader agrees to before payouts are set up; which version was agreed to, and when, is kept (rule G-51). */
export const PAYOUT_TERMS_VERSION = '2026-11'

/**
 * The statements above the checkbox of Account > Payments.
 * @param feePercent the platform's part of each payment
 */
export function payoutTerms(feePercent: number): readonly string[] {
  return [
    'What you publish is your own opinion. You do not give personal investment advice here.',
    'You do not publish in order to move a price, and you do not trade against those who follow you.',
    `Tradepost keeps ${feePercent} % of each payment; the rest is yours.`,
    'Stripe pays you out. Taxes on what you earn are yours to declare.',
  ]
}
