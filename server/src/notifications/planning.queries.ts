import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

export type EventKey = { traderId: string; eventNo: number }

/** Locks the event against other planners. @returns false when it is gone or planned to its end */
export async function lockUnplannedEvent(tx: Queryable, event: EventKey): Promise<boolean> {
  const row = await tx
    .selectFrom('position_events')
    .select('event_no')
    .where('trader_id', '=', event.traderId)
    .where('event_no', '=', event.eventNo)
    .where('planned_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Adds to the event's audience; `ended` says that nobody is left to plan. Listeners are notified of new ranges. */
export async function recordPlanned(
  tx: Queryable,
  event: EventKey,
  planned: { recipients: number; ended: boolean },
  now: Date,
): Promise<void> {
  await sql`
    update position_events
    set audience_size = coalesce(audience_size, 0) + ${planned.recipients}::int,
      planned_at = ${planned.ended ? now : null}
    where trader_id = ${event.traderId} and event_no = ${event.eventNo}`.execute(tx)
  if (planned.recipients > 0) await sql`select pg_notify('deliveries', '')`.execute(tx)
}

/** Events that are not planned to their end, oldest first. */
export function findUnplannedEvents(db: Queryable, limit: number): Promise<EventKey[]> {
  return db
    .selectFrom('position_events')
    .select(['trader_id as traderId', 'event_no as eventNo'])
    .where('planned_at', 'is', null)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}
