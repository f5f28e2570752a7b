import type { HoldLength } from '@tradepost/contract/hold-length'
import { publicTimes } from '@tradepost/contract/kept-plan'
import { normaliseSymbol, symbolSpellings } from '@tradepost/contract/symbol'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import { type ShownPosition, shownColumns } from './shown-position.ts'

export type NewPosition = {
  traderId: string
  id: string
  symbol: string
  holdLength: HoldLength
  /** Decimal text, US dollars. */
  openPrice: string
  openNotes: string
  openedAt: Date
  openPreviewId: string
}

/** @returns false when the trader has an active position in the symbol, in whichever spelling, also one that commits only now */
export async function insertPosition(tx: Queryable, position: NewPosition): Promise<boolean> {
  // The index knows one spelling alone.
  const hasOthers = symbolSpellings(position.symbol).length > 1
  if (hasOthers && (await lockActivePosition(tx, position))) return false
  const [row] = await insertPositionRow(tx, { ...position, ...publicTimes(position) })
  return row !== undefined
}

const insertPositionRow = compiledQuery((db, position: NewPosition & ReturnType<typeof publicTimes>) =>
  db
    .insertInto('positions')
    .values({
      trader_id: position.traderId,
      id: position.id,
      symbol: position.symbol,
      hold_length: position.holdLength,
      open_price: position.openPrice,
      open_notes: position.openNotes,
      opened_at: position.openedAt,
      open_preview_id: position.openPreviewId,
      public_at: position.publicAt,
      public_mail_due: position.mailDue,
    })
    .onConflict((conflict) =>
      conflict.columns(['trader_id', 'symbol']).where('closed_at', 'is', null).doNothing(),
    )
    .returning('id'),
)

/** The trader's own, and whose price it was opened at. */
export type HeldPosition = ShownPosition & { traderId: string; openPreviewId: string }

/**
 * The trader's active position in a symbol, locked: of two that close, the second finds none. A trader with one in each spelling, from
 * earlier releases, closes the one in the spelling of the request; else the one that is spelt as all are now.
 */
export async function lockActivePosition(
  tx: Queryable,
  { symbol, traderId }: { traderId: string; symbol: string },
): Promise<HeldPosition | null> {
  const spellings = [symbol, ...symbolSpellings(normaliseSymbol(symbol))]
  const rows = await selectActivePositions(tx, { traderId, spellings })
  const found = spellings.find((spelling) => rows.some((row) => row.symbol === spelling))
  const row = rows.find((row) => row.symbol === found)
  return row ? { ...row, traderId } : null
}

const selectActivePositions = compiledQuery(
  (_db, key: { traderId: string; spellings: string[] }) => sql<Omit<HeldPosition, 'traderId'>>`
    select ${shownColumns('positions')}, open_preview_id as "openPreviewId" from positions
    where trader_id = ${key.traderId} and symbol = any(${key.spellings}::text[]) and closed_at is null
    for update`,
)

export type Close = {
  closePrice: string
  closeNotes: string
  closedAt: Date
  /** The source of the price: the preview that the trader redeemed, or the operator (rule G-47). */
  closedBy: { previewId: string } | 'operator'
  /** Percent, exact decimal text. */
  percentageGain: string
  /** Closed on the day of the opening, because the market override is on. */
  overrideUsed: boolean
  /** Of the last trade before it; null for an operator's. */
  quotedAt: Date | null
  /** The price and the gain are those of the last trade, until the first one after the close is known (ADR 0076). */
  unsettled: boolean
}

/** @param closed.symbol as it is stored from now on */
export async function updateClosed(
  tx: Queryable,
  closed: { traderId: string; id: string; symbol: string },
  close: Close,
): Promise<void> {
  await tx
    .updateTable('positions')
    .set({
      symbol: closed.symbol,
      close_price: close.closePrice,
      close_notes: close.closeNotes,
      closed_at: close.closedAt,
      close_preview_id: close.closedBy === 'operator' ? null : close.closedBy.previewId,
      closed_by_operator: close.closedBy === 'operator',
      percentage_gain: close.percentageGain,
      override_used: close.overrideUsed,
      close_quoted_at: close.quotedAt,
      unsettled: close.unsettled,
    })
    .where('trader_id', '=', closed.traderId)
    .where('id', '=', closed.id)
    .execute()
}

/** Of whose prices positions were opened and closed. @param ids of positions @returns ids of previews */
export async function listPreviewsOf(
  db: Queryable,
  { ids, traderId }: { traderId: string; ids: string[] },
): Promise<string[]> {
  const rows = await db
    .selectFrom('positions')
    .select(['open_preview_id as opened', 'close_preview_id as closed'])
    .where('trader_id', '=', traderId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return rows.flatMap(({ closed, opened }) => (closed === null ? [opened] : [opened, closed]))
}

/** When a trader has opened positions since an instant, newest first. */
export async function listOpeningsSince(
  tx: Queryable,
  of: { traderId: string; since: Date },
): Promise<Date[]> {
  const rows = await selectOpenings(tx, of)
  return rows.map(({ openedAt }) => openedAt)
}

/** Nothing is closed before it is opened, so that an index answers each half. */
const selectOpenings = compiledQuery(
  (_db, { since, traderId }: { traderId: string; since: Date }) => sql<{ openedAt: Date }>`
    select opened_at as "openedAt" from positions
    where trader_id = ${traderId} and closed_at is null and opened_at > ${since}
    union all
    select opened_at from positions
    where trader_id = ${traderId} and closed_at > ${since} and opened_at > ${since}
    order by "openedAt" desc`,
)
