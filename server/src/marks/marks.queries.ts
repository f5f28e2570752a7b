import type { MarketPrice } from '@tradepost/contract/price-rights'
import { sql } from 'kysely'
import { batchedLookup, compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import { inSharesOf, quoteKnownAt } from '../quotes/prices/quote-known-at.ts'

export type MarkRow = {
  symbol: string
  /** Decimal text without zeros at its end, US dollars. */
  price: MarketPrice | null
  /** Instants in ms since 1970: of many marks there are many. */
  quotedAt: number | null
  answeredAt: number | null
  /** The provider does not know the symbol any more. */
  gone: boolean
  /** The last answer was none. */
  unpriced: boolean
  /** It is shown to those who see a position that was opened before. */
  forOpenedBefore: number | null
}

/** The marks of somebody's symbols that were ever asked about; one statement for all who ask at once. */
export async function findMarks(
  db: Queryable,
  symbols: string[],
  now: Date,
): Promise<ReadonlyMap<string, MarkRow>> {
  return (await lookUpMarks(db, [now.toISOString(), ...symbols].join(' '))) ?? new Map()
}

/** Of a statement: a list may have five hundred symbols. */
const LISTS_AT_ONCE = 16

/** By instants and lists of symbols, with a space between. Each is answered the marks of all, as of the last instant. */
const lookUpMarks = batchedLookup(async (db, lists: string[]) => {
  const asked = lists.map((list) => list.split(' '))
  const symbols = [...new Set(asked.flatMap(([, ...list]) => list))]
  const now = new Date(asked.map(([at = '']) => at).reduce((one, other) => (one > other ? one : other)))
  const marks = new Map((await selectMarks(db, { symbols, now })).map((row) => [row.symbol, row]))
  return new Map(lists.map((list) => [list, marks]))
}, LISTS_AT_ONCE)

/**
 * As they were known at an instant, in the shares of today; gone and unpriced symbols as they are now.
 * @param at.until of now or earlier
 */
export async function findMarksOf(
  db: Queryable,
  symbols: string[],
  at: { until: Date; now: Date },
): Promise<ReadonlyMap<string, MarkRow>> {
  return new Map((await selectMarksOf(db, { symbols, ...at })).map((row) => [row.symbol, row]))
}

const millisecondsOf = (column: string) => sql<number | null>`1000 * date_part('epoch', ${sql.ref(column)})`

const selectMarks = compiledQuery((db, { now, symbols }: { symbols: string[]; now: Date }) =>
  db
    .selectFrom('symbol_marks')
    .select([
      'symbol',
      sql<MarketPrice | null>`trim_scale(${inSharesOf(sql`symbol_marks`, sql`symbol_marks.symbol`, now)})`.as(
        'price',
      ),
      millisecondsOf('quoted_at').as('quotedAt'),
      millisecondsOf('answered_at').as('answeredAt'),
      sql<boolean>`gone_at is not null`.as('gone'),
      sql<boolean>`empty_on is not null`.as('unpriced'),
      millisecondsOf('for_opened_before').as('forOpenedBefore'),
    ])
    .where('symbol', '=', sql<string>`any(${symbols}::text[])`),
)

const selectMarksOf = compiledQuery(
  (_db, { now, symbols, until }: { symbols: string[]; until: Date; now: Date }) => sql<MarkRow>`
    select mark.symbol, trim_scale(known.price) as price, ${millisecondsOf('known.quoted_at')} as "quotedAt",
      ${millisecondsOf('known.answered_at')} as "answeredAt", mark.gone_at is not null as gone, mark.empty_on is not null as unpriced,
      ${millisecondsOf('known.for_opened_before')} as "forOpenedBefore"
    from symbol_marks mark left join lateral (${quoteKnownAt(sql`mark.symbol`, until, now)}) known on true
    where mark.symbol = any(${symbols}::text[])`,
)

/** Forgets symbols that nobody has held for long; held symbols were asked about lately. */
export async function deleteMarks(db: Queryable, before: Date): Promise<void> {
  await db.deleteFrom('late_prices').where('answered_at', '<', before).execute()
  await db
    .deleteFrom('symbol_marks')
    .where('close_due', 'is', null)
    .where((eb) => eb.or([eb('asked_at', '<', before), eb('asked_at', 'is', null)]))
    .execute()
}
