import { formatGain } from '@tradepost/contract/gain'
import type { Proven, ProvenEntry } from '@tradepost/contract/leaderboard'
import { LEADERBOARD_MAX_COUNT, RANKS_MAX_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import { findProvenRank, findShownRun, listProven, type ProvenRow } from './proven.queries.ts'
import { FORMULA, isProvisional } from './score.ts'

/** The Proven list of the newest whole run, the best hundred, and the place of who asks where it is beyond them; empty before the first run. */
export async function readProven(db: Queryable, viewerId: string, now: Date): Promise<Proven> {
  const run = await findShownRun(db)
  if (!run) return { asOf: null, formula: FORMULA, entries: [] }
  const listed = await listProven(db, run.asOf, { limit: LEADERBOARD_MAX_COUNT, now })
  const { asOf, formula, traders: scored } = run
  const list = { asOf, formula, entries: listed.map((trader) => present(trader, viewerId)) }
  const isWhole = listed.length < LEADERBOARD_MAX_COUNT
  if (isWhole || list.entries.some(({ isSelf }) => isSelf)) return list
  const own = await findProvenRank(db, asOf, { traderId: viewerId, limit: RANKS_MAX_COUNT, now })
  if (!own) return list
  return { ...list, own: { ...present(own, viewerId), rank: own.rank, ranked: scored - own.suspended } }
}

function present(trader: ProvenRow, viewerId: string): ProvenEntry {
  const { username, low, middle, high, reliability, closed, open, overdue, averageGain } = trader
  return {
    username,
    low: formatGain(low),
    middle: formatGain(middle),
    high: formatGain(high),
    provisional: isProvisional(reliability),
    closed,
    open,
    overdue,
    averageGain: averageGain === null ? null : formatGain(averageGain),
    ...(trader.traderId === viewerId && { isSelf: true }),
  }
}
