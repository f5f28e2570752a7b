/** The columns of an event that Activity shows: parts of the statements that find them, on one node and on several. */
import { type RawBuilder, sql } from 'kysely'
import { type ShownPosition, shownColumns } from '../positions/record/shown-position.ts'

/** Where an event stands in Activity: the order is that of instants, then of traders, then of a trader's events. */
export type Place = {
  /** ISO 8601 UTC with microseconds. */
  at: string
  traderId: string
  eventNo: number
}

/** The instant of a place. */
export const placeAt = sql<string>`to_char(event.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The columns that are read of an event. */
export type EventRow = Place &
  ShownPosition & {
    kind: 'opened' | 'closed' | 'settled' | 'adjusted'
    createdAt: Date
    closedAt: Date | null
    /** Decimal texts, US dollars and percent. */
    closePrice: string | null
    percentageGain: string | null
    /** Null while it is unsettled, and for a close that was settled from the start. */
    settledBy: 'trade' | 'last_price' | 'operator' | null
    unsettled: boolean
    quotedAt: Date | null
    closeNotes: string | null
    newShares: number | null
    oldShares: number | null
    openPriceBefore: string | null
    openPriceAfter: string | null
    /** Why a position was changed; null of events that change none. */
    adjustedFor: string | null
    corrected: 'open' | 'close' | null
    priceBefore: string | null
    priceAfter: string | null
    explained: string | null
    symbolBefore: string | null
    symbolAfter: string | null
  }

/** With what depends on whose trader that is, and on who reads. */
export type ActivityRow = EventRow & { username: string | null; readEventNo: number }

/** Where a page begins: with the newest, after a place, or with it. */
export type Bound = 'none' | 'after' | 'from'

/** @param place the values as parameters; of `none` they are not looked at */
export function beyondOf(bound: Bound, { at, traderId, eventNo }: Place): RawBuilder<boolean> {
  if (bound === 'none') return sql<boolean>`true`
  // The first condition is what the index can be asked for.
  return sql<boolean>`event.created_at <= ${at}::timestamptz and (event.created_at, event.trader_id, event.event_no)
    ${bound === 'after' ? sql`<` : sql`<=`} (${at}::timestamptz, ${traderId}::uuid, ${eventNo}::bigint)`
}

/** The columns that an item shows of `event` and of its rows on the same node. */
export const shownOfEvent = sql`event.trader_id as "traderId", event.event_no as "eventNo", ${placeAt} as at, event.kind,
      event.created_at as "createdAt", ${shownColumns('position')}, position.closed_at as "closedAt",
      position.close_price as "closePrice", position.percentage_gain as "percentageGain",
      position.settled_by as "settledBy", position.unsettled, position.close_quoted_at as "quotedAt",
      position.close_notes as "closeNotes",
      split.new_shares as "newShares", split.old_shares as "oldShares",
      split.open_price_before as "openPriceBefore", split.open_price_after as "openPriceAfter",
      split.reason as "adjustedFor", split.corrected, split.price_before as "priceBefore", split.price_after as "priceAfter", split.explained,
      split.symbol_before as "symbolBefore", split.symbol_after as "symbolAfter"`

/** `event` with the rows that belong to it on its node. */
export const besideEvent = sql`
    join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    left join position_adjustments split on split.trader_id = event.trader_id and split.event_no = event.event_no`
