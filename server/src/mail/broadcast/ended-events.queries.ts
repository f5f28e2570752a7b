import { sql } from 'kysely'
import type { EventKey } from '../../events/events.queries.ts'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/**
 * The event whose mails have all gone, or wait as retries; no row while any range of it is open or not planned yet. Two statements,
 * since events may be on other nodes than the ledger of mails (ADR 0069).
 */
export async function findEndedEvent(
  db: Queryable,
  key: EventKey,
): Promise<{ publishedAt: Date; requestId: string | null }[]> {
  const [ended] = await selectEnded(db, key)
  return ended ? selectEvent(db, key) : []
}

const selectEnded = compiledQuery(
  (_db, { eventNo, traderId }: EventKey) => sql<{ eventNo: number }>`
    select event_no as "eventNo" from mail_plans plan
    where trader_id = ${traderId} and event_no = ${eventNo} and channel = 'mail' and planned_at is not null and not exists (
      select from delivery_ranges where channel = 'mail' and done_at is null
        and trader_id = plan.trader_id and event_no = plan.event_no)`,
)

const selectEvent = compiledQuery(
  (_db, { eventNo, traderId }: EventKey) => sql<{ publishedAt: Date; requestId: string | null }>`
    select created_at as "publishedAt", request_id as "requestId" from position_events
    where trader_id = ${traderId} and event_no = ${eventNo}`,
)
