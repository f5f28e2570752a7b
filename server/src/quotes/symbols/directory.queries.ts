import { normaliseSymbol, symbolSpellings } from '@tradepost/contract/symbol'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { Listing } from '../provider/provider.ts'

/** The version of the stored list: rises with every change of it. */
export async function findDirectoryVersion(db: Queryable): Promise<number> {
  const [row] = await selectVersion(db, {})
  return Number(row?.version ?? 0)
}

const selectVersion = compiledQuery((db) => db.selectFrom('symbol_directory').select('version'))

/** A ticker with the name that it has now. */
export type KeptSymbol = {
  symbol: string
  name: string
  figi: string | null
  listed: boolean
  missingSince: Date | null
  delistedAt: Date | null
}

/** @param since symbols that have changed after a version; -1 for all */
export function listSymbols(db: Queryable, since = -1): Promise<KeptSymbol[]> {
  return db
    .selectFrom('symbols')
    .select([
      'symbol',
      'name',
      'figi',
      'listed',
      'missing_since as missingSince',
      'delisted_at as delistedAt',
    ])
    .where('version', '>', since)
    .execute()
}

/** Names that tickers had before, each until when, the oldest first. @param since as of `listSymbols` */
export function listFormerNames(
  db: Queryable,
  since: number,
): Promise<{ symbol: string; name: string; until: Date }[]> {
  return db
    .selectFrom('former_symbols')
    .select(['symbol', 'name', 'until'])
    .where('version', '>', since)
    .orderBy('until')
    .execute()
}

/** Whether a list was ever read. */
export async function hasList(db: Queryable): Promise<boolean> {
  const row = await db
    .selectFrom('symbols')
    .select('symbol')
    .where('listed', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The row that a change of the directory locks: of two, the second sees what the first has written. */
export async function lockDirectory(tx: Queryable): Promise<DirectoryState> {
  const row = await tx
    .selectFrom('symbol_directory')
    .select([
      sql<string | null>`read_on::text`.as('readOn'),
      'short_since as shortSince',
      'told_at as notifiedAt',
    ])
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row
}

/** `readOn`: the day of the last list, as `2026-11-18`; `shortSince` while lists are not whole. */
export type DirectoryState = { readOn: string | null; shortSince: Date | null; notifiedAt: Date | null }

/**
 * Takes the one try of all processes. @param due.day whose list is to be read, as `2026-11-18`
 * @returns false where it was read, or somebody has tried after `triedBefore`
 */
export async function beginReading(
  db: Queryable,
  due: { day: string; triedBefore: Date },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`update symbol_directory set asked_at = ${now}
    where (read_on is null or read_on < ${due.day}::date)
      and (asked_at is null or asked_at <= ${due.triedBefore} or asked_at > ${now})
    returning only_row`.execute(db)
  return rows.length > 0
}

/** Notes that the list of a day was read. */
export async function endReading(
  tx: Queryable,
  read: { day: string; shortSince: Date | null },
): Promise<void> {
  await tx
    .updateTable('symbol_directory')
    .set({ read_on: sql<Date>`${read.day}::date`, short_since: read.shortSince, told_at: null })
    .execute()
}

export async function updateNotified(tx: Queryable, now: Date): Promise<void> {
  await tx.updateTable('symbol_directory').set({ told_at: now }).execute()
}

/** @returns the version of the rows that are written next */
export async function bumpDirectory(tx: Queryable): Promise<number> {
  const { version } = await tx
    .updateTable('symbol_directory')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .returning('version')
    .executeTakeFirstOrThrow()
  return Number(version)
}

/** Of what is written: of which version, and when. */
type Change = { version: number; now: Date }

/** Keeps the names that tickers have until now; to be called before they get others. */
export async function keepFormerNames(
  tx: Queryable,
  symbols: string[],
  { now, version }: Change,
): Promise<void> {
  await sql`insert into former_symbols (symbol, until, name, figi, since, version)
    select symbol, ${now}, name, figi, since, ${version} from symbols where symbol = any(${symbols}::text[])
    on conflict do nothing`.execute(tx)
}

/**
 * Adds symbols and renames known ones.
 * @param change.since of those that are new under their ticker; null keeps the stored instant of the others
 * @param change.listed whether a list holds them; if so, notes of their absence are cleared
 */
export async function upsertSymbols(
  tx: Queryable,
  listings: readonly (Listing & { name: string })[],
  { listed, since, version }: { listed: boolean; since: Date | null; version: number },
): Promise<void> {
  await sql`insert into symbols (symbol, name, figi, since, listed, version)
    select symbol, name, figi, ${since}, ${listed}, ${version}
    from unnest(${listings.map(({ symbol }) => symbol)}::text[], ${listings.map(({ name }) => name)}::text[],
      ${listings.map(({ figi }) => figi)}::text[]) listing (symbol, name, figi)
    on conflict (symbol) do update set name = excluded.name, figi = coalesce(excluded.figi, symbols.figi),
      since = coalesce(excluded.since, symbols.since), listed = excluded.listed, version = excluded.version,
      missing_since = case when not excluded.listed then symbols.missing_since end,
      delisted_at = case when not excluded.listed then symbols.delisted_at end`.execute(tx)
}

/** Forgets whose a ticker was: it is another company's. */
export async function forgetFigi(tx: Queryable, symbols: string[]): Promise<void> {
  await sql`update symbols set figi = null where symbol = any(${symbols}::text[])`.execute(tx)
}

/** @param missing not delisted yet */
export async function markMissing(
  tx: Queryable,
  { delisted, missing }: { missing: string[]; delisted: string[] },
  { now, version }: Change,
): Promise<void> {
  await sql`update symbols set listed = false, version = ${version}, missing_since = coalesce(missing_since, ${now}::timestamptz),
      delisted_at = case when symbol = any(${delisted}::text[]) then ${now}::timestamptz end
    where symbol = any(${[...missing, ...delisted]}::text[])`.execute(tx)
}

/** A share that the list does not hold any more is no longer traded; its last price does not matter. */
export async function endMarks(tx: Queryable, delisted: string[], now: Date): Promise<void> {
  await sql`update symbol_marks set gone_at = ${now}
    where symbol = any(${delisted}::text[]) and gone_at is null`.execute(tx)
}

/** Of these tickers, those in which somebody has a position that has not ended. */
export async function listHeld(tx: Queryable, symbols: string[]): Promise<string[]> {
  const { rows } = await sql<{ symbol: string }>`select distinct position.symbol
    from positions position where position.symbol = any(${symbols.flatMap(symbolSpellings)}::text[]) and (position.closed_at is null or position.unsettled)
    order by position.symbol`.execute(tx)
  return [...new Set(rows.map(({ symbol }) => normaliseSymbol(symbol)))]
}

/** Notes for positions that have not ended that the ticker is another company's from a day on, as `2026-11-18`. */
export async function markTickersLost(tx: Queryable, symbols: string[], day: string): Promise<void> {
  await sql`update positions position set ticker_lost_on = ${day}::date
    where position.symbol = any(${symbols.flatMap(symbolSpellings)}::text[])
      and (position.closed_at is null or position.unsettled) and position.ticker_lost_on is null`.execute(tx)
}
