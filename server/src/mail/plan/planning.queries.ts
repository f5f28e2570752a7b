import { sql } from 'kysely'
import type { EventKey } from '../../events/events.queries.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { isNotifiedTogether } from '../../positions/record/notified-together.ts'

/**
 * Locks the plan of an event's mails against other planners; the first one makes it.
 * @param tx a transaction
 * @returns null when the plan is whole, or the event is gone
 */
export async function lockPlan(tx: Queryable, event: EventKey): Promise<{ isMailed: boolean } | null> {
  const { rows } = await sql<{ isMailed: boolean }>`
    with event as (
      select trader_id, event_no, kind <> 'settled' and not ${isNotifiedTogether(event)} as is_mailed from position_events
      where trader_id = ${event.traderId} and event_no = ${event.eventNo}
    ), plan as (
      insert into mail_plans as plan (trader_id, event_no, channel, audience_size)
      select trader_id, event_no, 'mail', 0 from event
      on conflict (trader_id, event_no, channel) do update set audience_size = plan.audience_size
        where plan.planned_at is null
      returning trader_id
    )
    select event.is_mailed as "isMailed" from event join plan using (trader_id)`.execute(tx)
  return rows[0] ?? null
}

/** Adds to the event's audience; `ended` means that nobody is left to plan. */
export async function recordPlanned(
  tx: Queryable,
  event: EventKey,
  planned: { recipients: number; ended: boolean },
  now: Date,
): Promise<void> {
  await sql`
    update mail_plans
    set audience_size = audience_size + ${planned.recipients}::int, planned_at = ${planned.ended ? now : null}
    where trader_id = ${event.traderId} and event_no = ${event.eventNo} and channel = 'mail'`.execute(tx)
}
