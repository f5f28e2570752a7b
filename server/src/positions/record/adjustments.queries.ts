import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import { endedAt } from './ended-at.ts'

export type PositionKey = { traderId: string; id: string }

/** All traders' positions in a symbol that had not ended at an instant, also those that have since. */
export async function listOpenAt(
  db: Queryable,
  at: { symbol: string; instant: Date },
): Promise<PositionKey[]> {
  return db
    .selectFrom('positions')
    .select(['trader_id as traderId', 'id'])
    .where('symbol', '=', at.symbol)
    .where('opened_at', '<', at.instant)
    .where((eb) => eb.or([eb(endedAt('positions'), 'is', null), eb(endedAt('positions'), '>=', at.instant)]))
    .orderBy('opened_at')
    .execute()
}

/** Traders with an active position in a symbol. */
export async function listHolders(db: Queryable, symbol: string): Promise<string[]> {
  const rows = await db
    .selectFrom('positions')
    .select('trader_id')
    .where('symbol', '=', symbol)
    .where('closed_at', 'is', null)
    .orderBy('opened_at')
    .execute()
  return rows.map((row) => row.trader_id)
}

/** Unsettled closes in a symbol. */
export async function listUnsettledIn(db: Queryable, symbol: string): Promise<PositionKey[]> {
  return db
    .selectFrom('positions')
    .select(['trader_id as traderId', 'id'])
    .where('symbol', '=', symbol)
    .where('unsettled', '=', true)
    .orderBy('closed_at')
    .execute()
}

export type SplitPosition = {
  /** Decimal text, US dollars, of one of the old shares. */
  openPrice: string
  /** The same of one of the new shares. */
  adjustedPrice: string
  /** Null while it is active. */
  closePrice: string | null
  /** The same of one of the new shares. */
  adjustedClose: string | null
  percentageGain: string | null
  unsettled: boolean
  struckAt: Date | null
}

/** A position with its price in new shares, locked as a close locks it. @param ratio new shares for old ones */
export async function lockForSplit(
  tx: Queryable,
  key: PositionKey,
  ratio: { newShares: number; oldShares: number },
): Promise<SplitPosition> {
  return tx
    .selectFrom('positions')
    .select([
      'open_price as openPrice',
      sql<string>`round(open_price * ${ratio.oldShares}::numeric / ${ratio.newShares}::numeric, 6)`.as(
        'adjustedPrice',
      ),
      'close_price as closePrice',
      sql<
        string | null
      >`round(close_price * ${ratio.oldShares}::numeric / ${ratio.newShares}::numeric, 6)`.as(
        'adjustedClose',
      ),
      'percentage_gain as percentageGain',
      'unsettled',
      'struck_at as struckAt',
    ])
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** @returns false when it has been written before */
export async function insertAdjustment(
  tx: Queryable,
  key: PositionKey,
  adjustment: {
    reason: 'split' | 'delisting'
    /** As `2026-11-18`. */
    effectiveOn: string
    openPriceBefore: string
    openPriceAfter: string
  },
  now: Date,
): Promise<boolean> {
  const row = await tx
    .insertInto('position_adjustments')
    .values({
      trader_id: key.traderId,
      position_id: key.id,
      reason: adjustment.reason,
      effective_on: adjustment.effectiveOn,
      open_price_before: adjustment.openPriceBefore,
      open_price_after: adjustment.openPriceAfter,
      adjusted_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('position_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Notes a split of a symbol, for everything that counts its earlier prices. Entered again, as after a run that was cut off, it stays as it
 * is, but rows that were counted since the first time are counted again.
 * @returns whether it was entered for the first time
 */
export async function insertSplit(
  db: Queryable,
  split: { symbol: string; day: string; newShares: number; oldShares: number },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`insert into symbol_splits (symbol, day, shares, said_at)
    values (${split.symbol}, ${split.day}::date, ${split.newShares}::numeric / ${split.oldShares}::numeric, ${now})
    on conflict do nothing returning day`.execute(db)
  if (rows.length > 0) return true
  await sql`update symbol_splits set said_at = ${now} where symbol = ${split.symbol} and day = ${split.day}::date`.execute(
    db,
  )
  return false
}

/** Notes which event publishes a split. @param split new shares for old ones */
export async function linkSplit(
  tx: Queryable,
  key: PositionKey,
  split: { day: string; eventNo: number; newShares: number; oldShares: number },
): Promise<void> {
  await tx
    .updateTable('position_adjustments')
    .set({ event_no: split.eventNo, new_shares: split.newShares, old_shares: split.oldShares })
    .where('trader_id', '=', key.traderId)
    .where('position_id', '=', key.id)
    .where('reason', '=', 'split')
    .where('effective_on', '=', sql<Date>`${split.day}::date`)
    .execute()
}

export async function updatePrices(
  tx: Queryable,
  key: PositionKey,
  prices: { openPrice: string; closePrice: string | null; percentageGain: string | null },
): Promise<void> {
  await tx
    .updateTable('positions')
    .set({
      open_price: prices.openPrice,
      close_price: prices.closePrice,
      percentage_gain: prices.percentageGain,
    })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}
