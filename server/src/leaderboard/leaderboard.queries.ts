import { sql } from 'kysely'
import { foldedName } from '../accounts/folded-name.ts'
import type { Queryable } from '../platform/database/queryable.ts'

export type RankedTrader = {
  traderId: string
  username: string
  /** Percent, exact decimal text. */
  averageGain: string
  closed: number
  wins: number
  sparkline: number[] | null
}

/**
 * Traders by average gain, best first, without suspended ones; ties by more closed positions, then by username (rule G-34).
 * The order is that of the index trader_stats_board but for the last tie-break, so the database stops after `limit`.
 * @param options.minClosed a constant: as text of the statement it lets the partial index be used
 */
export async function listRanked(
  db: Queryable,
  options: { minClosed: number; limit: number },
): Promise<RankedTrader[]> {
  const { rows } = await sql<RankedTrader>`with best as (
      select stats.trader_id, accounts.username, stats.gain_avg, stats.settled_count, stats.win_count
      from trader_stats stats join accounts on accounts.user_id = stats.trader_id
      where ${ranked('stats', options.minClosed)}
      order by stats.gain_avg desc, stats.settled_count desc, ${foldedName('accounts.username')} limit ${options.limit}
    )
    ${shown} order by best.gain_avg desc, best.settled_count desc, ${foldedName('best.username')}`.execute(db)
  return rows
}

/** Null where it is more than was counted. */
export type OwnRank = RankedTrader & { rank: number | null; ranked: number | null }

/**
 * One trader with their place in that order, and how many have one; null for somebody who has none. The places are counted in the
 * index, no more than `limit` of them, since that costs more the more there are (ADR 0055).
 */
export async function findRank(
  db: Queryable,
  traderId: string,
  options: { minClosed: number; limit: number },
): Promise<OwnRank | null> {
  const { limit, minClosed } = options
  const { rows } = await sql<OwnRank>`with best as (
      select stats.trader_id, accounts.username, stats.gain_avg, stats.settled_count, stats.win_count
      from trader_stats stats join accounts on accounts.user_id = stats.trader_id
      where stats.trader_id = ${traderId} and ${ranked('stats', minClosed)}
    ), place as (
      select gain_avg, settled_count from trader_stats where ${ranked('trader_stats', minClosed)}
      order by gain_avg desc, settled_count desc limit ${limit} + 1
    ), equal_before as (
      select from best
        join trader_stats stats on stats.gain_avg = best.gain_avg and stats.settled_count = best.settled_count
          and ${ranked('stats', minClosed)}
        join accounts on accounts.user_id = stats.trader_id and ${foldedName('accounts.username')} < ${foldedName('best.username')}
      limit ${limit}
    ), counted as (
      select (select count(*)::int from place) as ranked,
        (select count(*)::int from place where (place.gain_avg, place.settled_count) > (best.gain_avg, best.settled_count))
          + (select count(*)::int from equal_before) + 1 as rank
      from best
    )
    select shown.*, nullif(least(counted.rank, ${limit} + 1), ${limit} + 1) as rank,
      nullif(counted.ranked, ${limit} + 1) as ranked
    from (${shown}) shown cross join counted`.execute(db)
  return rows[0] ?? null
}

/** How many traders have a place, and how many positions they have closed; read from the index alone, all of it. */
export async function countRanked(
  db: Queryable,
  minClosed: number,
): Promise<{ ranked: number; closed: number }> {
  const { rows } = await sql<{ ranked: number; closed: number }>`
    select count(*)::int as ranked, coalesce(sum(settled_count), 0)::int as closed
    from trader_stats where ${ranked('trader_stats', minClosed)}`.execute(db)
  return rows[0] ?? { ranked: 0, closed: 0 }
}

/** Traders who have a place; the condition of the index, as text of the statement, lets it be used. */
const ranked = (stats: string, minClosed: number) =>
  sql`${sql.ref(stats)}.settled_count >= ${sql.lit(minClosed)} and not ${sql.ref(stats)}.suspended`

/** The columns that are shown of those in `best`; each one's curve is looked up, however large the table is. */
const shown = sql`select best.trader_id as "traderId", best.username, best.gain_avg as "averageGain",
      best.settled_count as closed, best.win_count as wins,
      (select levels from trader_sparklines where trader_id = best.trader_id) as sparkline
    from best`
