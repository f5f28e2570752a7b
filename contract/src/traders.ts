import * as z from 'zod/mini'
import { leaderboardEntry } from './leaderboard.ts'
import { priceFields } from './price-fields.ts'
import { lesserRights } from './price-rights.ts'
import { strikeFields } from './strike.ts'
import { trialDays } from './trial.ts'

/** So many of so many. */
const share = z.object({ count: z.int(), of: z.int() })

/** Figures over a trader's closed positions (ADR 0052). Gains are percent with two decimals. */
const traderRecord = z.object({
  closed: z.int(),
  /** Closed with a gain, of those closed; null for fewer than five. */
  wins: z.nullable(share),
  /** All four null before the first close. */
  average: z.nullable(z.number()),
  median: z.nullable(z.number()),
  best: z.nullable(z.number()),
  worst: z.nullable(z.number()),
  /** Whole days of 24 hours; a half where two stand in the middle. */
  medianDaysHeld: z.nullable(z.number()),
  /** Closed before their plan was over (`publicAt`), of those closed and those that are open past it; null for fewer than three. */
  plansKept: z.nullable(share),
})
export type TraderRecord = z.infer<typeof traderRecord>

/**
 * Since when a trader has published: the day in UTC, as `2026-04-08`, on which the first of their positions was opened, struck ones not
 * counted; null before it (rule G-105). Beyond the specification's own fields; a client does without.
 */
const since = z.optional(z.nullable(z.string()))

/** An open position past its plan, as everybody sees it; neither notes nor plan (rule G-16). */
const pastPlanPosition = z.object({
  symbol: z.string(),
  /** As of a position. */
  companyName: z.optional(z.string()),
  /** ISO 8601 UTC. */
  opened: z.string(),
  /** US dollars. */
  openPrice: z.number(),
  /**
   * So far, in percent with two decimals, by the last price that is known since the opening; null where none is. Of 15 minutes ago, or in
   * whole percent, as `rights` says (rule G-130).
   */
  gain: z.nullable(z.number()),
  rights: lesserRights,
  /** When that price was found, ISO 8601 UTC to the half minute; null without one, and for the last close of a ticker of before. */
  at: z.nullable(z.string()),
  /** Since when it is past its plan, ISO 8601 UTC; a client does without. */
  publicAt: z.optional(z.string()),
})
export type PastPlanPosition = z.infer<typeof pastPlanPosition>

/**
 * A trader's public record (docs/specification.md section 3): closed positions, and open ones past their plan. Within its plan an active
 * one is what people pay for (rule G-16).
 */
export const traderProfile = z.object({
  /** As the trader spells it. Beyond the specification's own fields, as are the price's; a client does without. */
  username: z.optional(z.string()),
  openPositions: z.int(),
  closedPositions: z.int(),
  /** Percent with two decimals, null before the first close. */
  averageProfit: z.nullable(z.number()),
  canSubscribe: z.boolean(),
  isSubscribed: z.boolean(),
  isSelf: z.boolean(),
  latestPositions: z.array(
    z.object({
      symbol: z.string(),
      opened: z.string(),
      closed: z.string(),
      percentageGain: z.number(),
      /** False until the first trade after the close gives it its price. */
      settled: z.optional(z.literal(false)),
      ...strikeFields,
      /** As of a position. */
      companyName: z.optional(z.string()),
    }),
  ),
  /**
   * Beyond the specification's own fields, as is how many more there are; none of a suspended trader. The one that became public last
   * comes first, and struck ones are left out.
   */
  pastPlan: z.optional(z.array(pastPlanPosition)),
  morePastPlan: z.optional(z.int()),
  /** True of somebody whom an operator has suspended: a screen shows that the profile is not available. Absent of everybody else. */
  suspended: z.optional(z.boolean()),
  /** Beyond the specification's own fields, as are the price's; none of a suspended trader. */
  record: z.optional(traderRecord),
  since,
  /** True where everybody may read this trader's public page (rule G-109); absent of everybody else. */
  publicPage: z.optional(z.literal(true)),
  /** The trader's own words; absent without any, and of somebody who is suspended (rule G-111). */
  about: z.optional(z.string()),
  /** How many follow; absent unless the trader shows it. */
  followers: z.optional(z.int()),
  ...priceFields,
  /** The free days that the trader offers to new followers; absent without any (rule G-123). */
  trialDays: z.optional(trialDays),
})
export type TraderProfile = z.infer<typeof traderProfile>

export const traderSearchResult = z.object({
  username: z.string(),
  openPositions: z.int(),
  closedPositions: z.int(),
  averageProfit: z.nullable(z.number()),
  isSelf: z.boolean(),
  canSubscribe: z.boolean(),
  /** Whether the viewer follows this trader. Beyond the specification's own fields; a client does without. */
  isSubscribed: z.optional(z.boolean()),
  since,
  /** Where the caller can subscribe. */
  ...priceFields,
})
export type TraderSearchResult = z.infer<typeof traderSearchResult>

/** Traders who are offered to somebody who looks for one, with what the leaderboard shows and their price (rules G-28 and G-35). */
export const traderSuggestions = z.object({
  /** `beginning`: their names begin with the typed text. `near`: nobody's does; these are one letter away from it. */
  match: z.enum(['beginning', 'near']),
  traders: z.array(z.extend(leaderboardEntry, priceFields)),
})
export type TraderSuggestions = z.infer<typeof traderSuggestions>
