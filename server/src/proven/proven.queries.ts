import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

export type ProvenRow = {
  traderId: string
  username: string
  low: number
  middle: number
  high: number
  reliability: number
  closed: number
  open: number
  /** Open positions past their declared hold. */
  overdue: number
  /** Percent, exact decimal text; null before the first close. */
  averageGain: string | null
}

/** `traders`: how many it gave a score. */
export type ProvenRun = { asOf: string; formula: number; traders: number }

export async function findShownRun(db: Queryable): Promise<ProvenRun | null> {
  const row = await db
    .selectFrom('score_runs')
    .select([sql<string>`as_of::text`.as('asOf'), 'formula', 'traders'])
    .orderBy('as_of', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** By hold length, the instant before which a position that is still open is past it. */
type OverdueSince = Readonly<Record<string, Date>>

/** Traders by the low end of their score, best first; ties by id. */
export async function listProven(
  db: Queryable,
  asOf: string,
  options: { limit: number; overdueSince: OverdueSince },
): Promise<ProvenRow[]> {
  const { rows } = await sql<ProvenRow>`with best as (
      select * from trader_scores where as_of = ${asOf}::date order by low desc, trader_id limit ${options.limit}
    )
    ${shown(options.overdueSince)} order by best.low desc, best.trader_id`.execute(db)
  return rows
}

/** `rank`: null where it is more than was counted. */
type OwnProvenRow = ProvenRow & { rank: number | null }

/** One trader with their place in that order, counted in the index no farther than `limit` (decision 0055); null without a score. */
export async function findProvenRank(
  db: Queryable,
  asOf: string,
  options: { traderId: string; limit: number; overdueSince: OverdueSince },
): Promise<OwnProvenRow | null> {
  const { rows } = await sql<OwnProvenRow>`with best as (
      select * from trader_scores where as_of = ${asOf}::date and trader_id = ${options.traderId}
    ), place as (
      select low, trader_id from trader_scores where as_of = ${asOf}::date
      order by low desc, trader_id limit ${options.limit}
    )
    select shown.*, (
        select nullif(count(*) filter (where (place.low, best.trader_id) > (best.low, place.trader_id)), ${options.limit})::int + 1
        from place
      ) as rank
    from (${shown(options.overdueSince)}) shown cross join best`.execute(db)
  return rows[0] ?? null
}

/** What is said of those in `best`. */
function shown(overdueSince: OverdueSince) {
  return sql`select best.trader_id as "traderId", accounts.username, best.low, best.middle, best.high, best.reliability,
      stats.closed_count as closed, stats.open_count as open, stats.gain_avg as "averageGain", (
        select count(*)::int from positions p
          join unnest(${Object.keys(overdueSince)}::text[], ${Object.values(overdueSince)}::timestamptz[])
            declared (hold_length, since) on declared.hold_length = p.hold_length::text
        where p.trader_id = best.trader_id and p.closed_at is null and p.opened_at <= declared.since
      ) as overdue
    from best join accounts on accounts.user_id = best.trader_id join trader_stats stats on stats.trader_id = best.trader_id
    where accounts.username is not null`
}
