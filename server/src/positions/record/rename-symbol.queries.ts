import { symbolSpellings } from '@tradepost/contract/symbol'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from './adjustments.queries.ts'

/** `day`: the first one, in UTC, on which the share trades as `to`, as `2026-11-18`. */
export type Renaming = { from: string; to: string; day: string }

/** A part of a statement: positions that still have the ticker of now. A position that is closed and settled keeps that of its time. */
const isUnended = sql<boolean>`(closed_at is null or unsettled)`

/** Positions that a renaming means, the oldest first. @param until the beginning of its day */
export async function listToRename(
  db: Queryable,
  { from, until }: { from: string; until: Date },
): Promise<(PositionKey & { openedAt: Date })[]> {
  return db
    .selectFrom('positions')
    .select(['trader_id as traderId', 'id', 'opened_at as openedAt'])
    .where('symbol', '=', sql<string>`any(${symbolSpellings(from)}::text[])`)
    .where('opened_at', '<', until)
    .where(isUnended)
    .orderBy('opened_at')
    .orderBy('id')
    .execute()
}

/**
 * Whether the trader of an active position holds a ticker in another one, in whichever spelling: the index knows one alone. The position
 * itself may have the ticker already, from a run beside this one.
 */
export async function holdsBeside(tx: Queryable, key: PositionKey, symbol: string): Promise<boolean> {
  const { rows } = await sql`select beside.id from positions beside
    where beside.trader_id = ${key.traderId} and beside.id <> ${key.id} and beside.symbol = any(${symbolSpellings(symbol)}::text[]) and beside.closed_at is null
      and exists (select from positions position
        where position.trader_id = ${key.traderId} and position.id = ${key.id} and position.closed_at is null)`.execute(
    tx,
  )
  return rows.length > 0
}

/**
 * @returns its open price, decimal text; null when it has ended meanwhile, or somebody else has renamed it
 * @throws a violation of `positions_one_active_a_symbol` where the trader holds the new ticker too
 */
export async function updateSymbol(
  tx: Queryable,
  key: PositionKey,
  { from, to }: Renaming,
): Promise<string | null> {
  const row = await tx
    .updateTable('positions')
    .set({ symbol: to, ticker_lost_on: null })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('symbol', '=', sql<string>`any(${symbolSpellings(from)}::text[])`)
    .where(isUnended)
    .returning('open_price as openPrice')
    .executeTakeFirst()
  return row?.openPrice ?? null
}

/** Notes that a position was renamed, and which event publishes it; that event's number distinguishes two on one day. */
export async function insertRenaming(
  tx: Queryable,
  key: PositionKey,
  { day, eventNo, from, openPrice, to }: Renaming & { eventNo: number; openPrice: string },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('position_adjustments')
    .values({
      trader_id: key.traderId,
      position_id: key.id,
      reason: 'renamed',
      effective_on: day,
      nth: eventNo,
      event_no: eventNo,
      symbol_before: from,
      symbol_after: to,
      open_price_before: openPrice,
      open_price_after: openPrice,
      adjusted_at: now,
    })
    .execute()
}

/**
 * Copies the closes of the days before the renaming, with the instant at which each became known. They are not new: the event of each
 * position has its days counted again.
 * @param since the first day that is needed
 * @returns whether there were any
 */
export async function copyCloses(
  tx: Queryable,
  { day, from, to }: Renaming,
  since: string,
): Promise<boolean> {
  const { rows } = await sql`insert into symbol_days (symbol, day, close, late, known_at, shares_of)
    select ${to}, day, close, late, known_at, shares_of from symbol_days
    where symbol = ${from} and day >= ${since}::date and day < ${day}::date
    on conflict do nothing returning day`.execute(tx)
  return rows.length > 0
}

/**
 * Copies the splits of after a day, those of after the renaming too: the prices of the positions are in their shares already.
 * @returns whether there were any
 */
export async function copySplits(tx: Queryable, { from, to }: Renaming, after: string): Promise<boolean> {
  const { rows } = await sql`insert into symbol_splits (symbol, day, shares, said_at)
    select ${to}, day, shares, said_at from symbol_splits where symbol = ${from} and day > ${after}::date
    on conflict do nothing returning day`.execute(tx)
  return rows.length > 0
}

/** Copies the last price, by which the next one is judged; one of the day or later is another company's. */
export async function copyMark(tx: Queryable, { day, from, to }: Renaming): Promise<void> {
  await sql`insert into symbol_marks (symbol, price, quoted_at, answered_at, asked_at, for_opened_before)
    select ${to}, price, quoted_at, answered_at, asked_at, for_opened_before from symbol_marks
    where symbol = ${from} and quoted_at < ${day}::date::timestamp at time zone 'UTC'
    on conflict (symbol) do update set price = excluded.price, quoted_at = excluded.quoted_at,
      for_opened_before = excluded.for_opened_before
    where symbol_marks.price is null`.execute(tx)
}

/**
 * Copies the company's name, as of the directory's next version: processes ask for what has changed since the one that they have.
 * @param tx holds the directory's lock
 * @returns whether there is a row of that version now
 */
export async function copyName(tx: Queryable, { from, to }: Renaming): Promise<boolean> {
  const { rows } = await sql`insert into symbols (symbol, name, version)
    select ${to}, name, directory.version + 1 from symbols, symbol_directory directory where symbol = ${from}
    on conflict do nothing returning symbol`.execute(tx)
  return rows.length > 0
}

/** Ends the unused price keys of a ticker, also for a request that waits for the market with one, and goes by the instant it came at. */
export async function endKeysOf(tx: Queryable, symbol: string, now: Date): Promise<void> {
  await tx
    .updateTable('price_previews')
    .set((eb) => ({ expires_at: eb.ref('created_at') }))
    .where('symbol', '=', symbol)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .execute()
}

/** Forgets what looked wrong of a ticker. */
export async function deleteSuspect(tx: Queryable, symbol: string): Promise<void> {
  await tx.deleteFrom('suspect_prices').where('symbol', '=', symbol).execute()
}
