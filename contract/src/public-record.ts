import type { ProvenEntry } from './leaderboard.ts'
import type { TaxLiable } from './tax.ts'
import type { TrackRecord } from './track-record.ts'
import type { PastPlanPosition, TraderProfile, TraderRecord } from './traders.ts'

/** All that a public page and its picture are made of (rule G-109): nothing of an open position within its plan but its age, and no notes. */
export type PublicRecord = {
  username: string
  /** The day of the first position, as `2026-04-08`; null before it. */
  since: string | null
  record: TraderRecord
  latest: TraderProfile['latestPositions']
  pastPlan: PastPlanPosition[]
  morePastPlan: number
  /** When each open position was opened, oldest first: ms since 1970. */
  openedAt: number[]
  track: TrackRecord
  /** Null of somebody who has no score yet. */
  proven: ProvenEntry | null
  /** Of a month, in the currency's smallest unit; null while nobody can begin to follow (rule G-27). */
  price: { cents: number; yearlyCents: number | null; currency: string; taxLiable: TaxLiable | null } | null
}
