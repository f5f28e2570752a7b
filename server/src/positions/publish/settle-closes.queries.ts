import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type UnsettledClose = {
  traderId: string
  id: string
  symbol: string
  /** Decimal text, US dollars: the last price. */
  closePrice: string
  closedAt: Date
  askedAt: Date | null
  /** The ticker is another company's: its trades settle nothing. */
  tickerLost: boolean
}

/** Unsettled closes that nobody has asked for lately, in an order that nobody chooses. */
export async function listUnsettled(
  db: Queryable,
  due: { askedBefore: Date; limit: number },
): Promise<UnsettledClose[]> {
  const { rows } = await sql<UnsettledClose>`
    select trader_id as "traderId", id, symbol, close_price as "closePrice", closed_at as "closedAt", settle_asked_at as "askedAt",
      ticker_lost_on is not null as "tickerLost"
    from positions where unsettled and (settle_asked_at is null or settle_asked_at <= ${due.askedBefore})
    order by md5(id::text) limit ${due.limit}`.execute(db)
  return rows
}

/** @returns false when another worker has, or it is settled */
export async function claimUnsettled(tx: Queryable, close: UnsettledClose, now: Date): Promise<boolean> {
  const row = await tx
    .updateTable('positions')
    .set({ settle_asked_at: now })
    .where('trader_id', '=', close.traderId)
    .where('id', '=', close.id)
    .where('unsettled', '=', true)
    .where('settle_asked_at', 'is not distinct from', close.askedAt)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** An unsettled close, locked: of two that settle it, the second finds none. */
export async function lockUnsettled(
  tx: Queryable,
  key: { traderId: string; id: string },
): Promise<{
  openPrice: string
  closePrice: string
  openedAt: Date
  closedAt: Date
  holdLength: HoldLength
  struckAt: Date | null
} | null> {
  const row = await tx
    .selectFrom('positions')
    .select([
      'open_price as openPrice',
      'close_price as closePrice',
      'opened_at as openedAt',
      'closed_at as closedAt',
      'hold_length as holdLength',
      'struck_at as struckAt',
    ])
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('unsettled', '=', true)
    .forUpdate()
    .$narrowType<{ closedAt: Date; closePrice: string }>()
    .executeTakeFirst()
  return row ?? null
}

export async function updateSettled(
  tx: Queryable,
  key: { traderId: string; id: string },
  settled: { price: string; at: Date; by: string; percentageGain: string },
): Promise<void> {
  await tx
    .updateTable('positions')
    .set({
      unsettled: false,
      close_price: settled.price,
      percentage_gain: settled.percentageGain,
      settled_at: settled.at,
      settled_by: settled.by,
    })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}
