import { type RawBuilder, sql } from 'kysely'

/**
 * A part of a statement: the company of a position's ticker, at its end where it has ended or has lost the ticker; null where it is not
 * known. The same as `nameOf` of the directory in memory.
 * @param position its name in the statement
 */
export function companyNameOf(position: string): RawBuilder<string | null> {
  const column = (name: string) => sql.ref(`${position}.${name}`)
  return sql<string | null>`coalesce((
      select former.name from former_symbols former
      where former.symbol = ${column('symbol')}
        and former.until > coalesce(${column('ticker_lost_on')}::timestamp at time zone 'UTC', ${column('closed_at')})
      order by former.until limit 1
    ), (select named.name from symbols named where named.symbol = ${column('symbol')}))`
}
