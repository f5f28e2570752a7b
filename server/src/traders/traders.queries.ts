import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

export type TraderRow = {
  traderId: string
  username: string
  openCount: number
  closedCount: number
  /** Percent, decimal text; null before the first close. */
  averageGain: string | null
}

/** By exact username without regard to case. @param username of a legal shape */
export async function findTrader(db: Queryable, username: string): Promise<TraderRow | null> {
  const row = await db
    .selectFrom('accounts')
    .leftJoin('trader_stats', 'trader_stats.trader_id', 'accounts.user_id')
    .select([
      'accounts.user_id',
      'accounts.username',
      'trader_stats.open_count',
      'trader_stats.closed_count',
      'trader_stats.gain_avg',
    ])
    .where(sql`lower(accounts.username)`, '=', username.toLowerCase())
    .executeTakeFirst()
  if (!row?.username) return null
  return {
    traderId: row.user_id,
    username: row.username,
    openCount: row.open_count ?? 0,
    closedCount: row.closed_count ?? 0,
    averageGain: row.gain_avg,
  }
}

export type ClosedRow = {
  symbol: string
  openedAt: Date
  closedAt: Date
  percentageGain: string
  /** Null while it is not known. */
  companyName: string | null
}

/** Closed positions only, newest first: active ones are what people pay for (decision G-16). */
export async function listLatestClosed(db: Queryable, traderId: string, limit: number): Promise<ClosedRow[]> {
  const rows = await db
    .selectFrom('positions')
    .leftJoin('symbols', 'symbols.symbol', 'positions.symbol')
    .select(['positions.symbol', 'opened_at', 'closed_at', 'percentage_gain', 'symbols.name'])
    .where('trader_id', '=', traderId)
    .where('closed_at', 'is not', null)
    .orderBy('closed_at', 'desc')
    .limit(limit)
    .$narrowType<{ closed_at: Date; percentage_gain: string }>()
    .execute()
  return rows.map((row) => ({
    symbol: row.symbol,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    percentageGain: row.percentage_gain,
    companyName: row.name,
  }))
}
