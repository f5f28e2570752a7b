import * as z from 'zod/mini'
import { priceFields } from './price-fields.ts'

/** One rank; `averageGain` is percent text of two decimals that may hold a minus sign (docs/specification.md section 3). */
export const leaderboardEntry = z.object({ username: z.string(), averageGain: z.string() })

/** The fields of a trader beside the specification's own (rule G-34); a client does without. */
const rankedEntry = z.extend(leaderboardEntry, {
  /** Closed positions. */
  closed: z.optional(z.int()),
  /** Of them, those with a gain; null for fewer than five. */
  wins: z.optional(z.nullable(z.int())),
  /**
   * Levels of the trader's curve of equal stakes over the last 252 sessions, about thirty, as evenly spaced as sessions are; the
   * first one is 100 (ADR 0055). Absent for fewer than two sessions with open positions.
   */
  sparkline: z.optional(z.array(z.number())),
  /** The caller's own. */
  isSelf: z.optional(z.boolean()),
})
export type RankedEntry = z.infer<typeof rankedEntry>

/** Where the caller stands, and how many are ranked; null where that is more than is counted (`RANKS_MAX_COUNT`). */
const standing = { rank: z.nullable(z.int()), ranked: z.nullable(z.int()) }
const ownRankedEntry = z.extend(rankedEntry, standing)

export const leaderboardAnswer = z.object({
  leaderboard: z.array(rankedEntry),
  /** The caller's place where it is beyond the list. */
  own: z.optional(ownRankedEntry),
})
export type Leaderboard = z.infer<typeof leaderboardAnswer>

const offeredTrader = z.extend(rankedEntry, priceFields)
export type OfferedTrader = z.infer<typeof offeredTrader>

/** The best whom the caller may subscribe to, at most three (rule G-113). */
export const offeredAnswer = z.object({ traders: z.array(offeredTrader) })
export type OfferedTraders = z.infer<typeof offeredAnswer>

/**
 * One trader on the Proven list: by how much one of their positions can be expected to beat the index, in percent text of two
 * decimals; with 80 % certainty between `low` and `high`. Ranked by `low` (ADR 0053).
 */
const provenEntry = z.object({
  username: z.string(),
  low: z.string(),
  middle: z.string(),
  high: z.string(),
  /** Too few days yet: the score is more everybody's than the trader's own. */
  provisional: z.boolean(),
  closed: z.int(),
  open: z.int(),
  /** Open positions past their declared hold. */
  overdue: z.int(),
  /** As on the leaderboard; null before the first close. */
  averageGain: z.nullable(z.string()),
  /** The caller's own. */
  isSelf: z.optional(z.boolean()),
})
export type ProvenEntry = z.infer<typeof provenEntry>
const ownProvenEntry = z.extend(provenEntry, standing)
/** `asOf`: the last session that counts, as `2026-11-20`; null before the first scores. `formula`: its version. */
export const provenAnswer = z.object({
  asOf: z.nullable(z.string()),
  formula: z.int(),
  entries: z.array(provenEntry),
  /** The caller's place where it is beyond the list. */
  own: z.optional(ownProvenEntry),
})
export type Proven = z.infer<typeof provenAnswer>
