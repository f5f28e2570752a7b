import { sql } from 'kysely'
import { entitledBetween } from '../../billing/entitlements/entitled-events.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { DeliveryKey } from './leases.queries.ts'

/** The content of a message, and its device. */
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

type Alive = { refreshedAfter: Date; createdAfter: Date }

/**
 * Finds the content of these messages. A message is missing when it may not be sent any more: the trader's notifications were turned off
 * meanwhile, the person was suspended, or their session has ended.
 * @param alive of sessions, as `sessionBounds`
 */
export async function findPushes(db: Queryable, messages: DeliveryKey[], alive: Alive): Promise<Push[]> {
  const events = new Map((await findEvents(db, messages)).map((event) => [keyOf(event), event]))
  const addressed = await findAddressed(db, messages, alive)
  return addressed.flatMap((address) => {
    const event = events.get(keyOf(address))
    return event ? [{ ...address, ...event }] : []
  })
}

type EventKey = Pick<Push, 'traderId' | 'eventNo'>
type Published = EventKey & Pick<Push, 'kind' | 'createdAt' | 'symbol'>

function keyOf({ eventNo, traderId }: EventKey): string {
  return `${traderId} ${eventNo}`
}

/** A statement of its own, since people may be on other nodes (ADR 0069). */
async function findEvents(db: Queryable, keys: readonly EventKey[]): Promise<Published[]> {
  const distinct = [...new Map(keys.map((key) => [keyOf(key), key])).values()]
  const traderIds = distinct.map(({ traderId }) => traderId)
  const { rows } = await sql<Published>`
    select event.trader_id as "traderId", event.event_no as "eventNo", event.kind, event.created_at as "createdAt", position.symbol
    from position_events event
    join unnest(${traderIds}::uuid[], ${distinct.map(({ eventNo }) => eventNo)}::bigint[]) asked (trader_id, event_no)
      on asked.trader_id = event.trader_id and asked.event_no = event.event_no
    join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    where event.trader_id = any(${traderIds}::uuid[])`.execute(db)
  return rows
}

type Addressed = Omit<Push, keyof Published> & EventKey

async function findAddressed(db: Queryable, messages: DeliveryKey[], alive: Alive): Promise<Addressed[]> {
  const { rows } = await sql<Addressed>`
    select asked.trader_id as "traderId", asked.event_no as "eventNo", device.id as "deviceId", account.username as trader,
      device.endpoint, device.p256dh, device.auth_secret as "authSecret", device.push_key_id as "pushKeyId",
      device.token_secret_key_id as "tokenSecretKeyId"
    from unnest(${messages.map(({ traderId }) => traderId)}::uuid[], ${messages.map(({ eventNo }) => eventNo)}::bigint[],
      ${messages.map(({ deviceId }) => deviceId)}::uuid[]) as asked (trader_id, event_no, device_id)
    join accounts account on account.user_id = asked.trader_id
    join push_devices device on device.id = asked.device_id
    join users person on person.id = device.user_id and person.inactive_since is null
    join sessions session on session.id = device.session_id and session.revoked_at is null
      and session.refreshed_at > ${alive.refreshedAfter} and session.created_at > ${alive.createdAfter}
    where exists (
      select from subscriptions where trader_id = asked.trader_id and subscriber_id = device.user_id
        and ${entitledBetween(sql<number>`asked.event_no`, sql<number>`asked.event_no`)} and push_muted_at is null
    )`.execute(db)
  return rows
}
