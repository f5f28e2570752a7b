import { formatGain } from '@tradepost/contract/gain'
import { overPlanBefore } from '@tradepost/contract/kept-plan'
import type { ProvenEntry } from '@tradepost/contract/leaderboard'
import { LEADERBOARD_MAX_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import { FORMULA, isProvisional } from './score.ts'
import { findShownRun, listProven, type ProvenRow } from './scores.queries.ts'

/** The Proven list of the newest whole run, the best hundred; empty before the first one. */
export async function readProven(
  db: Queryable,
  now: Date,
): Promise<{ asOf: string | null; formula: number; entries: ProvenEntry[] }> {
  const run = await findShownRun(db)
  if (!run) return { asOf: null, formula: FORMULA, entries: [] }
  const rows = await listProven(db, run.asOf, {
    limit: LEADERBOARD_MAX_COUNT,
    overdueSince: overPlanBefore(now),
  })
  return { ...run, entries: rows.map(present) }
}

function present({ low, middle, high, reliability, averageGain, ...counts }: ProvenRow): ProvenEntry {
  return {
    ...counts,
    low: formatGain(low),
    middle: formatGain(middle),
    high: formatGain(high),
    provisional: isProvisional(reliability),
    averageGain: averageGain === null ? null : formatGain(averageGain),
  }
}
