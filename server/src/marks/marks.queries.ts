import { sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'

export type MarkRow = {
  symbol: string
  /** Decimal text, US dollars. */
  price: string | null
  quotedAt: Date | null
  answeredAt: Date | null
  goneAt: Date | null
  /** The last answer was none. */
  unpriced: boolean
  /** It is shown to those who see a position that was opened before. */
  forOpenedBefore: Date | null
}

/** Of those symbols that were ever asked about. */
export function findMarks(db: Queryable, symbols: string[]): Promise<MarkRow[]> {
  return selectMarks(db, { symbols })
}

const selectMarks = compiledQuery((db, { symbols }: { symbols: string[] }) =>
  db
    .selectFrom('symbol_marks')
    .select([
      'symbol',
      'price',
      'quoted_at as quotedAt',
      'answered_at as answeredAt',
      'gone_at as goneAt',
      sql<boolean>`empty_on is not null`.as('unpriced'),
      'for_opened_before as forOpenedBefore',
    ])
    .where('symbol', '=', sql<string>`any(${symbols}::text[])`),
)

/** A symbol of somebody's list of positions, and which of these positions were opened first and last. */
export type ListedSymbol = {
  symbol: string
  firstOpenedAt: Date
  lastOpenedAt: Date
  /** Of the last one, decimal text, US dollars. */
  lastOpenPrice: string
  /** The ticker is another company's than that of a position. */
  lost: boolean
}

/**
 * Symbols of active positions: all of one trader's, and of the newest of others, as the list of positions holds them.
 * @param options.others traders other than `own`
 */
export function listActiveSymbols(db: Queryable, options: Listed): Promise<ListedSymbol[]> {
  return selectActiveSymbols(db, options)
}

type Listed = { own: string; others: string[]; othersLimit: number }

const selectActiveSymbols = compiledQuery(
  (_db, { own, others, othersLimit }: Listed) => sql<ListedSymbol>`
    select symbol, min(opened_at) as "firstOpenedAt", max(opened_at) as "lastOpenedAt",
      (array_agg(open_price order by opened_at desc))[1] as "lastOpenPrice", bool_or(ticker_lost_on is not null) as lost
    from (
      select symbol, opened_at, open_price, ticker_lost_on from positions where closed_at is null and trader_id = ${own}
      union all
      (select symbol, opened_at, open_price, ticker_lost_on from positions where closed_at is null and trader_id = any(${others}::uuid[])
        order by opened_at desc limit ${othersLimit})
    ) held
    group by symbol order by symbol`,
)

/** Forgets symbols that nobody has held for long; those that are held were asked about lately. */
export async function deleteMarks(db: Queryable, before: Date): Promise<void> {
  await db
    .deleteFrom('symbol_marks')
    .where('close_due', 'is', null)
    .where((eb) => eb.or([eb('asked_at', '<', before), eb('asked_at', 'is', null)]))
    .execute()
}
