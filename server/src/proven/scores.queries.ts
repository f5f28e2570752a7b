import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'
import { endedAt, sessionDay } from '../positions/record/ended-at.ts'
import type { Session } from './days.queries.ts'
import type { DaySums, Score } from './score.ts'

/**
 * The sums of the traders' days in these sessions, over the positions that everybody may know of (ADR 0054); traders without such a day
 * beside the index are left out.
 * @param counted.sessions all from the first one that counts, in order
 * @param counted.holdSessions sessions that each hold length declares
 * @param counted.now everybody may know of an open position that is public by then
 */
export async function sumDays(
  db: Queryable,
  traderIds: string[],
  counted: {
    sessions: readonly Session[]
    holdSessions: Readonly<Record<HoldLength, number>>
    now: Date
  },
): Promise<DaySums[]> {
  const { sessions, holdSessions, now } = counted
  const from = sessions[0]?.day
  const ended = endedAt('p')
  const { rows } = await sql<DaySums>`with session as materialized (
      select * from unnest(${sessions.map(({ day }) => day)}::date[], ${sessions.map(({ market }) => market)}::float8[])
        session (day, market)
    ), hold as (
      select p.trader_id, avg(declared.sessions)::float8 as mean
      from positions p
        join unnest(${Object.keys(holdSessions)}::text[], ${Object.values(holdSessions)}::int[])
          declared (length, sessions) on declared.length = p.hold_length::text
      where p.trader_id = any(${traderIds}::uuid[]) and p.struck_at is null
        and case when ${ended} is null then p.public_at <= ${now}
          else ${sessionDay(ended)} >= ${from}::date end
      group by p.trader_id
    )
    select sums.*, hold.mean as "meanHold"
    from (
      select d.trader_id as "traderId", count(*)::int as days,
        sum(d.shown_excess::float8) as excess, sum(d.shown_excess::float8 ^ 2) as "excessSquares",
        sum(session.market) as market, sum(session.market ^ 2) as "marketSquares",
        sum(d.shown_excess::float8 * session.market) as "excessByMarket"
      from trader_days d join session on session.day = d.day
      where d.trader_id = any(${traderIds}::uuid[]) and d.shown_excess is not null
      group by d.trader_id
    ) sums join hold on hold.trader_id = sums."traderId" order by sums."traderId"`.execute(db)
  return rows
}

/** Ids of the people who are suspended now. */
export async function listSuspended(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('users').select('id').where('inactive_since', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}

/** A trigger marks the new scores of suspended people, who are on no list (ADR 0074). */
export async function upsertScores(db: Queryable, asOf: string, scores: readonly Score[]): Promise<void> {
  const column = (key: Exclude<keyof Score, 'traderId'>) => scores.map((score) => score[key])
  await sql`insert into trader_scores (as_of, trader_id, low, middle, high, reliability)
    select ${asOf}::date, * from unnest(${scores.map(({ traderId }) => traderId)}::uuid[], ${column('low')}::float8[],
      ${column('middle')}::float8[], ${column('high')}::float8[], ${column('reliability')}::float8[])
    on conflict (as_of, trader_id) do update set low = excluded.low, middle = excluded.middle, high = excluded.high,
      reliability = excluded.reliability`.execute(db)
}

/** From now on the scores of this run are those that are shown. */
export async function endRun(
  db: Queryable,
  run: { asOf: string; formula: number; traders: number },
  now: Date,
): Promise<void> {
  const { asOf, formula, traders } = run
  const values = { formula, traders, ran_at: now }
  await db
    .insertInto('score_runs')
    .values({ as_of: sql<Date>`${asOf}::date`, ...values })
    .onConflict((conflict) => conflict.column('as_of').doUpdateSet(values))
    .execute()
}

/** A part of the scores of earlier runs. @returns how many were deleted */
export async function deleteOldScores(db: Queryable, asOf: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from trader_scores where ctid = any(array(
    select ctid from trader_scores where as_of < ${asOf}::date limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
