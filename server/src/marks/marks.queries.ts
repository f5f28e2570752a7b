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
  watchedUntil: Date | null
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
      'watched_until as watchedUntil',
    ])
    .where('symbol', '=', sql<string>`any(${symbols}::text[])`),
)

/** Notes that somebody looks at symbols. In one order, so that two such statements never wait for each other in a circle. */
export async function watchSymbols(db: Queryable, symbols: string[], until: Date): Promise<void> {
  await updateWatched(db, { symbols: symbols.toSorted(), until })
}

const updateWatched = compiledQuery(
  (_db, { symbols, until }: { symbols: string[]; until: Date }) => sql`
    insert into symbol_marks (symbol, watched_until)
    select symbol, ${until} from unnest(${symbols}::text[]) symbol
    on conflict (symbol) do update set watched_until = excluded.watched_until`,
)

/**
 * Symbols of active positions: all of one trader's, and of the newest of others, as the list of positions holds them.
 * @param options.others traders other than `own`
 * @returns `lost`: the ticker is another company's than that of a position
 */
export function listActiveSymbols(db: Queryable, options: Listed): Promise<ActiveSymbol[]> {
  return selectActiveSymbols(db, options)
}

type ActiveSymbol = { symbol: string; lost: boolean }
type Listed = { own: string; others: string[]; othersLimit: number }

const selectActiveSymbols = compiledQuery(
  (_db, { own, others, othersLimit }: Listed) => sql<ActiveSymbol>`
    select symbol, bool_or(ticker_lost_on is not null) as lost from (
      select symbol, ticker_lost_on from positions where closed_at is null and trader_id = ${own}
      union all
      (select symbol, ticker_lost_on from positions where closed_at is null and trader_id = any(${others}::uuid[])
        order by opened_at desc limit ${othersLimit})
    ) held
    group by symbol order by symbol`,
)

/** Forgets symbols that nobody has looked at or held for long; those that are held were asked about lately. */
export async function deleteMarks(db: Queryable, before: Date): Promise<void> {
  await db
    .deleteFrom('symbol_marks')
    .where('close_due', 'is', null)
    .where((eb) => eb.or([eb('asked_at', '<', before), eb('asked_at', 'is', null)]))
    .where((eb) => eb.or([eb('watched_until', '<', before), eb('watched_until', 'is', null)]))
    .execute()
}
