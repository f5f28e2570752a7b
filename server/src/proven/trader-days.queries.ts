import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'
import { endedAt, sessionDay } from '../positions/record/ended-at.ts'
import { heldValueAt, lastKnownClose } from '../positions/record/held-value.ts'
import type { Session } from './days.queries.ts'

/** @param from of each trader, as `2026-11-18` @param through the last day that is deleted; null for all */
export async function deleteDays(
  tx: Queryable,
  traders: readonly { traderId: string; from: string }[],
  through: string | null,
): Promise<void> {
  await sql`delete from trader_days d
    using unnest(${traders.map(({ traderId }) => traderId)}::uuid[], ${traders.map(({ from }) => from)}::date[]) t (trader_id, from_day)
    where d.trader_id = t.trader_id and d.day >= t.from_day and d.day <= coalesce(${through}::date, 'infinity')
      and d.trader_id = any(${traders.map(({ traderId }) => traderId)}::uuid[])`.execute(tx)
}

type Counted = {
  indexSymbol: string
  sessions: readonly Session[]
  /** Everybody may know of an open position that is public by then (rule G-16). */
  now: Date
}

/**
 * Computes and keeps what the traders' positions did in these sessions, of each trader from a day on (ADR 0053).
 *
 * Returns are those of a copier: from the opening price to the closing price, from the first session that ends after the opening to
 * the first one that ends after the close; between them the last close that is known, in the shares of today. The excess is between
 * closes alone: from that of the session of the opening to that of the session in which the position ended, each beside the index's
 * of the same day, so that no price counts of which a trader chose the minute. A close that is not settled has not ended. Struck
 * positions are no part of it.
 */
export async function insertDays(
  tx: Queryable,
  traders: readonly { traderId: string; from: string }[],
  counted: Counted,
): Promise<void> {
  await sql`with session as (
      select session.*, at_end.close as market, at_start.close as market_before
      from unnest(${counted.sessions.map(({ day }) => day)}::date[], ${counted.sessions.map(({ before }) => before)}::date[])
        session (day, before)
        join symbol_days at_end on at_end.symbol = ${counted.indexSymbol} and at_end.day = session.day
        join symbol_days at_start on at_start.symbol = ${counted.indexSymbol} and at_start.day = session.before
    ), ${heldBy(traders, counted)}, moved as (
      select held.trader_id, session.day, held.shown,
        case when held.closed is null or held.closed > session.before then 100 * (
            case when held.closed <= session.day then held.close_price else coalesce(at_end.value, held.open_price) end
            / coalesce(at_start.value, held.open_price) - 1
          ) end as return,
        case when session.before >= held.counted_from then 100 * (
            (case when held.by_operator and held.last_session <= session.day then held.close_price else at_end.value end
              - at_start.value) / held.stake
            - (case when held.by_operator and held.last_session <= session.day then session.market
                else ${marketOn('at_end', 'session.day', 'session.market', counted)} end
              - ${marketOn('at_start', 'session.before', 'session.market_before', counted)}) / held.market_stake
          ) end as excess
      from held join session on session.day >= held.from_day and session.day >= held.opened
          and (held.last_session is null or held.last_session > session.before)
        left join lateral (${lastKnownClose('session.before')}) at_start on true
        left join lateral (${lastKnownClose('session.day')}) at_end on true
    )
    insert into trader_days (trader_id, day, positions, day_return, shown_return, excess, shown_excess)
    select trader_id, day, count(*), round(avg(return), 10), round(avg(return) filter (where shown), 10),
      round(avg(excess), 10), round(avg(excess) filter (where shown), 10)
    from moved where return is not null or excess is not null group by trader_id, day
    on conflict (trader_id, day) do update set positions = excluded.positions, day_return = excluded.day_return,
      shown_return = excluded.shown_return, excess = excluded.excess, shown_excess = excluded.shown_excess`.execute(
    tx,
  )
}

/**
 * The part of the statement that reads the traders' positions once. The excess begins with `counted_from`, the first session from
 * that of the opening on of which a close of the symbol and one of the index are known: those are `stake` and `market_stake`.
 */
function heldBy(
  traders: readonly { traderId: string; from: string }[],
  { indexSymbol, now, sessions }: Counted,
): RawBuilder<unknown> {
  const traderIds = traders.map(({ traderId }) => traderId)
  const ended = endedAt('p')
  return sql`trader as (
      select * from unnest(${traderIds}::uuid[], ${traders.map(({ from }) => from)}::date[]) trader (trader_id, from_day)
    ), opened as (
      select position.*, trader.from_day
      from trader join (
        select p.trader_id, p.symbol, p.ticker_lost_on, p.open_price, p.close_price,
          ${ended} is not null or coalesce(p.public_at <= ${now}, false) as shown,
          p.closed_by_operator or p.settled_by is not distinct from 'operator' as by_operator,
          (p.opened_at at time zone 'UTC')::date as opened, (${ended} at time zone 'UTC')::date as closed,
          ${sessionDay(sql`p.opened_at`)} as first_session, ${sessionDay(ended)} as last_session
        from positions p where p.trader_id = any(${traderIds}::uuid[]) and p.struck_at is null
      ) position on position.trader_id = trader.trader_id and position.opened <= ${sessions.at(-1)?.day}::date
        and (position.last_session is null or position.last_session > ${sessions[0]?.before}::date)
    ), begun as (
      select opened.*, first.day as counted_from, first.close as market_stake
      from opened left join lateral (
        select market.day, market.close
        from symbol_days market join symbol_days own on own.symbol = opened.symbol and own.day = market.day
        where market.symbol = ${indexSymbol} and market.day >= opened.first_session and own.day >= opened.first_session
          and own.day < coalesce(opened.ticker_lost_on, 'infinity'::date)
        order by market.day limit 1
      ) first on true
    ), held as materialized (
      select held.*, ${heldValueAt('held.counted_from')} as stake from begun held
    )`
}

/** The index's close of the day of a known close, so that beside a price that is missing the index waits too. */
function marketOn(known: string, day: string, market: string, { indexSymbol }: Counted): RawBuilder<string> {
  const knownOn = sql.ref(`${known}.day`)
  return sql<string>`case when ${knownOn} = ${sql.ref(day)} then ${sql.ref(market)} else (
      select close from symbol_days market
      where market.symbol = ${indexSymbol} and market.day <= ${knownOn} order by market.day desc limit 1
    ) end`
}
