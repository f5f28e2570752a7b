import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'

/** A position as it is now. Prices are decimal texts, US dollars. */
export type PositionNow = {
  openPrice: string
  openedAt: Date
  closePrice: string | null
  closedAt: Date | null
  closedByOperator: boolean
  /** Of the last trade before the close; null for closes of before. */
  quotedAt: Date | null
  unsettled: boolean
  /** Null while it is unsettled, and for a close that was settled from the start. */
  settledAt: Date | null
  settledBy: 'trade' | 'last_price' | 'operator' | null
  /** When the settlement was published. */
  settlementNotifiedAt: Date | null
}

/** A change of the position by an operator. */
export type AdjustmentRow = {
  reason: 'split' | 'delisting' | 'price' | 'renamed' | 'struck'
  adjustedAt: Date
  openPriceBefore: string
  openPriceAfter: string
  newShares: number | null
  oldShares: number | null
  corrected: 'open' | 'close' | null
  priceBefore: string | null
  priceAfter: string | null
  explained: string | null
  symbolBefore: string | null
  symbolAfter: string | null
}

type Row = PositionNow & { [Column in keyof AdjustmentRow]: AdjustmentRow[Column] | null }

/** A position and what was changed in it, the oldest first, as of one instant; null where the trader has no such position. */
export async function findWithAdjustments(
  db: Queryable,
  key: PositionKey,
): Promise<{ position: PositionNow; adjustments: AdjustmentRow[] } | null> {
  const rows = await selectWithAdjustments(db, key)
  const [position] = rows
  return position ? { position, adjustments: rows.filter(isAdjusted) } : null
}

function isAdjusted(row: Row): row is Row & AdjustmentRow {
  return row.reason !== null
}

const selectWithAdjustments = compiledQuery(
  (_db, { id, traderId }: PositionKey) => sql<Row>`
    select position.open_price as "openPrice", position.opened_at as "openedAt", position.close_price as "closePrice",
      position.closed_at as "closedAt", position.closed_by_operator as "closedByOperator", position.close_quoted_at as "quotedAt",
      position.unsettled, position.settled_at as "settledAt", position.settled_by as "settledBy",
      (select max(created_at) from position_events
        where trader_id = ${traderId} and position_id = ${id} and kind = 'settled') as "settlementNotifiedAt",
      adjustment.reason, adjustment.adjusted_at as "adjustedAt", adjustment.open_price_before as "openPriceBefore",
      adjustment.open_price_after as "openPriceAfter", adjustment.new_shares as "newShares", adjustment.old_shares as "oldShares",
      adjustment.corrected, adjustment.price_before as "priceBefore", adjustment.price_after as "priceAfter", adjustment.explained,
      adjustment.symbol_before as "symbolBefore", adjustment.symbol_after as "symbolAfter"
    from positions position
    left join position_adjustments adjustment
      on adjustment.trader_id = position.trader_id and adjustment.position_id = position.id
    where position.trader_id = ${traderId} and position.id = ${id}
    order by adjustment.adjusted_at, adjustment.event_no`,
)
