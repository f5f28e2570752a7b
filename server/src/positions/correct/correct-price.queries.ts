import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'

export type CorrectedEnd = 'open' | 'close'

/** The trader of a position; null for no position. */
export async function findTraderOf(db: Queryable, id: string): Promise<string | null> {
  const row = await db.selectFrom('positions').select('trader_id').where('id', '=', id).executeTakeFirst()
  return row?.trader_id ?? null
}

/** The prices of a position, decimal texts in US dollars, and its gain in percent, locked as a close locks it. */
export async function lockPrices(
  tx: Queryable,
  key: PositionKey,
): Promise<{
  openPrice: string
  closePrice: string | null
  percentageGain: string | null
  unsettled: boolean
  struckAt: Date | null
}> {
  return tx
    .selectFrom('positions')
    .select([
      'open_price as openPrice',
      'close_price as closePrice',
      'percentage_gain as percentageGain',
      'unsettled',
      'struck_at as struckAt',
    ])
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Notes that an operator set a price right, and which event publishes it. */
export async function insertCorrection(
  tx: Queryable,
  key: PositionKey,
  correction: {
    end: CorrectedEnd
    before: string
    after: string
    reason: string
    eventNo: number
    /** Of the retraction that it is a part of; null for a correction of this price alone. */
    retractionId: string | null
    openPriceBefore: string
    openPriceAfter: string
  },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('position_adjustments')
    .values({
      trader_id: key.traderId,
      position_id: key.id,
      reason: 'price',
      effective_on: now.toISOString().slice(0, 10),
      nth: correction.eventNo,
      event_no: correction.eventNo,
      corrected: correction.end,
      price_before: correction.before,
      price_after: correction.after,
      explained: correction.reason,
      retraction_id: correction.retractionId,
      open_price_before: correction.openPriceBefore,
      open_price_after: correction.openPriceAfter,
      adjusted_at: now,
    })
    .execute()
}
