import { sql } from 'kysely'
import { entitledBetween } from '../../billing/entitlements/entitled-events.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { isNotifiedTogether } from '../../positions/record/notified-together.ts'

export async function isAnyDeviceOn(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('push_devices').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Whether people are notified of an event together with others, and not by itself. */
export async function readNotifiedTogether(
  db: Queryable,
  event: { traderId: string; eventNo: number },
): Promise<boolean> {
  const { rows } = await sql<{ together: boolean }>`select ${isNotifiedTogether(event)} as together`.execute(
    db,
  )
  return rows[0]?.together ?? false
}

/**
 * Writes a message for each device of those with `after < mail_no <= upTo` who are entitled to an event, have not turned the trader's
 * notifications off and are not suspended. Existing messages stay unchanged.
 * @param part.alive of sessions, as `sessionBounds`
 * @returns how many were written
 */
export async function insertDeliveries(
  db: Queryable,
  event: { traderId: string; eventNo: number; createdAt: Date },
  part: { after: number; upTo: number; alive: { refreshedAfter: Date; createdAfter: Date } },
  now: Date,
): Promise<number> {
  const { rows } = await sql`
    insert into push_deliveries (trader_id, event_no, device_id, created_at, due_at)
    select distinct subscription.trader_id, ${event.eventNo}::bigint, device.id, ${event.createdAt}::timestamptz, ${now}::timestamptz
    from subscriptions subscription
    join users person on person.id = subscription.subscriber_id and person.inactive_since is null
    join push_devices device on device.user_id = person.id
    join sessions session on session.id = device.session_id and session.revoked_at is null
      and session.refreshed_at > ${part.alive.refreshedAfter} and session.created_at > ${part.alive.createdAfter}
    where subscription.trader_id = ${event.traderId}
      and subscription.mail_no > ${part.after} and subscription.mail_no <= ${part.upTo}
      and ${entitledBetween(event.eventNo, event.eventNo)}
      and subscription.push_muted_at is null
    on conflict do nothing returning 1`.execute(db)
  return rows.length
}
