import { lastSessionClose } from '@tradepost/contract/market-hours'
import { raiseDays } from '../platform/cache/read-versions.queries.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import type { DailyClose } from '../quotes/provider/provider.ts'
import { beginSession, endDue, insertCloses, markClosesDue } from './closes.queries.ts'

/** Closing auctions and slow feeds have this long until the last price of a session is asked. */
const SETTLING_MS = 10 * 60_000

/** The last session whose closes can be asked, as `2026-11-18`. */
export function lastClosedDay(now: Date): string {
  return dayOf(lastSessionClose(new Date(now.getTime() - SETTLING_MS)))
}

/**
 * After each session, notes that the closes of what people hold are due (ADR 0046). Once a session, in whichever process comes first; a
 * close of the session before that is still due is given up, since no quote contains it any more.
 */
export function sweepCloses(db: Queryable, indexSymbol: string, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const day = lastClosedDay(now)
    if (await beginSession(tx, day)) await markClosesDue(tx, day, indexSymbol)
  })
}

/**
 * Stores the close that is due from a quote: the price, when it is of that day. An older one means that nothing was traded
 * then, a newer one that the day was missed; neither makes a close.
 * @param quote of now; null for a symbol that the provider does not know
 */
export async function recordClose(
  db: Queryable,
  { symbol, day }: { symbol: string; day: string },
  quote: { price: string; at: Date } | null,
  now: Date,
): Promise<void> {
  if (quote && dayOf(quote.at) === day)
    await addCloses(
      db,
      symbol,
      [{ day, close: quote.price }],
      { late: dayOf(now) !== day, sharesOf: null },
      now,
    )
  await endDue(db, symbol, day)
}

/** As `insertCloses`, and ends what is kept of the nights that have computed one of these days. @returns how many were not known */
export function addCloses(
  db: Queryable,
  symbol: string,
  closes: DailyClose[],
  origin: { late: boolean; sharesOf: string | null },
  now: Date,
): Promise<number> {
  return withTransaction(db, async (tx) => {
    const added = await insertCloses(tx, symbol, closes, origin, now)
    // No night has computed a day that is not over.
    if (added.some((day) => day < dayOf(now))) await raiseDays(tx)
    return added.length
  })
}

/** The UTC day of an instant. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
