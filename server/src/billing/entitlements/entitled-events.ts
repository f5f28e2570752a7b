import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a row of `subscriptions` was entitled at some time from one event of its trader to a later one (docs/specification-decisions.md
 * G-49): the formula above that table (0004_money.sql). For one event it decides whether the subscriber gets its mail: planner,
 * sender and readers all use this function.
 * @param first,last event numbers, or columns of them
 */
export function entitledBetween(
  first: number | RawBuilder<number>,
  last: number | RawBuilder<number>,
): RawBuilder<boolean> {
  return sql<boolean>`((entitled_from_event < ${last}
    and (entitled_until_event is null or entitled_until_event >= ${first}))
  or earlier_windows && int8range(${first}::bigint, ${last}::bigint, '[]'))`
}

/**
 * The numbers of all events at which rows of `subscriptions` were entitled, a multirange, by the same formula: it is read once where many
 * events are asked for. Null for no row.
 */
export const entitledWindows = sql<string>`range_agg(earlier_windows + case when entitled_from_event is null then '{}'
  else int8multirange(int8range(entitled_from_event, entitled_until_event, '(]')) end)`

/** Numbers of a trader's events, from one on to before another. */
export type Span = { from: number; to: number }

/** A window, as PostgreSQL writes those of whole numbers: `{[1,4),[9,)}`. */
const WINDOW = /[[(](\d*),(\d*)\)/g

/** @param windows as `entitledWindows` answers them. @returns in order; one that goes on ends with `Infinity` */
export function readWindows(windows: string): Span[] {
  return [...windows.matchAll(WINDOW)].map(([, from, to]) => ({
    from: Number(from || 0),
    to: to ? Number(to) : Number.POSITIVE_INFINITY,
  }))
}

/** When somebody was entitled by one row of `subscriptions`. `earlier`: windows as PostgreSQL writes them. */
export type Entitlement = { from: number | null; until: number | null; earlier: string }

/**
 * The same as `entitledBetween`, of rows that were read. Somebody who came and left between two events saw none, and was there.
 * @param first,last event numbers
 */
export function wasEntitledBetween(rows: readonly Entitlement[], first: number, last: number): boolean {
  return rows.some(
    ({ earlier, from, until }) =>
      (from !== null && from < last && (until === null || until >= first)) ||
      readWindows(earlier).some((window) => window.from <= last && window.to > first),
  )
}
