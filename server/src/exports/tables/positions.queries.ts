/** A person's positions, and what happened to them. */
import { sql } from 'kysely'
import { pageById, pageByNumber, pageByText } from './person-page.ts'

export const selectPositions = pageById({
  columns: sql`id, symbol, hold_length::text as hold_length, open_price, open_notes, opened_at, close_price, close_notes, closed_at,
    close_quoted_at, percentage_gain, closed_by_operator, override_used, unsettled, settled_at, settled_by, public_at, struck_at,
    struck_reason, to_char(ticker_lost_on, 'YYYY-MM-DD') as ticker_lost_on`,
  from: sql`positions`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`id`,
  made: sql`opened_at`,
})

export const selectChanges = pageByText({
  columns: sql`position_id, reason, to_char(effective_on, 'YYYY-MM-DD') as effective_on, adjusted_at, event_no, open_price_before,
    open_price_after, new_shares, old_shares, corrected, price_before, price_after, explained, symbol_before, symbol_after`,
  from: sql`position_adjustments`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`concat_ws(' ', position_id, reason, to_char(effective_on, 'YYYY-MM-DD'), nth)`,
  made: sql`adjusted_at`,
})

export const selectEvents = pageByNumber({
  columns: sql`event_no, position_id, kind, created_at`,
  from: sql`position_events`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`event_no`,
  made: sql`created_at`,
})

export const selectPriceChecks = pageById({
  columns: sql`symbol, price, quoted_at, created_at, expires_at, consumed_at, suspect`,
  from: sql`price_previews`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`id`,
})
