import { type RawBuilder, sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import { heldValueAt } from '../../positions/record/held-value.ts'

/** A price of the index that is older than this, in days, is none of the day that is asked for: weekends and holidays are shorter. */
const INDEX_MAX_AGE_DAYS = 4
/** Sessions without a close after which a last price is called stale. */
const STALE_SESSIONS = 4

/** Of whom, beside which index, up to which session. */
export type Track = {
  traderId: string
  indexSymbol: string
  /** `2026-11-20` */
  asOf: string
  /** Whether positions count that are open within their plan. */
  withOpen: boolean
}

/** The last session that the night's job has computed, as `2026-11-20`; null before the first. */
export async function findLastComputedDay(db: Queryable): Promise<string | null> {
  const [run] = await selectLastComputedDay(db, {})
  return run?.asOf ?? null
}

const selectLastComputedDay = compiledQuery((db) =>
  db.selectFrom('score_runs').select(sql<string | null>`max(as_of)::text`.as('asOf')),
)

export type TrackDayRow = {
  day: string
  /** Close of the index, decimal text. */
  index: string
  /** Percent, decimal text; null on a day without a position that counts. */
  return: string | null
}

/**
 * Every session from the one before the trader's first day of the range on; none where the trader has no day.
 * @param from first day of the range, null for all
 */
export async function listTrackDays(
  db: Queryable,
  track: Track,
  from: string | null,
): Promise<TrackDayRow[]> {
  const select = track.withOpen ? selectTrackDays : selectShownTrackDays
  return select(db, { ...track, from })
}

const selectTrackDays = trackDays(sql`day_return`)
const selectShownTrackDays = trackDays(sql`shown_return`)

function trackDays(ofDay: RawBuilder<unknown>) {
  return compiledQuery(
    (_db, { asOf, from, indexSymbol, traderId }: Track & { from: string | null }) => sql<TrackDayRow>`
    with held as (
      select day, ${ofDay} as return from trader_days
      where trader_id = ${traderId} and day <= ${asOf}::date and (${from}::date is null or day >= ${from}::date)
        and ${ofDay} is not null
    )
    select session.day::text, session.close as index, held.return
    from symbol_days session left join held on held.day = session.day
    where session.symbol = ${indexSymbol} and session.day <= ${asOf}::date
      and session.day >= (
        select max(before.day) from symbol_days before
        where before.symbol = ${indexSymbol} and before.day < (select min(day) from held)
      )
    order by session.day`,
  )
}

export type TrackCloseRow = {
  symbol: string
  openedAt: Date
  closedAt: Date
  /** Percent, decimal text. */
  gain: string
}

/** Closed after a day and up to another, newest first. */
export async function listClosedWithin(
  db: Queryable,
  traderId: string,
  span: { after: string; until: string; limit: number },
): Promise<TrackCloseRow[]> {
  return selectClosedWithin(db, { traderId, ...span })
}

type Closes = { traderId: string; after: string; until: string; limit: number }

const selectClosedWithin = compiledQuery((db, { after, limit, traderId, until }: Closes) =>
  db
    .selectFrom('positions')
    .select([
      'symbol',
      'opened_at as openedAt',
      sql<Date>`closed_at`.as('closedAt'),
      sql<string>`percentage_gain`.as('gain'),
    ])
    .where('trader_id', '=', traderId)
    .where('closed_at', '>=', endOf(after))
    .where('closed_at', '<', endOf(until))
    .where('unsettled', '=', false)
    .where('struck_at', 'is', null)
    .orderBy('closed_at', 'desc')
    .limit(limit),
)

/** @param span.from null for all that came before */
export async function countClosedWithin(
  db: Queryable,
  traderId: string,
  span: { from: string | null; until: string },
): Promise<number> {
  const [counted] = await selectClosedCount(db, { traderId, ...span })
  return counted?.count ?? 0
}

type Span = { traderId: string; from: string | null; until: string }

const selectClosedCount = compiledQuery(
  (_db, { from, traderId, until }: Span) => sql<{
    count: number
  }>`select count(*)::int as count from positions
    where trader_id = ${traderId} and closed_at < ${endOf(until)} and not unsettled and struck_at is null
      and (${from}::date is null or closed_at >= ${from}::date::timestamp at time zone 'UTC')`,
)

function endOf(day: string) {
  return sql<Date>`((${day}::date + 1)::timestamp at time zone 'UTC')`
}

export type AllIn = {
  /** Percent, decimal text; null without a position. */
  mean: string | null
  closed: number
  open: number
  stale: number
}

/**
 * All positions of a trader, open ones at their last close.
 * @param now everybody may know of an open position that is public by then (rule G-16)
 */
export async function findAllIn(db: Queryable, track: Track, now: Date): Promise<AllIn> {
  const [allIn] = await selectAllIn(db, { ...track, now })
  return allIn ?? { mean: null, closed: 0, open: 0, stale: 0 }
}

const selectAllIn = compiledQuery(
  (_db, { asOf, indexSymbol, now, traderId, withOpen }: Track & { now: Date }) => sql<AllIn>`
    with session as (select ${asOf}::date as day), gains as (
      select percentage_gain as gain, false as is_open, false as is_stale from positions
      where trader_id = ${traderId} and closed_at is not null and not unsettled and struck_at is null
      union all
      select 100 * (${heldValueAt('session.day')} / held.open_price - 1), true,
        not exists (select from symbol_days known where known.symbol = held.symbol and known.day between held.recent and session.day
            and known.day < coalesce(held.ticker_lost_on, 'infinity'::date))
      from session, (
        select symbol, ticker_lost_on, open_price, (opened_at at time zone 'UTC')::date as opened, null::date as closed, (
            select min(day) from (select day from symbol_days
              where symbol = ${indexSymbol} and day <= ${asOf}::date order by day desc limit ${STALE_SESSIONS}) last
          ) as recent
        from positions
        where trader_id = ${traderId} and (closed_at is null or unsettled) and struck_at is null
          and (opened_at at time zone 'UTC')::date <= ${asOf}::date
          and (${withOpen} or public_at <= ${now})
      ) held
    )
    select round(avg(gain), 12) as mean, (count(*) filter (where not is_open))::int as closed,
      (count(*) filter (where is_open))::int as open, (count(*) filter (where is_stale))::int as stale
    from gains`,
)

export type VersusIndex = {
  /** Percent, decimal text; null where no position has the index beside it. */
  mean: string | null
  positions: number
  missing: number
}

/** By how much closed positions beat the index between the ends of the days of their opening and their close. */
export async function findVersusIndex(db: Queryable, track: Track): Promise<VersusIndex> {
  const [versus] = await selectVersusIndex(db, track)
  return versus ?? { mean: null, positions: 0, missing: 0 }
}

const selectVersusIndex = compiledQuery(
  (_db, { asOf, indexSymbol, traderId }: Track) => sql<VersusIndex>`
    with closed as (
      select percentage_gain, (opened_at at time zone 'UTC')::date as opened_on, (closed_at at time zone 'UTC')::date as closed_on
      from positions where trader_id = ${traderId} and closed_at < ${endOf(asOf)} and not unsettled and struck_at is null
    ), index_at as materialized (
      -- Many positions share their days: each is looked up once.
      select day, (
          select close from symbol_days known
          where known.symbol = ${indexSymbol} and known.day between asked.day - ${INDEX_MAX_AGE_DAYS}::int and asked.day
          order by known.day desc limit 1
        ) as close
      from (select opened_on as day from closed union select closed_on from closed) asked
    ), beside as (
      select closed.percentage_gain - 100 * (at_close.close / at_opening.close - 1) as difference
      from closed join index_at at_opening on at_opening.day = closed.opened_on
        join index_at at_close on at_close.day = closed.closed_on
    )
    select round(avg(difference), 12) as mean, count(difference)::int as positions,
      (count(*) - count(difference))::int as missing
    from beside`,
)
