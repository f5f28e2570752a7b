import { type RawBuilder, sql } from 'kysely'

/**
 * A part of a statement that several share: the price of a share of the position `held` at the end of a day, counted in the shares in
 * which its own prices are. Its opening price until a close is known since.
 * @param day a date, as it is named in the statement; `held` has `symbol`, `open_price` and the days `opened`, `closed` and
 *   `ticker_lost_on`, from which on the ticker's closes are another company's
 */
export function heldValueAt(day: string): RawBuilder<string> {
  return sql<string>`coalesce((select value from (${lastKnownClose(day)}) last_known), held.open_price)`
}

/**
 * A part of a statement that several share: of the last close of the position `held` that is known at the end of a day, since its
 * opening, its `day` and its `value` in the shares in which the position's own prices are; no row without one.
 * @param day as of `heldValueAt`
 */
export function lastKnownClose(day: string): RawBuilder<{ day: string; value: string }> {
  const countedOn = sql`coalesce(known.shares_of, known.day)`
  const heldUntil = sql`coalesce(held.closed, 'infinity'::date)`
  return sql`select known.day, known.close * coalesce((
          select exp(sum(ln(shares) * case when ${countedOn} < ${heldUntil} then -1 else 1 end))
          from symbol_splits split
          where split.symbol = held.symbol and split.day > least(${countedOn}, ${heldUntil})
            and split.day <= greatest(${countedOn}, ${heldUntil})
        ), 1) as value
      from symbol_days known
      where known.symbol = held.symbol and known.day between held.opened and ${sql.ref(day)}
        and known.day < coalesce(held.ticker_lost_on, 'infinity'::date)
      order by known.day desc limit 1`
}
