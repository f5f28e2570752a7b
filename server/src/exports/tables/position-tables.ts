import { type ExportTable, tableById, tableByNumber, tableByText } from './export-table.ts'
import { selectChanges, selectEvents, selectPositions, selectPriceChecks } from './positions.queries.ts'

export const positionTables: readonly ExportTable[] = [
  tableById({
    name: 'positions',
    holds: 'Your positions with prices, notes and gains.',
    columns: {
      ...{ id: 'id', symbol: 'text', hold_length: 'text', open_price: 'decimal', open_notes: 'text' },
      ...{ opened_at: 'instant', close_price: 'decimal?', close_notes: 'text?', closed_at: 'instant?' },
      ...{ close_quoted_at: 'instant?', percentage_gain: 'decimal?', closed_by_operator: 'flag' },
      ...{ override_used: 'flag', unsettled: 'flag', settled_at: 'instant?', settled_by: 'text?' },
      ...{ public_at: 'instant?', struck_at: 'instant?', struck_reason: 'text?', ticker_lost_on: 'day?' },
    },
    select: selectPositions,
  }),
  tableByText({
    name: 'position_changes',
    holds: 'What was set right in your positions after they were published: splits, prices, names, strikes.',
    columns: {
      ...{
        position_id: 'id',
        reason: 'text',
        effective_on: 'day',
        adjusted_at: 'instant',
        event_no: 'count?',
      },
      ...{ open_price_before: 'decimal', open_price_after: 'decimal', new_shares: 'count?' },
      ...{ old_shares: 'count?', corrected: 'text?', price_before: 'decimal?', price_after: 'decimal?' },
      ...{ explained: 'text?', symbol_before: 'text?', symbol_after: 'text?' },
    },
    select: selectChanges,
  }),
  tableByNumber({
    name: 'events',
    holds: 'When each of your positions was published and changed.',
    columns: { event_no: 'count', position_id: 'id', kind: 'text', created_at: 'instant' },
    select: selectEvents,
  }),
  tableById({
    name: 'price_checks',
    holds: 'Prices that you looked at within a day.',
    columns: {
      ...{ symbol: 'text', price: 'decimal', quoted_at: 'instant', created_at: 'instant' },
      ...{ expires_at: 'instant', consumed_at: 'instant?', suspect: 'flag' },
    },
    select: selectPriceChecks,
  }),
]
