import type pg from 'pg'
import type { LeaseTerms, WorkTable } from '../../work/leases.queries.ts'

export const PUSH_TABLE: WorkTable = {
  name: 'push_deliveries',
  key: { trader_id: 'uuid', event_no: 'bigint', device_id: 'uuid' },
}

export type DeliveryKey = { traderId: string; eventNo: number; deviceId: string }

/** A message that a worker has in hand. @property tries earlier ones @property createdAt of its event */
export type LeasedDelivery = DeliveryKey & { tries: number; createdAt: Date }

/** How a try ended. @property endedAs null for another try at `dueAt` @property fault in words without addresses */
export type Ending = DeliveryKey & {
  endedAs: 'sent' | 'refused' | 'given up' | 'unneeded' | null
  dueAt: Date | null
  fault: string | null
  /** Result for the device: `missed` when a try failed and others follow, `fails` when its messages do not arrive; null for no result. */
  device: 'works' | 'missed' | 'fails' | null
}

type Client = Pick<pg.ClientBase, 'query'>

/** The most messages that are under way at once, over all workers (ADR 0085 and 0108). */
const AT_ONCE = {
  /** To the devices of a trader at one host that did not take their last message. */
  pair: 2,
  /** To all such devices of a trader: those of two push services. */
  unproven: 4,
  /** To the devices of a person. */
  person: 4,
  /** To the devices of a trader: half of the places of a worker. */
  trader: 64,
}

/**
 * Leases what is due, the longest due first and devices that failed twice last, within everybody's share: messages that nobody has leased, or
 * whose worker is dead or hangs.
 */
export async function leaseDeliveries(
  client: Client,
  terms: LeaseTerms,
  limit: number,
): Promise<LeasedDelivery[]> {
  const { rows } = await client.query<LeasedDelivery>({
    name: 'lease-pushes',
    text: `select trader_id as "traderId", event_no as "eventNo", device_id as "deviceId", tries, created_at as "createdAt"
      from lease_pushes($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      terms.number,
      terms.staleBefore,
      terms.now,
      limit,
      AT_ONCE.pair,
      AT_ONCE.unproven,
      AT_ONCE.person,
      AT_ONCE.trader,
    ],
  })
  return rows
}

/**
 * Records how tries ended, and their results for the devices; skips messages that another worker has leased meanwhile, or that are
 * recorded. Devices are locked before any message: a change to a device changes all its messages (0006_activity_and_pushes.sql), and two
 * workers would wait for each other.
 * @param numbers under which this process has leased them
 */
export async function recordEndings(
  client: Client,
  numbers: readonly number[],
  endings: Ending[],
  now: Date,
): Promise<void> {
  await client.query({
    name: 'record-pushes',
    text: `with ending as (
        select * from unnest($2::uuid[], $3::bigint[], $4::uuid[], $5::text[], $6::timestamptz[], $7::text[], $8::text[])
          as t (trader_id, event_no, device_id, ended_as, due_at, fault, device)
      ), locked as materialized (
        select id from push_devices where id in (select device_id from ending) order by id for no key update
      ), recorded as (
        update push_deliveries message set lease_owner = null, leased_at = null, tries = message.tries + 1,
          fault = ending.fault, ended_as = ending.ended_as, due_at = coalesce(ending.due_at, message.due_at),
          ended_at = case when ending.ended_as is not null then $9::timestamptz end
        from ending
        where message.trader_id = ending.trader_id and message.event_no = ending.event_no
          and message.device_id = ending.device_id
          and message.lease_owner = any($1::int[]) and message.ended_at is null
          and (select count(*) from locked) > 0
        returning ending.device_id, ending.device
      ), told as (
        select device_id, bool_or(device = 'works') as works, bool_or(device = 'fails') as fails, count(*)::int as tries
        from recorded where device is not null group by device_id
      )
      update push_devices device set standing = case when told.works then 0 else least(greatest(device.standing, 1) + told.tries, 3) end,
        failing_since = case when not told.works then coalesce(device.failing_since, case when told.fails then $9::timestamptz end) end
      from told where device.id = told.device_id
        and (case when told.works then device.standing > 0 or device.failing_since is not null
          else device.standing < 3 or (told.fails and device.failing_since is null) end)`,
    values: [
      numbers,
      endings.map(({ traderId }) => traderId),
      endings.map(({ eventNo }) => eventNo),
      endings.map(({ deviceId }) => deviceId),
      endings.map(({ endedAs }) => endedAs),
      endings.map(({ dueAt }) => dueAt),
      endings.map(({ fault }) => fault),
      endings.map(({ device }) => device),
      now,
    ],
  })
}

/**
 * Forgets devices that are gone, and the messages that were to be sent there; not one that has another address meanwhile.
 * @param gone the addresses that their push services do not know any more
 */
export async function deleteDevices(
  client: Client,
  gone: { deviceId: string; endpoint: string }[],
): Promise<void> {
  await client.query({
    name: 'delete-push-devices',
    text: `delete from push_devices device using unnest($1::uuid[], $2::text[]) as gone (id, endpoint)
      where device.id = gone.id and device.endpoint = gone.endpoint`,
    values: [gone.map(({ deviceId }) => deviceId), gone.map(({ endpoint }) => endpoint)],
  })
}
