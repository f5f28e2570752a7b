import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

export type RankedTrader = { username: string; averageGain: string }

/**
 * Traders by average gain, best first; ties by more closed positions, then by username (decision G-34). The order is
 * that of the index trader_stats_rank but for the last tie-break, so the database stops after `limit`.
 * @param options.minClosed a constant: as text of the statement it lets the partial index be used
 */
export async function listRanked(
  db: Queryable,
  options: { minClosed: number; limit: number },
): Promise<RankedTrader[]> {
  const rows = await db
    .selectFrom('trader_stats')
    .innerJoin('accounts', 'accounts.user_id', 'trader_stats.trader_id')
    .select(['accounts.username', 'trader_stats.gain_avg'])
    .where('trader_stats.closed_count', '>=', sql.lit(options.minClosed))
    .orderBy('trader_stats.gain_avg', 'desc')
    .orderBy('trader_stats.closed_count', 'desc')
    .orderBy(sql`lower(accounts.username)`)
    .limit(options.limit)
    .$narrowType<{ username: string; gain_avg: string }>()
    .execute()
  return rows.map((row) => ({ username: row.username, averageGain: row.gain_avg }))
}
