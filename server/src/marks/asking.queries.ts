import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** A clock that was set back by more does not keep anybody from asking. */
const LONGEST_WAIT = "interval '2 minutes'"
/** A round takes at least this long; a symbol whose tries have failed in a row is left out for longer ones. */
const ROUND_SECONDS = 30
const PAUSE_MAX_SECONDS = 300
const FIRST_TURN = '00000000-0000-0000-0000-000000000000'

/**
 * A question to the provider: a symbol and, when its close is due, the day of that session, as `2026-11-18`.
 * @property forOpenedBefore people who see a position opened before this are shown the price that is found; null for nobody
 */
export type Due = { symbol: string; closeOf: string | null; forOpenedBefore: Date | null }

/**
 * In SQL, whether a process may find something to ask.
 * @param at in SQL, when
 * @param mayTrade whether the exchange may be trading then
 */
export function isAskingDue(at: string, mayTrade: boolean): string {
  const someoneHasATurn = 'exists (select from symbol_marks where turn is not null)'
  const isRoundOver = `(round_at is null or round_at > ${at} or round_at <= ${at} - interval '${ROUND_SECONDS} s')`
  const isOneWanted = mayTrade ? 'true' : 'exists (select from symbol_marks where close_due is not null)'
  return `exists (select from mark_pace where (next_ask_at <= ${at} or next_ask_at > ${at} + ${LONGEST_WAIT})
    and (${someoneHasATurn} or ${isRoundOver} and ${isOneWanted}))`
}

/**
 * Takes the one turn of all processes. In a transaction: it is the others' turn when that ends.
 * @returns failures of the provider in a row, or null when it is nobody's turn yet or another process has it
 */
export async function lockTurn(tx: Queryable, now: Date): Promise<number | null> {
  const { rows } = await sql<{ failures: number }>`select failures from mark_pace
    where next_ask_at <= ${now} or next_ask_at > ${now}::timestamptz + ${sql.raw(LONGEST_WAIT)}
    for update skip locked`.execute(tx)
  return rows[0]?.failures ?? null
}

/** The next symbol of the round that runs; noted as asked. Null when each has had its turn. */
export async function takeNext(tx: Queryable, now: Date): Promise<Due | null> {
  const { rows } = await sql<Due>`update symbol_marks set turn = null, asked_at = ${now}
    where symbol = (select symbol from symbol_marks where turn is not null order by turn limit 1)
    returning symbol, close_due::text as "closeOf", (select round_before_at from mark_pace) as "forOpenedBefore"`.execute(
    tx,
  )
  return rows[0] ?? null
}

/**
 * Begins a round, half a minute after the one before it at the earliest: gives a random place to every symbol that is held while it may be
 * traded, and to those whose close is due, but for those whose pause after failures has not ended. A predictable place would reveal, from
 * the gaps between one's own symbols, which other ones are held.
 * @param mayTrade whether the exchange may be trading now
 * @returns whether it began
 */
export async function beginRound(tx: Queryable, now: Date, mayTrade: boolean): Promise<boolean> {
  const { rows } = await sql`update mark_pace set round_before_at = round_at, round_at = ${now}
    where round_at is null or round_at > ${now} or round_at <= ${now}::timestamptz - make_interval(secs => ${ROUND_SECONDS})
    returning 1`.execute(tx)
  if (rows.length === 0) return false
  const pause = sql`make_interval(secs => least(${ROUND_SECONDS} * power(2, least(mark.failures, 10)), ${PAUSE_MAX_SECONDS}))`
  const mayAsk = sql`(mark.failures = 0 or mark.asked_at is null or mark.asked_at > ${now}
    or mark.asked_at <= ${now}::timestamptz - ${pause})`
  if (mayTrade)
    await sql`insert into symbol_marks as mark (symbol, turn)
      select symbol, gen_random_uuid() from (
        select distinct symbol from positions where closed_at is null and ticker_lost_on is null
      ) held order by symbol
      on conflict (symbol) do update set turn = excluded.turn where ${mayAsk}`.execute(tx)
  await sql`update symbol_marks mark set turn = gen_random_uuid()
    where mark.close_due is not null and mark.turn is null and ${mayAsk}`.execute(tx)
  return true
}

/** It was not asked about after all: it is the next one. */
export async function putBack(db: Queryable, symbol: string): Promise<void> {
  await db.updateTable('symbol_marks').set({ turn: FIRST_TURN }).where('symbol', '=', symbol).execute()
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
 * @param fault.ofProvider the pauses of all processes grow too; else the provider is well, and these pauses end
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
  { forOpenedBefore, symbol }: Due,
  quote: { price: string; at: Date },
  now: Date,
): Promise<void> {
  const found = {
    price: quote.price,
    quoted_at: quote.at,
    answered_at: now,
    for_opened_before: forOpenedBefore,
  }
  // A provider goes on telling the last trade of a share that is not listed any more.
  const stillGone = sql<Date | null>`case when gone_at >= ${quote.at}::timestamptz
    and exists (select from symbols listed where listed.symbol = ${symbol} and listed.delisted_at is not null) then gone_at end`
  await db
    .updateTable('symbol_marks')
    .set({ ...found, gone_at: stillGone, empty_days: 0, empty_on: null, failures: 0 })
    .where('symbol', '=', symbol)
    .execute()
}

/**
 * Keeps a quote for when it may be shown, and drops those that are shown no more: of before the last one that is `needed`. Call it before
 * `storeQuote`: the mark that this replaces is kept as well, since nothing else may be known of before the switch. May run twice.
 */
export async function keepLate(
  db: Queryable,
  { forOpenedBefore, symbol }: Due,
  quote: { price: string; at: Date },
  { needed, now }: { now: Date; needed: Date },
): Promise<void> {
  await sql`with dropped as (
      delete from late_prices where symbol = ${symbol} and answered_at < (
        select max(answered_at) from late_prices where symbol = ${symbol} and answered_at <= ${needed})
    ) insert into late_prices (symbol, answered_at, price, quoted_at, for_opened_before)
      values (${symbol}, ${now}::timestamptz, ${quote.price}::numeric, ${quote.at}::timestamptz, ${forOpenedBefore}::timestamptz)
      union all select symbol, answered_at, price, quoted_at, for_opened_before from symbol_marks
        where symbol = ${symbol} and price is not null and answered_at < ${now}::timestamptz
      on conflict do nothing`.execute(db)
}

/** Session days without another answer after which a share is no longer traded. */
const GONE_AFTER_DAYS = 3

/**
 * Notes that the provider does not know a symbol: the last price stays, and it is asked ever more rarely. A symbol that a list has ended
 * stays ended.
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
