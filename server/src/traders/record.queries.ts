import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

export type RecordRow = {
  closed: number
  wins: number
  kept: number
  /** Percent, decimal text; these and the days are null before the first close. */
  average: string | null
  median: string | null
  best: string | null
  worst: string | null
  /** Decimal text, of whole days. */
  medianDaysHeld: string | null
}

/**
 * A trader's counted statistics, and what stands in the middle and at the ends of the indexes of closed positions: the mean of two
 * where their number is even. One statement sees one state of both.
 */
export async function findRecord(db: Queryable, traderId: string): Promise<RecordRow | null> {
  const closed = sql`from positions where trader_id = ${traderId} and closed_at is not null`
  const held = sql`extract(epoch from closed_at - opened_at)`
  const middle = sql`offset greatest(stats.closed_count - 1, 0) / 2 limit 2 - stats.closed_count % 2`
  const { rows } = await sql<RecordRow>`
    select stats.closed_count as closed, stats.win_count as wins, stats.kept_count as kept, stats.gain_avg as average,
      (select avg(percentage_gain) from (select percentage_gain ${closed} order by percentage_gain ${middle}) part) as median,
      (select percentage_gain ${closed} order by percentage_gain desc limit 1) as best,
      (select percentage_gain ${closed} order by percentage_gain limit 1) as worst,
      (select avg(days) from (select floor(${held} / 86400) as days ${closed} order by ${held} ${middle}) part) as "medianDaysHeld"
    from trader_stats stats where stats.trader_id = ${traderId}`.execute(db)
  return rows[0] ?? null
}

/** Openings and plans of a trader's active positions. */
export async function listActivePlans(
  db: Queryable,
  traderId: string,
): Promise<{ openedAt: Date; holdLength: HoldLength }[]> {
  return db
    .selectFrom('positions')
    .select(['opened_at as openedAt', 'hold_length as holdLength'])
    .where('trader_id', '=', traderId)
    .where('closed_at', 'is', null)
    .execute()
}
