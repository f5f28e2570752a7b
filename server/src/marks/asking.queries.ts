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

export async function endTurn(tx: Queryable, nextAskAt: Date): Promise<void> {
  await tx.updateTable('mark_pace').set({ next_ask_at: nextAskAt }).execute()
}

/** Notes that the provider answered. */
export async function clearFailures(db: Queryable): Promise<void> {
  await db.updateTable('mark_pace').set({ failures: 0 }).where('failures', '>', 0).execute()
}

/** Notes that it did not: the pauses of all processes grow, and those of the symbol. */
export async function noteFailure(db: Queryable, symbol: string): Promise<void> {
  await sql`with symbol as (
      update symbol_marks set failures = failures + 1 where symbol = ${symbol}
    ) update mark_pace set failures = failures + 1`.execute(db)
}

/** @param quote null for a symbol that the provider does not know: the last price stays, and it is asked ever more rarely */
export async function storeAnswer(
  db: Queryable,
  symbol: string,
  quote: { price: string; at: Date } | null,
  now: Date,
): Promise<void> {
  const found = quote && { price: quote.price, quoted_at: quote.at, gone_at: null, failures: 0 }
  await db
    .updateTable('symbol_marks')
    .set((eb) => ({
      answered_at: now,
      ...(found ?? { gone_at: eb.fn.coalesce('gone_at', eb.val(now)), failures: eb('failures', '+', 1) }),
    }))
    .where('symbol', '=', symbol)
    .execute()
}
