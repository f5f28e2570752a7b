import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'
import { endedAt, sessionDay } from '../positions/record/ended-at.ts'
import type { DailyClose } from '../quotes/provider/provider.ts'

/** @returns whether this session's closes were not yet noted as due @param day as `2026-11-18` */
export async function beginSession(tx: Queryable, day: string): Promise<boolean> {
  const { rows } = await sql`update mark_pace set closes_of = ${day}::date
    where closes_of is null or closes_of < ${day}::date returning only_row`.execute(tx)
  return rows.length > 0
}

/** Notes the close of every symbol as due that somebody holds, or held until this session (ADR 0077), and that of the index. */
export async function markClosesDue(tx: Queryable, day: string, indexSymbol: string): Promise<void> {
  const ended = endedAt('p')
  await sql`insert into symbol_marks (symbol, close_due)
    select symbol, ${day}::date from (
      select symbol from positions where closed_at is null or unsettled union select ${indexSymbol}
      union
      select p.symbol from positions p
        join (select max(day) as day from symbol_days where symbol = ${indexSymbol} and day < ${day}::date) before
          on ${ended} >= before.day::timestamp at time zone 'UTC' and ${sessionDay(ended)} > before.day
    ) held order by symbol
    on conflict (symbol) do update set close_due = excluded.close_due`.execute(tx)
}

/**
 * @param origin.late asked later than on the day itself
 * @param origin.sharesOf the day in whose shares they are counted, as `2026-11-18`; null: each in those of its own day
 * @returns the days, as `2026-11-18`, whose close was not known; one that is known stays
 */
export async function insertCloses(
  db: Queryable,
  symbol: string,
  closes: DailyClose[],
  origin: { late: boolean; sharesOf: string | null },
  now: Date,
): Promise<string[]> {
  // The returned rows count, not the number of affected rows: on Citus that includes closes that were known.
  const { rows } = await sql<{
    day: string
  }>`insert into symbol_days (symbol, day, close, late, known_at, shares_of)
    select ${symbol}, day, close, ${origin.late}, ${now}::timestamptz, ${origin.sharesOf}::date
    from unnest(${closes.map(({ day }) => day)}::date[], ${closes.map(({ close }) => close)}::numeric[]) of (day, close)
    on conflict do nothing returning day::text`.execute(db)
  return rows.map(({ day }) => day)
}

/** @param day its close is no longer asked; the close of a later session stays due */
export async function endDue(db: Queryable, symbol: string, day: string): Promise<void> {
  await sql`update symbol_marks set close_due = null where symbol = ${symbol} and close_due = ${day}::date`.execute(
    db,
  )
}

/** First and last day, in UTC, for which somebody wants the closes of a symbol, as `2026-11-18`. */
export type WantedDays = { symbol: string; from: string; until: string }

/**
 * By symbol, from the first opening to the session of the last end, up to the last session while it is held; of the index, over all of them.
 * @param lastDay the last session that is over
 */
export async function listWantedDays(
  db: Queryable,
  indexSymbol: string,
  lastDay: string,
): Promise<WantedDays[]> {
  const { rows } = await sql<WantedDays>`with held as (
      select symbol, min((opened_at at time zone 'UTC')::date) as first,
        max(coalesce(${weekdayFrom(sessionDay(endedAt('positions')))}, ${lastDay}::date)) as last
      from positions group by symbol
      union all select ${indexSymbol}, (min(opened_at) at time zone 'UTC')::date, ${lastDay}::date from positions
    )
    select symbol, min(first)::text as from, least(max(last), ${lastDay}::date)::text as until
    from held group by symbol having min(first) <= ${lastDay}::date order by symbol`.execute(db)
  return rows
}

/** A part of a statement: of a weekend the Monday after it. */
function weekdayFrom(day: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`${day} + (case extract(isodow from ${day}) when 6 then 2 when 7 then 1 else 0 end)`
}

/** Days from Monday to Friday of a span without a close; holidays are among them. */
export async function listGaps(db: Queryable, { symbol, from, until }: WantedDays): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`select weekday::date::text as day
    from generate_series(${from}::date, ${until}::date, interval '1 day') weekday
    where extract(isodow from weekday) <= 5
      and not exists (select from symbol_days known where known.symbol = ${symbol} and known.day = weekday::date)
    order by weekday`.execute(db)
  return rows.map(({ day }) => day)
}
