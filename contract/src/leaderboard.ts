import * as z from 'zod/mini'

/** One rank; `averageGain` is percent text of two decimals that may hold a minus sign (docs/specification.md section 3). */
export const leaderboardEntry = z.object({ username: z.string(), averageGain: z.string() })
export type LeaderboardEntry = z.infer<typeof leaderboardEntry>
export const leaderboardAnswer = z.object({ leaderboard: z.array(leaderboardEntry) })
