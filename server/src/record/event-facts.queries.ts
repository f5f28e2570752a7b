import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import type { EventKey, PositionEvent } from '../events/events.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'

/** A change of a position, as far as its entry in the record needs it. Prices are decimal texts, US dollars. */
export type Change = {
  traderId: string
  positionId: string
  eventNo: number | null
  reason: 'split' | 'delisting' | 'price' | 'renamed' | 'struck'
  adjustedAt: Date
  /** As `2026-11-18`. */
  day: string
  openPriceBefore: string
  newShares: number | null
  oldShares: number | null
  corrected: 'open' | 'close' | null
  priceBefore: string | null
  priceAfter: string | null
  explained: string | null
  symbolBefore: string | null
  symbolAfter: string | null
}

/** An event with its position as it is now. */
export type EventRow = PositionEvent & {
  symbol: string
  holdLength: HoldLength
  openPrice: string
  openNotes: string
  openPreviewId: string
  closePrice: string | null
  closeNotes: string | null
  closedAt: Date | null
  closedByOperator: boolean
  overrideUsed: boolean
  quotedAt: Date | null
  settledAt: Date | null
  settledBy: 'trade' | 'last_price' | 'operator' | null
  settlementNotifiedAt: Date | null
  /** Whether its opening was ever published: positions of before there were events have none. */
  hasOpening: boolean
  isChanged: boolean
}

/** Events, and every change of their positions, the oldest first. Both are with the trader (ADR 0069). */
export async function findEventRows(
  db: Queryable,
  keys: readonly EventKey[],
): Promise<{ events: EventRow[]; changes: Change[] }> {
  const traderIds = [...new Set(keys.map(({ traderId }) => traderId))]
  const { rows: events } = await sql<EventRow>`
    select event.trader_id as "traderId", event.event_no as "eventNo", event.position_id as "positionId", event.kind,
      event.created_at as "createdAt", event.request_id as "requestId", position.symbol, position.hold_length as "holdLength",
      position.open_price as "openPrice", position.open_notes as "openNotes", position.open_preview_id as "openPreviewId",
      position.close_price as "closePrice", position.close_notes as "closeNotes", position.closed_at as "closedAt",
      position.closed_by_operator as "closedByOperator", position.override_used as "overrideUsed",
      position.close_quoted_at as "quotedAt", position.settled_at as "settledAt", position.settled_by as "settledBy",
      case when position.settled_at is not null then (select max(created_at) from position_events settlement
        where settlement.trader_id = event.trader_id and settlement.position_id = event.position_id
          and settlement.kind = 'settled') end as "settlementNotifiedAt",
      exists (select from position_events opening where opening.trader_id = event.trader_id
        and opening.position_id = event.position_id and opening.kind = 'opened') as "hasOpening",
      exists (select from position_adjustments change where change.trader_id = event.trader_id
        and change.position_id = event.position_id) as "isChanged"
    from unnest(${keys.map(({ traderId }) => traderId)}::uuid[], ${keys.map(({ eventNo }) => eventNo)}::bigint[])
        asked (trader_id, event_no)
      join position_events event on event.trader_id = asked.trader_id and event.event_no = asked.event_no
      join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    where event.trader_id = any(${traderIds}::uuid[])`.execute(db)
  const positionIds = [
    ...new Set(events.filter(({ isChanged }) => isChanged).map(({ positionId }) => positionId)),
  ]
  if (positionIds.length === 0) return { events, changes: [] }
  const changes = await db
    .selectFrom('position_adjustments')
    .select([
      'trader_id as traderId',
      'position_id as positionId',
      'event_no as eventNo',
      'reason',
      'adjusted_at as adjustedAt',
      sql<string>`effective_on::text`.as('day'),
      'open_price_before as openPriceBefore',
      'new_shares as newShares',
      'old_shares as oldShares',
      'corrected',
      'price_before as priceBefore',
      'price_after as priceAfter',
      'explained',
      'symbol_before as symbolBefore',
      'symbol_after as symbolAfter',
    ])
    .where('trader_id', '=', sql<string>`any(${traderIds}::uuid[])`)
    .where('position_id', '=', sql<string>`any(${positionIds}::uuid[])`)
    .orderBy('adjusted_at')
    .orderBy('event_no')
    .$narrowType<Pick<Change, 'reason' | 'corrected'>>()
    .execute()
  return { events, changes }
}
