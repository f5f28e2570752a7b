import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'
import { heldValueAt, type Instants, instantOf } from '../positions/held-value.ts'

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
 * Has the statements of a transaction planned for what they are given. A plan that would do for any list of traders takes more
 * than ten times as long for five hundred of them.
 */
export async function planForLists(tx: Queryable): Promise<void> {
  await sql`set local plan_cache_mode = force_custom_plan`.execute(tx)
}

/**
 * Traders some of whose days before `until` are not what they were when they were computed: after an instant, a close became known, a
 * split was said, or a position became one that everybody may know of, by its close or by its age (decision 0054).
 * @param change.shown by hold length, between which instants a position was opened that has come to that age since
 * @returns the first of these days of each, as `2026-11-18`
 */
export async function listChanged(
  db: Queryable,
  traderIds: string[],
  change: { since: Date; until: string; shown: { after: Instants; until: Instants } },
): Promise<Map<string, string>> {
  const { since, until } = change
  const { rows } = await sql<{ traderId: string; from: string }>`
    select trader_id as "traderId", min(day)::text as from from (
      select p.trader_id, greatest(known.day, (p.opened_at at time zone 'UTC')::date) as day
      from (select symbol, min(day) as day from symbol_days
        where known_at > ${since} and day < ${until}::date group by symbol) known
        join positions p on p.symbol = known.symbol and p.trader_id = any(${traderIds}::uuid[])
      where p.closed_at is null or (p.closed_at at time zone 'UTC')::date >= known.day
      union all
      select p.trader_id, (p.opened_at at time zone 'UTC')::date
      from symbol_splits split join positions p on p.symbol = split.symbol
      where split.said_at > ${since} and p.trader_id = any(${traderIds}::uuid[])
      union all
      select trader_id, (opened_at at time zone 'UTC')::date from positions
      where closed_at > ${since} and trader_id = any(${traderIds}::uuid[])
      union all
      select trader_id, (opened_at at time zone 'UTC')::date from positions
      where closed_at is null and trader_id = any(${traderIds}::uuid[])
        and opened_at > ${instantOf(JSON.stringify(change.shown.after))} and opened_at <= ${instantOf(JSON.stringify(change.shown.until))}
    ) changed group by trader_id`.execute(db)
  return new Map(rows.map(({ traderId, from }) => [traderId, from]))
}

/** @param from of each trader, as `2026-11-18` */
export async function deleteDays(
  tx: Queryable,
  traders: readonly { traderId: string; from: string }[],
): Promise<void> {
  await sql`delete from trader_days d
    using unnest(${traders.map(({ traderId }) => traderId)}::uuid[], ${traders.map(({ from }) => from)}::date[]) t (trader_id, from_day)
    where d.trader_id = t.trader_id and d.day >= t.from_day
      and d.trader_id = any(${traders.map(({ traderId }) => traderId)}::uuid[])`.execute(tx)
}

/**
 * Computes and keeps what the traders' positions did in these sessions, of each trader from a day on (decision 0053).
 *
 * A position counts from the first session that ends after its opening to the first one that ends after its close. It is worth its
 * opening price until a close of its symbol is known since, then the last known one, in the shares of today; in the end its
 * closing price. The index counts from the close of the day of the opening.
 * @param options.shownBefore by hold length, the instant at or before which an open position was opened that everybody may know of
 */
export async function insertDays(
  tx: Queryable,
  traders: readonly { traderId: string; from: string }[],
  {
    indexSymbol,
    sessions,
    shownBefore,
  }: { indexSymbol: string; sessions: readonly Session[]; shownBefore: Instants },
): Promise<void> {
  const firstBefore = sessions[0]?.before
  const lastDay = sessions.at(-1)?.day
  await sql`with trader as (
      select * from unnest(${traders.map(({ traderId }) => traderId)}::uuid[], ${traders.map(({ from }) => from)}::date[])
        trader (trader_id, from_day)
    ), session as (
      select session.*, at_end.close as market, at_start.close as market_before
      from unnest(${sessions.map(({ day }) => day)}::date[], ${sessions.map(({ before }) => before)}::date[])
        session (day, before)
        join symbol_days at_end on at_end.symbol = ${indexSymbol} and at_end.day = session.day
        join symbol_days at_start on at_start.symbol = ${indexSymbol} and at_start.day = session.before
    ), held as (
      select position.*, trader.from_day, (
          select close from symbol_days
          where symbol = ${indexSymbol} and day <= position.opened order by day desc limit 1
        ) as market_stake
      from trader join (
        select trader_id, id, symbol, open_price, close_price,
          closed_at is not null or opened_at <= ${instantOf(JSON.stringify(shownBefore))} as shown,
          (opened_at at time zone 'UTC')::date as opened, (closed_at at time zone 'UTC')::date as closed
        from positions where trader_id = any(${traders.map(({ traderId }) => traderId)}::uuid[])
      ) position on position.trader_id = trader.trader_id and position.opened <= ${lastDay}::date
        and (position.closed is null or position.closed > ${firstBefore}::date)
    ), moved as (
      select held.trader_id, session.day, held.open_price, held.shown,
        ${heldValueAt('session.before')} as value_before,
        case when held.closed <= session.day then held.close_price else ${heldValueAt('session.day')} end as value,
        case when held.opened > session.before then 0
          else (session.market - session.market_before) / held.market_stake end as market_profit
      from held join session on session.day >= held.from_day and session.day >= held.opened
        and (held.closed is null or held.closed > session.before)
    )
    insert into trader_days (trader_id, day, positions, day_return, shown_return, excess, shown_excess)
    select trader_id, day, count(*), round(avg(100 * (value / value_before - 1)), 10),
      round(avg(100 * (value / value_before - 1)) filter (where shown), 10),
      round(avg(100 * ((value - value_before) / open_price - market_profit)), 10),
      round(avg(100 * ((value - value_before) / open_price - market_profit)) filter (where shown), 10)
    from moved group by trader_id, day
    on conflict (trader_id, day) do update set positions = excluded.positions, day_return = excluded.day_return,
      shown_return = excluded.shown_return, excess = excluded.excess, shown_excess = excluded.shown_excess`.execute(
    tx,
  )
}
