import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'

export type ProvenRow = {
  traderId: string
  username: string
  low: number
  middle: number
  high: number
  reliability: number
  closed: number
  open: number
  /** Percent, exact decimal text; null before the first close. */
  averageGain: string | null
}

/** `traders`: how many it gave a score. */
export type ProvenRun = { asOf: string; formula: number; traders: number }

export async function findShownRun(db: Queryable): Promise<ProvenRun | null> {
  const [run] = await selectShownRun(db, {})
  return run ?? null
}

const selectShownRun = compiledQuery((db) =>
  db
    .selectFrom('score_runs')
    .select([sql<string>`as_of::text`.as('asOf'), 'formula', 'traders'])
    .orderBy('as_of', 'desc')
    .limit(1),
)

/** Traders by the low end of their score, best first, without suspended ones; ties by id. */
export function listProven(db: Queryable, asOf: string, limit: number): Promise<ProvenRow[]> {
  return selectProven(db, { asOf, limit })
}

const selectProven = compiledQuery(
  (_db, { asOf, limit }: { asOf: string; limit: number }) => sql<ProvenRow>`with best as (
      select * from trader_scores where as_of = ${asOf}::date and not suspended order by low desc, trader_id limit ${limit}
    )
    ${shown} order by best.low desc, best.trader_id`,
)

/** `rank`: null where it is more than was counted. `suspended`: how many others have a score of that run and no place. */
export type OwnProvenRow = ProvenRow & { rank: number | null; suspended: number }

/** One trader with their place in that order, counted in the index no farther than `limit` (ADR 0055); null without a score. */
export async function findProvenRank(
  db: Queryable,
  asOf: string,
  options: { traderId: string; limit: number },
): Promise<OwnProvenRow | null> {
  const [own] = await selectProvenRank(db, { asOf, ...options })
  return own ?? null
}

type OwnValues = { asOf: string; limit: number; traderId: string }

const selectProvenRank = compiledQuery(
  (_db, { asOf, limit, traderId }: OwnValues) => sql<OwnProvenRow>`with best as (
      select * from trader_scores where as_of = ${asOf}::date and trader_id = ${traderId} and not suspended
    ), place as (
      select low, trader_id from trader_scores where as_of = ${asOf}::date and not suspended
      order by low desc, trader_id limit ${limit}
    )
    select shown.*, (
        select nullif(count(*) filter (where (place.low, best.trader_id) > (best.low, place.trader_id)), ${limit})::int + 1
        from place
      ) as rank, (
        select count(*)::int from users join trader_scores score on score.as_of = ${asOf}::date and score.trader_id = users.id
        where users.inactive_since is not null
      ) as suspended
    from (${shown}) shown cross join best`,
)

/** The columns that are shown of those in `best`. */
const shown = sql`select best.trader_id as "traderId", accounts.username, best.low, best.middle, best.high, best.reliability,
      stats.settled_count as closed, stats.open_count as open, stats.gain_avg as "averageGain"
    from best join accounts on accounts.user_id = best.trader_id join trader_stats stats on stats.trader_id = best.trader_id
    where accounts.username is not null`
