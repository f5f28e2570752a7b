import { symbolSpellings } from '@tradepost/contract/symbol'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'
import type { CorrectedEnd } from './correct-price.queries.ts'

/** A part of a statement: a ticker in any of its spellings. */
const anySpelling = (symbol: string) => sql<string>`any(${symbolSpellings(symbol)}::text[])`

/** A symbol, from one instant to another, both included. */
export type Span = { symbol: string; from: Date; to: Date }

/** `price`: decimal text in US dollars, which stands in place of all that the span had. `reason`: as people read it. */
export type Retraction = Span & { id: string; price: string; reason: string }

export async function findRetraction(db: Queryable, span: Span): Promise<Retraction | null> {
  const row = await db
    .selectFrom('price_retractions')
    .select(['id', 'symbol', 'from_at as from', 'to_at as to', 'price', 'reason'])
    .where('symbol', '=', span.symbol)
    .where('from_at', '=', span.from)
    .where('to_at', '=', span.to)
    .executeTakeFirst()
  return row ?? null
}

/** Stores a retraction; of a span that has one, that one stays. */
export async function insertRetraction(tx: Queryable, retraction: Retraction, now: Date): Promise<void> {
  const { from, id, price, reason, symbol, to } = retraction
  await tx
    .insertInto('price_retractions')
    .values({ id, symbol, from_at: from, to_at: to, price, reason, retracted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A part of a statement: the day of an instant, in UTC. */
const dayOf = (instant: Date) => sql<Date>`(${instant}::timestamptz at time zone 'UTC')::date`

/** Whether a split since the span was entered: shares of now are not those of the span. */
export async function isSplitSince(db: Queryable, { from, symbol }: Span): Promise<boolean> {
  const row = await db
    .selectFrom('symbol_splits')
    .select('day')
    .where('symbol', '=', anySpelling(symbol))
    .where('day', '>', dayOf(from))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The close of the first session on or after the span's last day that became known after the span, decimal text. The close of an earlier
 * day is from before the span, however late it became known.
 */
export async function findCloseAfter(db: Queryable, { symbol, to }: Span): Promise<string | null> {
  const row = await db
    .selectFrom('symbol_days')
    .select('close')
    .where('symbol', '=', anySpelling(symbol))
    .where('known_at', '>', to)
    .where('day', '>=', dayOf(to))
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
  return row?.close ?? null
}

/**
 * Drops what the span left beside positions: closes, the mark, prices that looked wrong or were found to be right, and keys that nobody has
 * used.
 * @returns whether there was a close
 */
export async function forgetWithin(tx: Queryable, { from, symbol, to }: Span, now: Date): Promise<boolean> {
  const isWithin = (instant: string) => sql<boolean>`${sql.ref(instant)} between ${from} and ${to}`
  const dropped = await tx
    .deleteFrom('symbol_days')
    .where('symbol', '=', anySpelling(symbol))
    .where(isWithin('known_at'))
    .returning('day')
    .execute()
  // Without `asked_at` it is asked for next.
  await tx
    .updateTable('symbol_marks')
    .set({ price: null, quoted_at: null, answered_at: null, asked_at: null })
    .where('symbol', '=', anySpelling(symbol))
    .where((eb) => eb.or([isWithin('quoted_at'), isWithin('answered_at')]))
    .execute()
  await tx
    .deleteFrom('late_prices')
    .where('symbol', '=', anySpelling(symbol))
    .where((eb) => eb.or([isWithin('quoted_at'), isWithin('answered_at')]))
    .execute()
  await tx
    .deleteFrom('suspect_prices')
    .where('symbol', '=', anySpelling(symbol))
    .where((eb) => eb.or([isWithin('since'), isWithin('accepted_at')]))
    .execute()
  await tx
    .updateTable('price_previews')
    .set((eb) => ({ expires_at: eb.ref('created_at') }))
    .where('symbol', '=', anySpelling(symbol))
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .where(isWithin('created_at'))
    .execute()
  return dropped.length > 0
}

/**
 * When the price of a close became known; null while it is open, and for a price that an operator named. The last price counts as known at
 * its trade. An account that is closed has its positions closed by the operator's hand, at a price of the market.
 */
const closePricedAt = sql<Date | null>`case
  when position.closed_by_operator and position.close_quoted_at is null or position.settled_by = 'operator' then null
  when position.settled_by = 'trade' then position.settled_at
  when position.unsettled or position.settled_by = 'last_price' then position.close_quoted_at
  else position.closed_at end`

/** Parts of a statement: whether an end of `position` has a price of the span still. One that was set right after it has none. */
function endsWithin({ from, to }: Span) {
  const isCorrected = (end: CorrectedEnd) => sql<boolean>`exists (
    select from position_adjustments earlier
    where earlier.trader_id = position.trader_id and earlier.position_id = position.id
      and earlier.corrected = ${end} and earlier.adjusted_at > ${to})`
  return {
    open: sql<boolean>`(position.opened_at between ${from} and ${to} and not ${isCorrected('open')})`,
    close: sql<boolean>`(coalesce(${closePricedAt} between ${from} and ${to}, false) and not ${isCorrected('close')})`,
  }
}

/** A page of the positions that have a price of the span, in the order of traders and positions. */
export async function listWithin(
  db: Queryable,
  span: Span,
  { after, limit }: { after: PositionKey; limit: number },
): Promise<PositionKey[]> {
  const { close, open } = endsWithin(span)
  const { rows } = await sql<PositionKey>`select position.trader_id as "traderId", position.id
    from positions position where position.symbol = ${anySpelling(span.symbol)}
      and (position.trader_id, position.id) > (${after.traderId}::uuid, ${after.id}::uuid) and (${open} or ${close})
    order by position.trader_id, position.id limit ${limit}`.execute(db)
  return rows
}

/** Which ends of a position have a price of the span, locked as a close locks it. */
export async function lockEndsWithin(
  tx: Queryable,
  key: PositionKey,
  span: Span,
): Promise<Record<CorrectedEnd, boolean>> {
  const { close, open } = endsWithin(span)
  const { rows } = await sql<Record<CorrectedEnd, boolean>>`select ${open} as open, ${close} as close
    from positions position where position.trader_id = ${key.traderId} and position.id = ${key.id}
    for update of position`.execute(tx)
  return rows[0] ?? { open: false, close: false }
}
