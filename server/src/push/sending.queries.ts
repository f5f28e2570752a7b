import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'
import { entitledBetween } from '../subscriptions/entitled-events.ts'
import type { DeliveryKey } from './leases.queries.ts'

/** What a message tells, and where it goes. */
export type Push = {
  traderId: string
  eventNo: number
  deviceId: string
  kind: 'opened' | 'closed' | 'adjusted'
  createdAt: Date
  trader: string
  symbol: string
  endpoint: string
  p256dh: Buffer
  authSecret: Buffer
  pushKeyId: string
  tokenSecretKeyId: string
}

/**
 * What is to be sent of these messages; one is missing when it may not be sent any more: the trader's notifications were turned off
 * meanwhile, the person was suspended, or their session has ended.
 * @param alive of sessions, as `sessionBounds`
 */
export async function findPushes(
  db: Queryable,
  messages: DeliveryKey[],
  alive: { refreshedAfter: Date; createdAfter: Date },
): Promise<Push[]> {
  const { rows } = await sql<Push>`
    select event.trader_id as "traderId", event.event_no as "eventNo", device.id as "deviceId", event.kind,
      event.created_at as "createdAt", account.username as trader, position.symbol,
      device.endpoint, device.p256dh, device.auth_secret as "authSecret", device.push_key_id as "pushKeyId",
      device.token_secret_key_id as "tokenSecretKeyId"
    from unnest(${messages.map(({ traderId }) => traderId)}::uuid[], ${messages.map(({ eventNo }) => eventNo)}::bigint[],
      ${messages.map(({ deviceId }) => deviceId)}::uuid[]) as asked (trader_id, event_no, device_id)
    join position_events event on event.trader_id = asked.trader_id and event.event_no = asked.event_no
    join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    join accounts account on account.user_id = event.trader_id
    join push_devices device on device.id = asked.device_id
    join users person on person.id = device.user_id and person.suspended_at is null
    join sessions session on session.id = device.session_id and session.revoked_at is null
      and session.refreshed_at > ${alive.refreshedAfter} and session.created_at > ${alive.createdAfter}
    where exists (
      select from subscriptions where trader_id = asked.trader_id and subscriber_id = device.user_id
        and ${entitledBetween(sql<number>`asked.event_no`, sql<number>`asked.event_no`)} and push_muted_at is null
    )`.execute(db)
  return rows
}
