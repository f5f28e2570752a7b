import { symbolSpellings } from '@tradepost/contract/symbol'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/**
 * Decimal text, US dollars, and since when it is known. `held`: it is of somebody who holds the symbol; `lost`: the ticker is another
 * company's than what they hold.
 */
export type KnownPrice = { price: string; at: Date; held: boolean; lost: boolean }

/** Clocks of several machines differ by so much at most. A price from later was quoted before the clock was set back, and is not of now. */
const CLOCKS_DIFFER = sql`interval '1 minute'`
/** An older price is no measure of the one of today; of a held symbol there is a close of every session. */
const KNOWN_FOR_DAYS = 14

/**
 * The newest price of the last two weeks that is known of a symbol: its mark, the last close, one that was found to be right, and that at
 * which the trader opened what they hold in it, in whichever spelling; in the shares of today, as far as splits have been entered (rule
 * G-47).
 */
export async function findKnownPrice(
  db: Queryable,
  asked: { symbol: string; traderId: string | null },
  now: Date,
): Promise<KnownPrice | null> {
  return findPriceSince(db, asked, { now, since: new Date(now.getTime() - KNOWN_FOR_DAYS * 86_400_000) })
}

/** As `findKnownPrice`, however old: a holder of a symbol can close at any hour. */
export function findLastPrice(
  db: Queryable,
  asked: { symbol: string; traderId: string },
  now: Date,
): Promise<KnownPrice | null> {
  return findPriceSince(db, asked, { now, since: new Date(0) })
}

async function findPriceSince(
  db: Queryable,
  { symbol, traderId }: { symbol: string; traderId: string | null },
  { now, since }: { now: Date; since: Date },
): Promise<KnownPrice | null> {
  const spellings = symbolSpellings(symbol)
  const [held] = traderId === null ? [] : await selectOpening(db, { spellings, traderId })
  const lostOn = held?.lostOn ?? null
  const [known] = await selectKnown(db, { now, since, spellings, symbol, lostOn })
  const newest = held && held.at > (known?.at ?? since) ? held : known
  const { price, at } = newest ?? {}
  return price && at ? { price, at, held: held !== undefined, lost: lostOn !== null } : null
}

type Priced = Pick<KnownPrice, 'price' | 'at'>

const selectOpening = compiledQuery(
  (db, { spellings, traderId }: { spellings: string[]; traderId: string }) =>
    db
      .selectFrom('positions')
      .select([
        'open_price as price',
        'opened_at as at',
        sql<Date | null>`ticker_lost_on::timestamp at time zone 'UTC'`.as('lostOn'),
      ])
      .where('trader_id', '=', traderId)
      .where('symbol', '=', sql<string>`any(${spellings}::text[])`)
      .where('closed_at', 'is', null)
      .orderBy('opened_at', 'desc'),
)

type SentOf = { symbol: string; spellings: string[]; now: Date; since: Date; lostOn: Date | null }

const selectKnown = compiledQuery(
  (_db, { lostOn, now, since, spellings, symbol }: SentOf) => sql<Priced>`
    select round(known.price / coalesce((
        select exp(sum(ln(shares))) from symbol_splits split
        where split.symbol = ${symbol} and split.day > known.shares_of and split.day <= (${now}::timestamptz at time zone 'UTC')::date
      ), 1), 6)::text as price, known.at
    from (
      select price, quoted_at as at, (quoted_at at time zone 'UTC')::date as shares_of
      from symbol_marks where symbol = any(${spellings}::text[]) and price is not null
      union all
      select accepted_price, accepted_at, (accepted_at at time zone 'UTC')::date
      from suspect_prices where symbol = any(${spellings}::text[]) and accepted_at is not null
      union all
      select last.close, (last.day + time '21:00') at time zone 'UTC', coalesce(last.shares_of, last.day)
      from unnest(${spellings}::text[]) spelling cross join lateral (
        select close, day, shares_of from symbol_days
        where symbol = spelling and day <= (${now}::timestamptz at time zone 'UTC')::date order by day desc limit 1
      ) last
    ) known where known.at > ${since} and known.at <= ${now}::timestamptz + ${CLOCKS_DIFFER}
      and known.at < coalesce(${lostOn}::timestamptz, 'infinity') order by known.at desc limit 1`,
)

/** `since` when it looks wrong without a plausible one in between; null where it does not any more, or was found to be right. */
export type SuspectPrice = { symbol: string; price: string; since: Date | null; notifiedOn: string | null }

/** Notes a price that looks wrong; one that is noted stays, unless it is `again` another one. */
export async function insertSuspect(
  tx: Queryable,
  { again = false, price, symbol }: { symbol: string; price: string; again?: boolean },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('suspect_prices')
    .values({ symbol, price, since: now })
    .onConflict((conflict) =>
      again ? conflict.column('symbol').doUpdateSet({ price, since: now }) : conflict.doNothing(),
    )
    .execute()
}

/** The row of a symbol, locked: of two that judge at once, the second sees what the first has noted. */
export async function lockSuspect(tx: Queryable, symbol: string): Promise<SuspectPrice> {
  return tx
    .selectFrom('suspect_prices')
    .select([
      'symbol',
      'price',
      sql<Date | null>`case when accepted_at is null or accepted_at < since then since end`.as('since'),
      sql<string | null>`told_on::text`.as('notifiedOn'),
    ])
    .where('symbol', '=', symbol)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Whether the last price of a symbol looked wrong. */
export async function isSuspected(db: Queryable, symbol: string): Promise<boolean> {
  return (await selectSuspected(db, { symbol })).length > 0
}

const selectSuspected = compiledQuery((db, { symbol }: { symbol: string }) =>
  db
    .selectFrom('suspect_prices')
    .select('symbol')
    .where('symbol', '=', symbol)
    .where('since', 'is not', null),
)

/** The price of a symbol is plausible again. */
export async function endSuspicion(db: Queryable, symbol: string): Promise<void> {
  await updateUnsuspected(db, { symbol })
}

const updateUnsuspected = compiledQuery((db, { symbol }: { symbol: string }) =>
  db
    .updateTable('suspect_prices')
    .set({ since: null })
    .where('symbol', '=', symbol)
    .where('since', 'is not', null),
)

export async function updateNotified(tx: Queryable, symbol: string, day: string): Promise<void> {
  await tx
    .updateTable('suspect_prices')
    .set({ told_on: sql<Date>`${day}::date` })
    .where('symbol', '=', symbol)
    .execute()
}

/** From now on a price is one that is known. */
export async function updateAccepted(
  tx: Queryable,
  { price, symbol }: { symbol: string; price: string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('suspect_prices')
    .set({ accepted_price: price, accepted_at: now })
    .where('symbol', '=', symbol)
    .execute()
}

/** Accepts what looks wrong of a symbol. @returns the price, decimal text; null where none does */
export async function acceptSuspect(db: Queryable, symbol: string, now: Date): Promise<string | null> {
  const row = await db
    .updateTable('suspect_prices')
    .set((eb) => ({ accepted_price: eb.ref('price'), accepted_at: now }))
    .where('symbol', '=', sql<string>`any(${symbolSpellings(symbol)}::text[])`)
    .where('since', 'is not', null)
    .where((eb) => eb.or([eb('accepted_at', 'is', null), eb('accepted_at', '<', eb.ref('since'))]))
    .returning('accepted_price')
    .executeTakeFirst()
  return row?.accepted_price ?? null
}
