import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import { MARK_FRESH_MS, type Mark, type MarkState } from '@tradepost/contract/marks'
import Big from 'big.js'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { ENTITLED_STATUSES } from '../subscriptions/may-subscribe.ts'
import { listTradersFollowed } from '../subscriptions/subscriptions.queries.ts'
import { findMarks, listActiveSymbols, type MarkRow, watchSymbols } from './marks.queries.ts'

/** A symbol is looked up for at least this long after somebody asked. */
const WATCHED_MS = 60_000
/** Noted for longer, so that of many readers few write. */
const NOTED_MS = 90_000

/**
 * What the symbols of the caller's list of positions cost now, and that somebody looks at them; no call to the provider waits
 * for it or is made by it (decision 0047).
 */
export async function readMarks(
  deps: { db: Queryable; log: Log },
  caller: Caller,
  now: Date,
): Promise<{ marks: Mark[] }> {
  const others = await listTradersFollowed(deps.db, caller.userId, ENTITLED_STATUSES)
  const held = await listActiveSymbols(deps.db, {
    own: caller.userId,
    others,
    othersLimit: POSITIONS_MAX_COUNT,
  })
  if (held.length === 0) return { marks: [] }
  const symbols = held.map(({ symbol }) => symbol)
  const rows = new Map((await findMarks(deps.db, symbols)).map((row) => [row.symbol, row]))
  const needed = now.getTime() + WATCHED_MS
  const unwatched = symbols.filter((symbol) => (rows.get(symbol)?.watchedUntil?.getTime() ?? 0) < needed)
  if (unwatched.length > 0) await noteWatched(deps, unwatched, now)
  return {
    marks: held.map(({ lost, symbol }): Mark => {
      if (!lost) return presentMark(symbol, rows.get(symbol), now)
      // Another company's price says nothing of the position.
      return { symbol, price: null, at: null, state: 'waiting', unpriced: true }
    }),
  }
}

/** Marks can be read where nothing can be written, as on a full disk. */
async function noteWatched(
  { db, log }: { db: Queryable; log: Log },
  symbols: string[],
  now: Date,
): Promise<void> {
  await watchSymbols(db, symbols, new Date(now.getTime() + NOTED_MS)).catch((error: unknown) =>
    log.warn({ reason: reasonOf(error) }, 'what people look at could not be noted'),
  )
}

/** @param row undefined of a symbol that was never asked about */
export function presentMark(symbol: string, row: MarkRow | undefined, now: Date): Mark {
  const price = row?.price ?? null
  return {
    symbol,
    price: price === null ? null : new Big(price).toFixed(),
    at: row?.quotedAt?.toISOString() ?? null,
    state: stateOf(row, now),
    ...(row?.unpriced && { unpriced: true as const }),
  }
}

function stateOf(row: MarkRow | undefined, now: Date): MarkState {
  if (row?.goneAt) return 'gone'
  if (!row?.price || !row.answeredAt) return 'waiting'
  return now.getTime() - row.answeredAt.getTime() <= MARK_FRESH_MS ? 'current' : 'aged'
}
