import { type RawBuilder, sql } from 'kysely'

type Event = { traderId: string | RawBuilder<string>; eventNo: number | RawBuilder<number> }

/**
 * A part of a statement that several share: whether an event is of a price that was taken back with others, of which people are mailed
 * together and not by event (ADR 0078).
 * @param event values, or columns of the statement
 */
export function isNotifiedTogether({ eventNo, traderId }: Event): RawBuilder<boolean> {
  return sql<boolean>`exists (select from position_adjustments told
    where told.trader_id = ${traderId} and told.event_no = ${eventNo} and told.retraction_id is not null)`
}
