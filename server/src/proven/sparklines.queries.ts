import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** Fewer days make no curve. */
const LEAST_DAYS = sql.lit(2)
/** Levels beside the first one, which is 100. */
const MOST_LEVELS = sql.lit(30)
/** Of a logarithm of a level: a value beyond it fits into no number, and into no picture. */
const MOST_LOGARITHM = sql.lit(60)

/**
 * Draws the small curves of traders again (ADR 0055): equal stakes in their positions that everybody may know of, which change by
 * `shown_return` in each session of `trader_days` and stay where they are in the others. A curve begins at 100 before the trader's first
 * day in these sessions and ends with the last of them; its levels are as evenly spaced as sessions are, rounded to a tenth. Traders with
 * fewer than two days have none.
 * @param sessions days as `2026-11-18`, in order
 */
export async function redrawSparklines(
  tx: Queryable,
  traderIds: string[],
  sessions: readonly string[],
): Promise<void> {
  await sql`with session as materialized (
      select day, no::int from unnest(${sessions}::date[]) with ordinality session (day, no)
    ), span as materialized (
      select d.trader_id, min(session.no) - 1 as before, ${sessions.length}::int - min(session.no) + 1 as sessions
      from trader_days d join session on session.day = d.day
      where d.trader_id = any(${traderIds}::uuid[]) and d.shown_return is not null
      group by d.trader_id having count(*) >= ${LEAST_DAYS}
    ), curve as (
      select trader_id, before, sessions, least(sessions, ${MOST_LEVELS}) as steps from span
    ), step as (
      -- A level tells of the sessions since the one before it, the first one of them up to its own share of all.
      select d.trader_id, ((session.no - before) * steps + sessions - 1) / sessions as nth,
        sum(ln(greatest(1 + d.shown_return::float8 / 100, 1e-9))) as move
      from trader_days d join session on session.day = d.day join curve on curve.trader_id = d.trader_id
      where d.trader_id = any(${traderIds}::uuid[]) and d.shown_return is not null
      group by d.trader_id, nth
    ), level as (
      select trader_id, nth,
        sum(coalesce(move, 0)) over (partition by trader_id order by nth) as height
      from curve cross join generate_series(0, steps) nth left join step using (trader_id, nth)
    ), drawn as (
      insert into trader_sparklines (trader_id, levels)
      select trader_id, array_agg(
          round((100 * exp(greatest(least(height, ${MOST_LOGARITHM}), -${MOST_LOGARITHM})))::numeric, 1)::real order by nth
        )
      from level group by trader_id
      on conflict (trader_id) do update set levels = excluded.levels
    )
    delete from trader_sparklines
    where trader_id = any(${traderIds}::uuid[]) and trader_id not in (select trader_id from curve)`.execute(
    tx,
  )
}

/** Traders by average gain, best first, as the leaderboard ranks them; of suspended people, as it would if they were back. */
export async function listBestTraderIds(
  db: Queryable,
  { limit, suspended }: { limit: number; suspended: boolean },
): Promise<string[]> {
  const rows = await db
    .selectFrom('trader_stats')
    .select('trader_id')
    .where('settled_count', '>=', sql.lit(1))
    .where('suspended', '=', sql.lit(suspended))
    .orderBy('gain_avg', 'desc')
    .orderBy('settled_count', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ trader_id }) => trader_id)
}

/** Deletes the curves of all but these traders. */
export async function deleteSparklinesBeyond(db: Queryable, best: readonly string[]): Promise<void> {
  await sql`delete from trader_sparklines where trader_id <> all(${best}::uuid[])`.execute(db)
}
