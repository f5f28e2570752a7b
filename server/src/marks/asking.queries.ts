import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

/** A clock that was set back by more does not keep anybody from asking. */
const LONGEST_WAIT = sql`interval '2 minutes'`
/** A symbol is asked again after this long, with longer pauses the more tries in a row have failed. */
const AGAIN_SECONDS = 30
const AGAIN_MAX_SECONDS = 300

/** What is to be asked: a symbol and, when its close is due, the day of that session, as `2026-11-18`. */
export type Due = { symbol: string; closeOf: string | null }

/**
 * Takes the one turn of all processes. In a transaction: it is the others' turn when that ends.
 * @returns failures of the provider in a row, or null when it is nobody's turn yet or another process has it
 */
export async function lockTurn(tx: Queryable, now: Date): Promise<number | null> {
  const { rows } = await sql<{ failures: number }>`select failures from mark_pace
    where next_ask_at <= ${now} or next_ask_at > ${now}::timestamptz + ${LONGEST_WAIT}
    for update skip locked`.execute(tx)
  return rows[0]?.failures ?? null
}

/** The symbol that has waited longest of those that somebody looks at or whose close is due; noted as asked. */
export async function takeOldest(tx: Queryable, now: Date): Promise<Due | null> {
  const pause = sql`make_interval(secs => least(${AGAIN_SECONDS} * power(2, least(failures, 10)), ${AGAIN_MAX_SECONDS}))`
  const { rows } = await sql<Due>`update symbol_marks set asked_at = ${now}
    where symbol = (
      select symbol from symbol_marks
      where (watched_until > ${now} or close_due is not null)
        and (asked_at is null or asked_at > ${now} or asked_at <= ${now}::timestamptz - ${pause})
      order by asked_at nulls first, symbol limit 1
    ) returning symbol, close_due::text as "closeOf"`.execute(tx)
  return rows[0] ?? null
}

/** It was not asked about after all: it is the next one. */
export async function putBack(db: Queryable, symbol: string): Promise<void> {
  await db.updateTable('symbol_marks').set({ asked_at: null }).where('symbol', '=', symbol).execute()
}

export async function endTurn(tx: Queryable, nextAskAt: Date): Promise<void> {
  await tx.updateTable('mark_pace').set({ next_ask_at: nextAskAt }).execute()
}

/** Notes that the provider answered. */
export async function clearFailures(db: Queryable): Promise<void> {
  await db.updateTable('mark_pace').set({ failures: 0 }).where('failures', '>', 0).execute()
}

/**
 * Notes that a symbol has no answer: its pauses grow.
 * @param fault.ofProvider those of all processes grow too; else the provider is well, and they end
 */
export async function noteFailure(
  db: Queryable,
  symbol: string,
  fault: { ofProvider: boolean },
): Promise<void> {
  await sql`with symbol as (
      update symbol_marks set failures = failures + 1 where symbol = ${symbol}
    ) update mark_pace set failures = case when ${fault.ofProvider} then failures + 1 else 0 end`.execute(db)
}

export async function storeQuote(
  db: Queryable,
  symbol: string,
  quote: { price: string; at: Date },
  now: Date,
): Promise<void> {
  const found = { price: quote.price, quoted_at: quote.at, answered_at: now }
  // A provider goes on telling the last trade of a share that is not listed any more.
  const stillGone = sql<Date | null>`case when gone_at >= ${quote.at}::timestamptz
    and exists (select from symbols listed where listed.symbol = ${symbol} and listed.delisted_at is not null) then gone_at end`
  await db
    .updateTable('symbol_marks')
    .set({ ...found, gone_at: stillGone, empty_days: 0, empty_on: null, failures: 0 })
    .where('symbol', '=', symbol)
    .execute()
}

/** Session days without another answer after which a share is no longer traded. */
const GONE_AFTER_DAYS = 3

/**
 * Notes that the provider does not know a symbol: the last price stays, and it is asked ever more rarely. What a list has ended stays so.
 * @param day of the session, as `2026-11-18`; null on a day without one
 * @returns on how many session days it was so by now, where this is the first answer of one; else null
 */
export async function storeEmpty(
  db: Queryable,
  { day, symbol }: { symbol: string; day: string | null },
  now: Date,
): Promise<number | null> {
  const isNew = sql`(${day}::date is not null and empty_on is distinct from ${day}::date)`
  const { rows } = await sql<{ days: number; isNew: boolean }>`
    with before as (select symbol, ${isNew} as is_new from symbol_marks where symbol = ${symbol} for update)
    update symbol_marks mark set failures = failures + 1,
      empty_days = empty_days + is_new::int,
      empty_on = coalesce(${day}::date, empty_on),
      gone_at = coalesce(gone_at, case when empty_days + is_new::int >= ${GONE_AFTER_DAYS} then ${now}::timestamptz end)
    from before where mark.symbol = before.symbol
    returning empty_days as days, is_new as "isNew"`.execute(db)
  return rows[0]?.isNew ? rows[0].days : null
}

/** Whether somebody holds a symbol. */
export async function isHeld(db: Queryable, symbol: string): Promise<boolean> {
  const { rows } = await sql`select from positions position where position.symbol = ${symbol}
    and (position.closed_at is null or position.unsettled) limit 1`.execute(db)
  return rows.length > 0
}
