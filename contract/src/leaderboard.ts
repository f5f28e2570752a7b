import * as z from 'zod/mini'

/** One rank; `averageGain` is percent text of two decimals that may hold a minus sign (docs/specification.md section 3). */
export const leaderboardEntry = z.object({ username: z.string(), averageGain: z.string() })
export type LeaderboardEntry = z.infer<typeof leaderboardEntry>
export const leaderboardAnswer = z.object({ leaderboard: z.array(leaderboardEntry) })

/**
 * One trader on the Proven list: by how much one of their positions can be expected to beat the index, in percent text of two
 * decimals; with 80 % certainty between `low` and `high`. Ranked by `low` (decision 0053).
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
})
export type ProvenEntry = z.infer<typeof provenEntry>
/** `asOf`: the last session that counts, as `2026-11-20`; null before the first scores. `formula`: its version. */
export const provenAnswer = z.object({
  asOf: z.nullable(z.string()),
  formula: z.int(),
  entries: z.array(provenEntry),
})
