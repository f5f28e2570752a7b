import type { HoldLength } from '@tradepost/contract/hold-length'
import { type RawBuilder, sql } from 'kysely'

/** By hold length. */
export type Instants = Readonly<Record<HoldLength, Date>>

/** A part of a statement that several share: that of `hold_length`. @param instants as JSON, of `Instants` */
export function instantOf(instants: string): RawBuilder<Date> {
  return sql<Date>`(${instants}::jsonb ->> hold_length::text)::timestamptz`
}

/**
 * A part of a statement that several share: what a share of the position `held` cost at the end of a day, counted in the shares in
 * which its own prices are. Its opening price until a close is known since.
 * @param day a date, as it is named in the statement; `held` has `symbol`, `open_price` and the days `opened` and `closed`
 */
export function heldValueAt(day: string): RawBuilder<string> {
  const countedOn = sql`coalesce(known.shares_of, known.day)`
  const heldUntil = sql`coalesce(held.closed, 'infinity'::date)`
  return sql<string>`coalesce((
      select known.close * coalesce((
          select exp(sum(ln(shares) * case when ${countedOn} < ${heldUntil} then -1 else 1 end))
          from symbol_splits split
          where split.symbol = held.symbol and split.day > least(${countedOn}, ${heldUntil})
            and split.day <= greatest(${countedOn}, ${heldUntil})
        ), 1)
      from symbol_days known
      where known.symbol = held.symbol and known.day between held.opened and ${sql.ref(day)}
      order by known.day desc limit 1
    ), held.open_price)`
}
