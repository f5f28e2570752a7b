import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import { MARK_FRESH_MS, type Mark, type MarkState, toldInstant } from '@tradepost/contract/marks'
import Big from 'big.js'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { ENTITLED_STATUSES } from '../subscriptions/may-subscribe.ts'
import { listTradersFollowed } from '../subscriptions/subscriptions.queries.ts'
import { findMarks, type ListedSymbol, listActiveSymbols, type MarkRow } from './marks.queries.ts'

/**
 * The last known prices of the symbols of the caller's list of positions. No call to the provider waits for it or is made by it, and it
 * writes nothing: what is looked up depends on nobody's looks (decisions 0047 and 0087).
 */
export async function readMarks(
  { db }: { db: Queryable },
  caller: Caller,
  now: Date,
): Promise<{ marks: Mark[] }> {
  const others = await listTradersFollowed(db, caller.userId, ENTITLED_STATUSES)
  const listed = await listActiveSymbols(db, {
    own: caller.userId,
    others,
    othersLimit: POSITIONS_MAX_COUNT,
  })
  if (listed.length === 0) return { marks: [] }
  const symbols = listed.map(({ symbol }) => symbol)
  const rows = new Map((await findMarks(db, symbols)).map((row) => [row.symbol, row]))
  return { marks: listed.map((of) => markOf(of, rows.get(of.symbol), now)) }
}

function markOf(of: ListedSymbol, row: MarkRow | undefined, now: Date): Mark {
  const { symbol } = of
  // Another company's price says nothing of the position.
  if (of.lost) return { symbol, price: null, at: null, state: 'waiting', unpriced: true }
  const mark = row && isShownTo(row, of.firstOpenedAt) ? row : null
  const opening = { price: of.lastOpenPrice, quotedAt: of.lastOpenedAt, answeredAt: of.lastOpenedAt }
  // An opening is a price of its moment, and often the newest.
  if (!mark?.price || !mark.answeredAt || (!mark.goneAt && mark.answeredAt < of.lastOpenedAt))
    return presentMark(
      { symbol, goneAt: mark?.goneAt ?? null, unpriced: mark?.unpriced ?? false, ...opening },
      now,
    )
  return presentMark(mark, now)
}

/**
 * Whether a mark is shown to somebody who sees a position in its symbol that was opened at an instant: only when a whole round has gone
 * by since. Earlier, one that was there already, or came sooner than a round allows, would say that somebody else holds the symbol.
 */
export function isShownTo(
  { forOpenedBefore }: Pick<MarkRow, 'forOpenedBefore'>,
  firstOpenedAt: Date,
): boolean {
  return forOpenedBefore !== null && firstOpenedAt < forOpenedBefore
}

export function presentMark(row: Omit<MarkRow, 'forOpenedBefore'>, now: Date): Mark {
  return {
    symbol: row.symbol,
    price: row.price === null ? null : new Big(row.price).toFixed(),
    at: row.quotedAt && toldInstant(row.quotedAt).toISOString(),
    state: stateOf(row, now),
    ...(row.unpriced && { unpriced: true as const }),
  }
}

function stateOf(row: Pick<MarkRow, 'answeredAt' | 'goneAt' | 'price'>, now: Date): MarkState {
  if (row.goneAt) return 'gone'
  if (!row.price || !row.answeredAt) return 'waiting'
  return now.getTime() - row.answeredAt.getTime() <= MARK_FRESH_MS ? 'current' : 'aged'
}
