import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'
import { endedAt, sessionDay } from '../positions/record/ended-at.ts'

/** A day with a close of the index, as `2026-11-18`, the one before it, and the index's return in percent. */
export type Session = { day: string; before: string; market: number }

/** All sessions before a day that have one before them, in order. */
export async function listSessions(
  db: Queryable,
  { indexSymbol, before }: { indexSymbol: string; before: string },
): Promise<Session[]> {
  const { rows } = await sql<Session>`select day::text, before::text, market
    from (select day, lag(day) over (order by day) as before,
        100 * (close / lag(close) over (order by day) - 1)::float8 as market from symbol_days
      where symbol = ${indexSymbol} and day < ${before}::date) sessions
    where before is not null order by day`.execute(db)
  return rows
}

/** The last session that is known to be computed, and when that was; null before the first run, or of another version. */
export async function findLastRun(
  db: Queryable,
  daysVersion: number,
): Promise<{ asOf: string; ranAt: Date } | null> {
  const row = await db
    .selectFrom('day_runs')
    .select([sql<string>`as_of::text`.as('asOf'), 'ran_at as ranAt'])
    .where('version', '=', daysVersion)
    .executeTakeFirst()
  return row ?? null
}

/** From now on the days up to that session are known to be computed. */
export async function endDays(
  db: Queryable,
  { asOf, version }: { asOf: string; version: number },
  now: Date,
): Promise<void> {
  const values = { as_of: sql<Date>`${asOf}::date`, ran_at: now }
  await db
    .insertInto('day_runs')
    .values({ version, ...values })
    .onConflict((conflict) => conflict.column('version').doUpdateSet(values))
    .execute()
}

/** The first day of the index that became known after an instant, as `2026-11-18`; null when none did. */
export async function findNewIndexDay(
  db: Queryable,
  indexSymbol: string,
  since: Date,
): Promise<string | null> {
  const row = await db
    .selectFrom('symbol_days')
    .select(sql<string | null>`min(day)::text`.as('day'))
    .where('known_at', '>', since)
    .where('symbol', '=', indexSymbol)
    .executeTakeFirst()
  return row?.day ?? null
}

/**
 * Has the statements of a transaction planned for their parameters. A plan that would do for any list of traders takes more
 * than ten times as long for five hundred of them.
 */
export async function planForLists(tx: Queryable): Promise<void> {
  await sql`set local plan_cache_mode = force_custom_plan`.execute(tx)
}

/**
 * Traders some of whose days before `until` are not what they were when they were computed: after an instant, a close became known, a
 * split was entered, closes were taken back (ADR 0078), something about a position was published that is neither its opening nor its
 * close (that an unsettled close was settled, or that it was struck), or a position became one that everybody may know of, by its end or
 * because its plan was over (ADR 0054).
 * @param change.since when they were computed @param change.now of this run
 * @returns the first of these days of each, as `2026-11-18`
 */
export async function listChanged(
  db: Queryable,
  traderIds: string[],
  change: { indexSymbol: string; since: Date; until: string; now: Date },
): Promise<Map<string, string>> {
  const { indexSymbol, now, since, until } = change
  const ended = endedAt('p')
  const openedOn = sql`(p.opened_at at time zone 'UTC')::date`
  const { rows } = await sql<{ traderId: string; from: string }>`
    select trader_id as "traderId", min(day)::text as from from (
      select p.trader_id, greatest(known.day, ${openedOn}) as day
      from (
        select symbol, day, (
            select max(before.day) from symbol_days before where before.symbol = ${indexSymbol} and before.day < first.day
          ) as session_before
        from (select symbol, min(day) as day from symbol_days
          where known_at > ${since} and day < ${until}::date group by symbol) first
      ) known join positions p on p.symbol = known.symbol and p.trader_id = any(${traderIds}::uuid[])
      where ${ended} is null or known.session_before is null or ${sessionDay(ended)} > known.session_before
      union all
      select p.trader_id, ${openedOn}
      from symbol_splits split join positions p on p.symbol = split.symbol
      where split.said_at > ${since} and p.trader_id = any(${traderIds}::uuid[])
      union all
      select p.trader_id, ${openedOn}
      from price_retractions retraction join positions p on p.symbol = retraction.symbol
      where retraction.retracted_at > ${since} and p.trader_id = any(${traderIds}::uuid[])
      union all
      select p.trader_id, ${openedOn} from positions p
      where p.closed_at > ${since} and p.trader_id = any(${traderIds}::uuid[])
      union all
      select p.trader_id, ${openedOn}
      from position_events event join positions p on p.trader_id = event.trader_id and p.id = event.position_id
      where event.kind not in ('opened', 'closed') and event.created_at > ${since}
        and event.trader_id = any(${traderIds}::uuid[]) and p.trader_id = any(${traderIds}::uuid[])
      union all
      select p.trader_id, ${openedOn} from positions p
      where ${ended} is null and p.trader_id = any(${traderIds}::uuid[])
        and p.public_at > ${since} and p.public_at <= ${now}
    ) changed group by trader_id`.execute(db)
  return new Map(rows.map(({ traderId, from }) => [traderId, from]))
}
