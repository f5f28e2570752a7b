import * as z from 'zod/mini'
import { BILLING_INTERVALS } from './billing-interval.ts'
import { shownAsWritten } from './shown-as-written.ts'

/** The months that a desk lists, the present one included. */
export const DESK_MONTHS_COUNT = 12

/** A month in UTC, as `2026-11`. */
const month = z.string()

/**
 * How many people began to have access to the trader in a month, and how many lost it: by an end, or because payments stayed
 * away until access was taken (rule G-33). A planned end is none yet. Somebody who comes back has begun again.
 */
const followerMonth = z.object({ month, gained: z.int(), lost: z.int() })
export type FollowerMonth = z.infer<typeof followerMonth>

/**
 * The income, in the currency's smallest unit: payments passed on to the trader less the platform's fee and what was taken back. A payment
 * counts in the month in UTC in which it was made, and what is taken back is taken off that month.
 */
const deskIncome = z.object({
  currency: z.string(),
  thisMonthCents: z.int(),
  lastMonthCents: z.int(),
  allCents: z.int(),
})
export type DeskIncome = z.infer<typeof deskIncome>

/** Followers with access at one price. */
const followersAtPrice = z.object({
  /** At each renewal, in the smallest unit of `currency`. */
  priceCents: z.int(),
  currency: z.string(),
  interval: shownAsWritten(BILLING_INTERVALS),
  followers: z.int(),
  /** Of them, those whose subscription is planned to end, or of whom nothing is collected at present. */
  ending: z.int(),
})
export type FollowersAtPrice = z.infer<typeof followersAtPrice>

/** Of the trials that ever began with the trader (rule G-123), how they stand; the rest waits for its first payment. */
const deskTrials = z.object({
  began: z.int(),
  /** Within their free days. */
  free: z.int(),
  /** Their first payment went through, also of those who have left since. */
  stayed: z.int(),
  /** Ended without a payment. */
  ended: z.int(),
})
export type DeskTrials = z.infer<typeof deskTrials>

/** Payments that a desk lists as returned or disputed, at most. */
export const TAKEN_OFF_MAX = 50

/**
 * Why something of a payment was taken off a trader's income: a withdrawal (rule G-126), a warning of the card network (G-128), a month in
 * which nothing reached the follower (G-127), a dispute that is open, won or lost (G-55), or else: an end, or a refund by hand.
 */
const TAKEN_OFF_REASONS = [
  'withdrawn',
  'warned',
  'empty_month',
  'disputed',
  'dispute_won',
  'dispute_lost',
  'returned',
] as const

/** A payment of which something went back or was disputed. It names nobody. */
const takenOff = z.object({
  /** When that happened last. */
  at: z.string(),
  /** The whole payment, in the smallest unit of `currency`. */
  paidCents: z.int(),
  /** The trader's part of it, which income has taken off. 0 where a dispute is won. */
  shareCents: z.int(),
  currency: z.string(),
  why: shownAsWritten(TAKEN_OFF_REASONS),
})
export type TakenOff = z.infer<typeof takenOff>

/** A trader's own followers and income; no one else sees them. */
export const traderDesk = z.object({
  /** Followers with access now. */
  followers: z.int(),
  /** The last twelve, newest first. */
  months: z.array(followerMonth),
  /** A row for each currency in which anything came in; none before the first payment. */
  income: z.array(deskIncome),
  /** Followers who pay, by price: the most first. Beyond the specification's own fields, as is the next; a client does without. */
  prices: z.optional(z.array(followersAtPrice)),
  /**
   * The sum that a month brings from now on if nobody comes or leaves: the prices of those who renew, a year's as a twelfth, each less what a
   * discount takes off the next renewal and the fee that the subscription began with, in the smallest unit of `currency`.
   */
  ahead: z.optional(z.array(z.object({ currency: z.string(), cents: z.int() }))),
  /**
   * Paid months that went back because nothing of the trader reached the follower (rule G-127), and what the followers got back for them;
   * income has it taken off. By currency, none where none went back.
   */
  returned: z.optional(z.array(z.object({ currency: z.string(), months: z.int(), cents: z.int() }))),
  /** Payments of which something went back or was disputed within a year, the newest first, at most `TAKEN_OFF_MAX`. Left out without one. */
  takenOff: z.optional(z.array(takenOff)),
  /** Left out before the first trial; a client does without. */
  trials: z.optional(deskTrials),
})
export type TraderDesk = z.infer<typeof traderDesk>

/**
 * `none`: payouts were never set up; `incomplete`: they were begun, or Stripe cannot pay any more; `ready`; `unreadable`: Stripe
 * does not answer now.
 */
const PAYOUTS_STATES = ['none', 'incomplete', 'ready', 'unreadable'] as const

const holding = z.object({ currency: z.string(), availableCents: z.int(), pendingCents: z.int() })
export type Holding = z.infer<typeof holding>

const comingPayout = z.object({
  /** Stripe's. */
  id: z.string(),
  amountCents: z.int(),
  currency: z.string(),
  /** The day in UTC on which the bank should have it, as `2026-11-26`. */
  arrivesOn: z.string(),
})
export type ComingPayout = z.infer<typeof comingPayout>

/** Money that Stripe holds for the trader; amounts in the smallest unit of their currency, and either can be negative. */
export const traderPayouts = z.object({
  state: z.enum(PAYOUTS_STATES),
  /** Of Stripe's answer within the last minute; none where nothing can be read. */
  balance: z.array(holding),
  /** On their way to the bank, the soonest first. */
  coming: z.array(comingPayout),
})
export type TraderPayouts = z.infer<typeof traderPayouts>
