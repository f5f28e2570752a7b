import { MARK_FRESH_MS, type Mark, type MarkState, shownInstant } from '@tradepost/contract/marks'
import {
  type MarketPrice,
  marketPrice,
  type PriceRights,
  priceInstant,
  showPrice,
} from '@tradepost/contract/price-rights'
import type { Queryable } from '../platform/database/queryable.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import type { Settings } from '../platform/settings.ts'
import { chooseShown, type FindPositions } from '../positions/list/list-positions.ts'
import { findMarks, findMarksOf, type MarkRow } from './marks.queries.ts'

type Held = { id: string; openPrice: string }

/** A symbol of somebody's list of positions, and of these what its mark depends on. */
type ListedSymbol = {
  symbol: string
  /** Newest first. */
  positions: Held[]
  /** When those of them that count were opened first and last, in ms since 1970; null where none counts, since prices are late. */
  opened: { first: number; last: number; lastPrice: MarketPrice } | null
  /** The ticker is another company's than that of a position. */
  lost: boolean
}

export type MarksDeps = {
  db: Queryable
  findPositions: FindPositions
  settings: Pick<Settings, 'priceRights'>
}

/**
 * The last known prices of the symbols of the caller's list of positions, or what may be shown of them (rule G-130). No call to the provider
 * waits for it or is made by it, and it writes nothing: the lookups depend on nobody's reads (ADR 0047 and 0087). The list is the one that
 * is kept (ADR 0070).
 */
export async function readMarks(
  { db, findPositions, settings }: MarksDeps,
  caller: Caller,
  now: Date,
): Promise<ReadyAnswer> {
  const { priceRights: rights } = settings
  const until = priceInstant(rights, now)
  const positions = chooseShown(await findPositions(caller.userId))
  const listed = listSymbols(positions, until)
  const symbols = listed.map(({ symbol }) => symbol)
  const rows: ReadonlyMap<string, MarkRow> =
    symbols.length === 0
      ? new Map()
      : await (until ? findMarksOf(db, symbols, { until, now }) : findMarks(db, symbols, now))
  const marks = listed.map((of) => markOf(of, rows.get(of.symbol), { rights, now }))
  return new ReadyAnswer(JSON.stringify({ marks }))
}

/** By symbol. @param positions newest first. @param until positions that were opened later do not count; null for none */
function listSymbols(positions: ReturnType<typeof chooseShown>, until: Date | null): ListedSymbol[] {
  const listed = new Map<string, ListedSymbol>()
  for (const { id, lost, openPrice, openedAt, symbol } of positions) {
    const known = listed.get(symbol) ?? { symbol, positions: [], opened: null, lost: false }
    listed.set(symbol, known)
    known.positions.push({ id, openPrice })
    known.lost ||= lost
    if (until && openedAt > until.getTime()) continue
    if (known.opened) known.opened.first = openedAt
    else known.opened = { first: openedAt, last: openedAt, lastPrice: marketPrice(openPrice) }
  }
  return [...listed.values()].sort((one, other) => (one.symbol < other.symbol ? -1 : 1))
}

type Showing = { rights: PriceRights; now: Date }

function markOf(of: ListedSymbol, row: MarkRow | undefined, showing: Showing): Mark {
  const { opened, symbol } = of
  const nothing = { symbol, price: null, quotedAt: null, answeredAt: null }
  // Another company's price is no price of the position.
  if (of.lost) return presentMark({ ...nothing, gone: false, unpriced: true }, [], showing)
  const mark = row && opened && isShownTo(row, opened.first) ? row : null
  const state = { gone: mark?.gone ?? false, unpriced: mark?.unpriced ?? false }
  if (!opened) return presentMark({ ...nothing, ...state }, of.positions, showing)
  const opening = { symbol, price: opened.lastPrice, quotedAt: opened.last, answeredAt: opened.last }
  // An opening is a price of its moment, and often the newest.
  if (!mark?.price || !mark.answeredAt || (!mark.gone && mark.answeredAt < opened.last))
    return presentMark({ ...opening, ...state }, of.positions, showing)
  return presentMark(mark, of.positions, showing)
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

/** @param positions whose gains are told where prices are not */
export function presentMark(
  row: Omit<MarkRow, 'forOpenedBefore'>,
  positions: readonly Held[],
  { now, rights }: Showing,
): Mark {
  const { answeredAt, price, quotedAt } = row
  const found =
    price === null || answeredAt === null
      ? null
      : { price, foundAt: new Date(Math.max(answeredAt, quotedAt ?? 0)) }
  const shown = showPrice(rights, found, now)
  return {
    symbol: row.symbol,
    price: shown.price,
    at: quotedAt === null ? null : shownInstant(new Date(quotedAt)).toISOString(),
    state: stateOf(row, priceInstant(rights, now) ?? now),
    ...(row.unpriced && { unpriced: true as const }),
    ...(shown.rights && { rights: shown.rights }),
    ...(shown.rights === 'percent' && { gains: gainsOf(positions, shown) }),
  }
}

function gainsOf(positions: readonly Held[], { gainOver }: ReturnType<typeof showPrice>): Mark['gains'] {
  const gains = positions.map(({ id, openPrice }) => [id, gainOver(openPrice)] as const)
  return Object.fromEntries(gains.flatMap(([id, gain]) => (gain === null ? [] : [[id, Number(gain)]])))
}

function stateOf(row: Pick<MarkRow, 'answeredAt' | 'gone' | 'price'>, instant: Date): MarkState {
  if (row.gone) return 'gone'
  if (!row.price || !row.answeredAt) return 'waiting'
  return instant.getTime() - row.answeredAt <= MARK_FRESH_MS ? 'current' : 'aged'
}
