import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

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

/** The last session that is known to be computed, and when that was; null before the first run. */
export async function findLastRun(db: Queryable): Promise<{ asOf: string; ranAt: Date } | null> {
  const row = await db
    .selectFrom('score_runs')
    .select([sql<string>`as_of::text`.as('asOf'), 'ran_at as ranAt'])
    .orderBy('as_of', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
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
 * Traders some of whose days before `until` are not what they were when they were computed: a close became known after an instant, or
 * a split was said. @returns the first of these days of each, as `2026-11-18`
 */
export async function listChanged(
  db: Queryable,
  traderIds: string[],
  { since, until }: { since: Date; until: string },
): Promise<Map<string, string>> {
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
    where d.trader_id = t.trader_id and d.day >= t.from_day`.execute(tx)
}

/**
 * Computes and keeps what the traders' positions did in these sessions, of each trader from a day on (decision 0053).
 *
 * A position counts from the first session that ends after its opening to the first one that ends after its close. It is worth its
 * opening price until a close of its symbol is known since, then the last known one, in the shares of today; in the end its
 * closing price. The index counts from the close of the day of the opening.
 */
export async function insertDays(
  tx: Queryable,
  traders: readonly { traderId: string; from: string }[],
  { indexSymbol, sessions }: { indexSymbol: string; sessions: readonly Session[] },
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
      from trader join lateral (
        select trader_id, id, symbol, open_price, close_price,
          (opened_at at time zone 'UTC')::date as opened, (closed_at at time zone 'UTC')::date as closed
        from positions where positions.trader_id = trader.trader_id
      ) position on position.opened <= ${lastDay}::date
        and (position.closed is null or position.closed > ${firstBefore}::date)
    ), moved as (
      select held.trader_id, session.day, held.open_price,
        ${valueAt('before')} as value_before,
        case when held.closed <= session.day then held.close_price else ${valueAt('day')} end as value,
        case when held.opened > session.before then 0
          else (session.market - session.market_before) / held.market_stake end as market_profit
      from held join session on session.day >= held.from_day and session.day >= held.opened
        and (held.closed is null or held.closed > session.before)
    )
    insert into trader_days (trader_id, day, positions, day_return, excess)
    select trader_id, day, count(*), round(avg(100 * (value / value_before - 1)), 10),
      round(avg(100 * ((value - value_before) / open_price - market_profit)), 10)
    from moved group by trader_id, day
    on conflict (trader_id, day) do update set positions = excluded.positions, day_return = excluded.day_return,
      excess = excluded.excess`.execute(tx)
}

/** What a share of `held` cost at the end of a day of `session`, counted in the shares in which its own prices are. */
function valueAt(day: 'day' | 'before') {
  const countedOn = sql`coalesce(known.shares_of, known.day)`
  const heldUntil = sql`coalesce(held.closed, 'infinity'::date)`
  return sql`coalesce((
      select known.close * coalesce((
          select exp(sum(ln(shares) * case when ${countedOn} < ${heldUntil} then -1 else 1 end))
          from symbol_splits split
          where split.symbol = held.symbol and split.day > least(${countedOn}, ${heldUntil})
            and split.day <= greatest(${countedOn}, ${heldUntil})
        ), 1)
      from symbol_days known
      where known.symbol = held.symbol and known.day between held.opened and ${sql.ref(`session.${day}`)}
      order by known.day desc limit 1
    ), held.open_price)`
}
