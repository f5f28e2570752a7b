import type { HoldLength } from '@tradepost/contract/hold-length'
import type { Queryable } from '../platform/database.ts'

/** What the mails of an event tell. */
export type EventStory = {
  kind: 'opened' | 'closed'
  at: Date
  trader: string | null
  symbol: string
  holdLength: HoldLength
  openPrice: string
  openNotes: string
  closePrice: string | null
  closeNotes: string | null
  percentageGain: string | null
}

/** @returns null when the event went with its trader */
export async function findEventStory(
  db: Queryable,
  event: { traderId: string; eventNo: number },
): Promise<EventStory | null> {
  const row = await db
    .selectFrom('position_events as event')
    .innerJoin('positions as position', (join) =>
      join.onRef('position.trader_id', '=', 'event.trader_id').onRef('position.id', '=', 'event.position_id'),
    )
    .leftJoin('accounts as account', 'account.user_id', 'event.trader_id')
    .select([
      'event.kind',
      'event.created_at as at',
      'account.username as trader',
      'position.symbol',
      'position.hold_length as holdLength',
      'position.open_price as openPrice',
      'position.open_notes as openNotes',
      'position.close_price as closePrice',
      'position.close_notes as closeNotes',
      'position.percentage_gain as percentageGain',
    ])
    .where('event.trader_id', '=', event.traderId)
    .where('event.event_no', '=', event.eventNo)
    .executeTakeFirst()
  return row ? { ...row, kind: row.kind === 'closed' ? 'closed' : 'opened' } : null
}
