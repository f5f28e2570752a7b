import { type RawBuilder, sql } from 'kysely'

/**
 * A part of a statement that several share: of a symbol the last quote that was known at an instant (ADR 0134), no row without one. Its
 * `price`, in the shares of today, `quoted_at`, `answered_at` and `for_opened_before` are as of `symbol_marks`.
 * @param symbol as it is named in the statement
 * @param until the instant
 * @param now whose day's shares count: after a split older quotes are in other ones
 */
export function quoteKnownAt(
  symbol: RawBuilder<string>,
  until: RawBuilder<Date> | Date,
  now: RawBuilder<Date> | Date,
): RawBuilder<unknown> {
  const known = (
    table: string,
  ) => sql`select price, quoted_at, answered_at, for_opened_before from ${sql.table(table)}
      where symbol = ${symbol} and price is not null and answered_at <= ${until}::timestamptz and quoted_at <= ${until}::timestamptz`
  return sql`select ${inSharesOf(sql`quote`, symbol, now)} as price, quote.quoted_at, quote.answered_at, quote.for_opened_before
    from (${known('late_prices')} union all ${known('symbol_marks')}) quote
    order by quote.answered_at desc limit 1`
}

/**
 * A part of a statement: a quote's price in the shares of a day: before a split there were others.
 * @param quote the row, with its `price` and `quoted_at` @param symbol as it is named in the statement @param now whose day counts
 */
export function inSharesOf(
  quote: RawBuilder<unknown>,
  symbol: RawBuilder<string> | RawBuilder<unknown>,
  now: RawBuilder<Date> | Date,
): RawBuilder<unknown> {
  return sql`round(${quote}.price / coalesce((
        select exp(sum(ln(split.shares))) from symbol_splits split
        where split.symbol = ${symbol} and split.day > (${quote}.quoted_at at time zone 'UTC')::date
          and split.day <= (${now}::timestamptz at time zone 'UTC')::date
      ), 1), 6)`
}
