import { MARK_FRESH_MS, type Mark, type MarkState, shownInstant } from '@tradepost/contract/marks'
import type { Queryable } from '../platform/database/queryable.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { chooseShown, type FindPositions } from '../positions/list/list-positions.ts'
import { findMarks, type MarkRow } from './marks.queries.ts'

/** A symbol of somebody's list of positions, and when these positions were opened first and last, in ms since 1970. */
type ListedSymbol = {
  symbol: string
  firstOpenedAt: number
  lastOpenedAt: number
  /** Of the last one, decimal text, US dollars. */
  lastOpenPrice: string
  /** The ticker is another company's than that of a position. */
  lost: boolean
}

/**
 * The last known prices of the symbols of the caller's list of positions. No call to the provider waits for it or is made by it, and it
 * writes nothing: the lookups depend on nobody's reads (ADR 0047 and 0087). The list is the one that is kept (ADR 0070).
 */
export async function readMarks(
  { db, findPositions }: { db: Queryable; findPositions: FindPositions },
  caller: Caller,
  now: Date,
): Promise<ReadyAnswer> {
  const listed = listSymbols(chooseShown(await findPositions(caller.userId)))
  const rows: Awaited<ReturnType<typeof findMarks>> =
    listed.length === 0
      ? new Map()
      : await findMarks(
          db,
          listed.map(({ symbol }) => symbol),
        )
  const marks = listed.map((of) => markOf(of, rows.get(of.symbol), now))
  return new ReadyAnswer(JSON.stringify({ marks }))
}

/** By symbol. @param positions newest first */
function listSymbols(positions: ReturnType<typeof chooseShown>): ListedSymbol[] {
  const listed = new Map<string, ListedSymbol>()
  for (const { lost, openPrice, openedAt, symbol } of positions) {
    const known = listed.get(symbol)
    if (known) {
      known.firstOpenedAt = openedAt
      known.lost ||= lost
    } else {
      listed.set(symbol, {
        symbol,
        firstOpenedAt: openedAt,
        lastOpenedAt: openedAt,
        lastOpenPrice: openPrice,
        lost,
      })
    }
  }
  return [...listed.values()].sort((one, other) => (one.symbol < other.symbol ? -1 : 1))
}

function markOf(of: ListedSymbol, row: MarkRow | undefined, now: Date): Mark {
  const { symbol } = of
  // Another company's price is no price of the position.
  if (of.lost) return { symbol, price: null, at: null, state: 'waiting', unpriced: true }
  const mark = row && isShownTo(row, of.firstOpenedAt) ? row : null
  const opening = { price: of.lastOpenPrice, quotedAt: of.lastOpenedAt, answeredAt: of.lastOpenedAt }
  // An opening is a price of its moment, and often the newest.
  if (!mark?.price || !mark.answeredAt || (!mark.gone && mark.answeredAt < of.lastOpenedAt))
    return presentMark(
      { symbol, gone: mark?.gone ?? false, unpriced: mark?.unpriced ?? false, ...opening },
      now,
    )
  return presentMark(mark, now)
}

/**
 * Whether a mark is shown to somebody who sees a position in its symbol that was opened at an instant: only when a whole round has gone by
 * since. An earlier one that was there already, or came sooner than a round allows, would reveal that somebody else holds the symbol.
 */
export function isShownTo(
  { forOpenedBefore }: Pick<MarkRow, 'forOpenedBefore'>,
  firstOpenedAt: number,
): boolean {
  return forOpenedBefore !== null && firstOpenedAt < forOpenedBefore
}

export function presentMark(row: Omit<MarkRow, 'forOpenedBefore'>, now: Date): Mark {
  return {
    symbol: row.symbol,
    price: row.price,
    at: row.quotedAt === null ? null : shownInstant(new Date(row.quotedAt)).toISOString(),
    state: stateOf(row, now),
    ...(row.unpriced && { unpriced: true as const }),
  }
}

function stateOf(row: Pick<MarkRow, 'answeredAt' | 'gone' | 'price'>, now: Date): MarkState {
  if (row.gone) return 'gone'
  if (!row.price || !row.answeredAt) return 'waiting'
  return now.getTime() - row.answeredAt <= MARK_FRESH_MS ? 'current' : 'aged'
}
