import { sql } from 'kysely'
import type { EventKey } from '../../events/events.queries.ts'
import { compiledQuery } from '../../platform/compiled-query.ts'

/** The event whose mails have all gone, or wait as retries; no row while any range of it is open or not planned yet. */
export const findEndedEvent = compiledQuery(
  (_db, { eventNo, traderId }: EventKey) => sql<{ publishedAt: Date; requestId: string | null }>`
    select event.created_at as "publishedAt", event.request_id as "requestId" from position_events event
    join mail_plans plan on plan.trader_id = event.trader_id and plan.event_no = event.event_no
      and plan.channel = 'mail' and plan.planned_at is not null
    where event.trader_id = ${traderId} and event.event_no = ${eventNo} and not exists (
      select from delivery_ranges where channel = 'mail' and done_at is null
        and trader_id = event.trader_id and event_no = event.event_no)`,
)
