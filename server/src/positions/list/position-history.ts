/** The history of a position: its events, with the prices that they had then. */
import type { HistoryEntry } from '@tradepost/contract/position-history'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'
import { type AdjustmentRow, findWithAdjustments, type PositionNow } from './position-history.queries.ts'

/** An entry, and when it was published. */
type DatedEntry = { at: Date; entry: HistoryEntry | null }

/**
 * The caller decides who may see it.
 * @returns `active`: whether it is open; null where the trader has no such position
 */
export async function readHistory(
  db: Queryable,
  key: PositionKey,
): Promise<{ active: boolean; history: HistoryEntry[] } | null> {
  const found = await findWithAdjustments(db, key)
  if (!found) return null
  const { adjustments, position } = found
  const events = [
    openingOf(position, adjustments),
    ...closeOf(position, adjustments),
    ...settlementOf(position, adjustments),
    ...adjustments.map((adjustment) => ({ at: adjustment.adjustedAt, entry: presentAdjustment(adjustment) })),
  ]
  const history = events.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  return {
    active: position.closedAt === null,
    history: history.flatMap(({ entry }) => entry ?? []),
  }
}

/** The open price is that of before whatever changed it first. */
function openingOf({ openPrice, openedAt }: PositionNow, [first]: AdjustmentRow[]): DatedEntry {
  const price = Number(first?.openPriceBefore ?? openPrice)
  return { at: openedAt, entry: { kind: 'opened', at: openedAt.toISOString(), price } }
}

function closeOf(position: PositionNow, adjustments: AdjustmentRow[]): DatedEntry[] {
  const { closedAt, closedByOperator, quotedAt, settledBy, unsettled } = position
  if (closedAt === null) return []
  const price = closePriceAt(position, adjustments, closedAt)
  const wasUnsettled = unsettled || settledBy !== null
  return [
    {
      at: closedAt,
      entry: {
        kind: 'closed',
        at: closedAt.toISOString(),
        by: closedByOperator ? 'operator' : 'trader',
        ...(price !== null && { price: Number(price) }),
        ...(wasUnsettled && { settled: false, ...(quotedAt && { tradedAt: quotedAt.toISOString() }) }),
      },
    },
  ]
}

function settlementOf(position: PositionNow, adjustments: AdjustmentRow[]): DatedEntry[] {
  const { settledAt, settledBy } = position
  const at = settlementOrder(position)
  if (settledAt === null || settledBy === null || at === null) return []
  const price = Number(closePriceAt(position, adjustments, at))
  return [{ at, entry: { kind: 'settled', at: settledAt.toISOString(), price, by: settledBy } }]
}

/** The columns from which the closing price of an earlier instant follows. */
type Settlement = Pick<PositionNow, 'closePrice' | 'settledAt' | 'settlementNotifiedAt'>

/** A trade is found up to a minute after it, and what was set right meanwhile comes first. */
export function settlementOrder({
  settledAt,
  settlementNotifiedAt,
}: Pick<Settlement, 'settledAt' | 'settlementNotifiedAt'>): Date | null {
  return settlementNotifiedAt ?? settledAt
}

/**
 * The closing price from an instant on, at which it was given: that of before the next correction, or of now.
 * @returns null where a settlement has overwritten it
 */
export function closePriceAt(
  position: Settlement,
  adjustments: readonly Pick<AdjustmentRow, 'adjustedAt' | 'corrected' | 'priceBefore'>[],
  at: Date,
): string | null {
  const settled = settlementOrder(position)
  const isOverwritten = settled !== null && settled > at
  const next = adjustments.find(({ adjustedAt, corrected }) => corrected === 'close' && adjustedAt >= at)
  if (next && !(isOverwritten && next.adjustedAt > settled)) return next.priceBefore
  return isOverwritten ? null : position.closePrice
}

/** @returns null for a delisting, which is a close or a settlement by the operator */
function presentAdjustment(adjustment: AdjustmentRow): HistoryEntry | null {
  const at = adjustment.adjustedAt.toISOString()
  switch (adjustment.reason) {
    case 'delisting':
      return null
    case 'split':
      return { kind: 'split', at, ...splitOf(adjustment) }
    case 'price':
      return { kind: 'corrected', at, ...correctionOf(adjustment) }
    case 'renamed': {
      const { symbolAfter, symbolBefore } = adjustment
      return { kind: 'renamed', at, symbolBefore: symbolBefore ?? '', symbolAfter: symbolAfter ?? '' }
    }
    case 'struck':
      return { kind: 'struck', at, reason: adjustment.explained ?? '' }
  }
}

function splitOf({ newShares, oldShares, openPriceAfter, openPriceBefore }: AdjustmentRow) {
  const prices = { priceBefore: Number(openPriceBefore), price: Number(openPriceAfter) }
  return newShares === null || oldShares === null ? prices : { newShares, oldShares, ...prices }
}

function correctionOf({ corrected, explained, priceAfter, priceBefore }: AdjustmentRow) {
  const prices = { priceBefore: Number(priceBefore), price: Number(priceAfter) }
  return { end: corrected ?? 'open', ...prices, reason: explained ?? '' }
}
