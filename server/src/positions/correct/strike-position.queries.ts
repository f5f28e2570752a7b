import type { HoldLength } from '@tradepost/contract/hold-length'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'

export type StrikablePosition = {
  /** Decimal text, US dollars. */
  openPrice: string
  openedAt: Date
  holdLength: HoldLength
  /** Both null while it is active; the gain is percent, exact decimal text. */
  closedAt: Date | null
  percentageGain: string | null
  unsettled: boolean
  struckAt: Date | null
}

/** A position, locked as a close locks it. */
export async function lockForStrike(tx: Queryable, key: PositionKey): Promise<StrikablePosition> {
  return tx
    .selectFrom('positions')
    .select([
      'open_price as openPrice',
      'opened_at as openedAt',
      'hold_length as holdLength',
      'closed_at as closedAt',
      'percentage_gain as percentageGain',
      'unsettled',
      'struck_at as struckAt',
    ])
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateStruck(
  tx: Queryable,
  key: PositionKey,
  reason: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('positions')
    .set({ struck_at: now, struck_reason: reason })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

/** Notes that an operator struck a position, and which event publishes it. */
export async function insertStrike(
  tx: Queryable,
  key: PositionKey,
  strike: { reason: string; eventNo: number; openPrice: string },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('position_adjustments')
    .values({
      trader_id: key.traderId,
      position_id: key.id,
      reason: 'struck',
      effective_on: now.toISOString().slice(0, 10),
      event_no: strike.eventNo,
      explained: strike.reason,
      open_price_before: strike.openPrice,
      open_price_after: strike.openPrice,
      adjusted_at: now,
    })
    .execute()
}
