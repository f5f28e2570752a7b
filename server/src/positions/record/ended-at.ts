import { type RawBuilder, sql } from 'kysely'

/**
 * A part of a statement that several share: when a position ended, for whatever counts days. An unsettled close has not ended yet, so
 * that closing hides nothing (ADR 0076); null for it, and while the position is open.
 * @param alias of `positions` in the statement
 */
export function endedAt(alias: string): RawBuilder<Date | null> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql<Date | null>`case when not ${column('unsettled')} then coalesce(${column('settled_at')}, ${column('closed_at')}) end`
}

/**
 * A part of a statement that several share: the day, in New York, on or after which the first session is that ends after an instant.
 * Sessions end there at 16:00, in summer an hour before the window of docs/specification.md (ADR 0077): a price of later knows
 * what was published after the bell.
 */
export function sessionDay(instant: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(${instant} at time zone 'America/New_York' + interval '8 hours')::date`
}
