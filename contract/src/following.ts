import * as z from 'zod/mini'

/** The days of the short span of `GET /v1/following/results`. */
export const FOLLOWING_RECENT_DAYS = 30

/** Means are in percent, rounded to two places; null where nothing is counted. */
const results = {
  /** Positions that were closed while the caller followed; without struck ones, and those whose close has no price yet. */
  closed: z.int(),
  /** Mean of their gains, each from the price at which the caller could have bought first. */
  mean: z.nullable(z.number()),
  /** How many of them ended above that price. */
  won: z.int(),
  /** Mean change of the index over the days of the same positions; of those for which it is known. */
  index: z.nullable(z.number()),
}

/** The results of following one trader. */
const traderResults = z.object({
  /** The trader's. */
  username: z.string(),
  /** When the caller began to follow them, the first time. */
  since: z.string(),
  ...results,
  /** Positions that have not ended, of a trader whom the caller follows now. */
  open: z.int(),
})
export type TraderResults = z.infer<typeof traderResults>

const cost = z.object({
  currency: z.string(),
  cents: z.int(),
  /** True where a twelfth of a year's price is part of it; a client does without. */
  ofYears: z.optional(z.literal(true)),
})

/** The results of following for the caller (rule G-110); nobody else is answered them. */
export const followingResults = z.object({
  /** The ticker of the index. */
  indexSymbol: z.string(),
  /** Traders whom the caller follows now. */
  following: z.int(),
  ...results,
  open: z.int(),
  /** Of the counted ones: those that count from a close, or from their opening, since no quote is kept of when following began. */
  fromClose: z.int(),
  /** The same of positions that were closed within the last `FOLLOWING_RECENT_DAYS` days. */
  recent: z.object(results),
  /**
   * The cost of a month, in each currency's smallest unit, of subscriptions that renew, with what discounts take off the next renewal. Of one that is paid by the year a twelfth counts,
   * rounded half away from zero.
   */
  costs: z.array(cost),
  /** Traders whom the caller follows or has followed, by name. */
  traders: z.array(traderResults),
  /** Whether a mail with these figures comes the day before a renewal. */
  renewalMail: z.boolean(),
})
export type FollowingResults = z.infer<typeof followingResults>

export const renewalMailPayload = z.object({ enabled: z.boolean() })
export const renewalMailAnswer = z.object({ renewalMail: z.boolean() })
