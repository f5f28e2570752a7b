import type pg from 'pg'
import { LIVING_WORKERS } from '../platform/living-workers.ts'

export type DeliveryKey = { traderId: string; eventNo: number; deviceId: string }

/** A message that a worker has in hand. @property tries earlier ones @property createdAt of its event */
export type LeasedDelivery = DeliveryKey & { tries: number; createdAt: Date }

/** How a try ended. @property endedAs null for another try at `dueAt` @property fault in words without addresses */
export type Ending = DeliveryKey & {
  endedAs: 'sent' | 'refused' | 'given up' | 'unneeded' | null
  dueAt: Date | null
  fault: string | null
  /** What it says of the device; null for nothing. */
  device: 'works' | 'fails' | null
}

type Client = Pick<pg.ClientBase, 'query'>

export type LeaseTerms = {
  /** The worker that asks. */
  number: number
  now: Date
  /** Leases from before this instant belong to a worker that hangs. */
  staleBefore: Date
}

/** Leases what is due, the longest due first: what nobody has in hand, or who had it is dead or hangs. */
export async function leaseDeliveries(
  client: Client,
  terms: LeaseTerms,
  limit: number,
): Promise<LeasedDelivery[]> {
  const { rows } = await client.query<LeasedDelivery>({
    name: 'lease-pushes',
    text: `with living as materialized (${LIVING_WORKERS}), due as (
        select trader_id, event_no, device_id from push_deliveries
        where ended_at is null and due_at <= $3
          and (lease_owner is null or leased_at < $2 or lease_owner not in (select number from living))
        order by due_at limit $4 for update skip locked
      )
      update push_deliveries message set lease_owner = $1, leased_at = $3 from due
      where message.trader_id = due.trader_id and message.event_no = due.event_no and message.device_id = due.device_id
      returning message.trader_id as "traderId", message.event_no as "eventNo", message.device_id as "deviceId",
        message.tries, message.created_at as "createdAt"`,
    values: [terms.number, terms.staleBefore, terms.now, limit],
  })
  return rows
}

/**
 * Records how tries ended, and what they say of their devices; not those that another worker has taken up meanwhile, or that are
 * recorded.
 * @param numbers under which this process has leased them
 */
export async function recordEndings(
  client: Client,
  numbers: number[],
  endings: Ending[],
  now: Date,
): Promise<void> {
  await client.query({
    name: 'record-pushes',
    text: `with ending as (
        select * from unnest($2::uuid[], $3::bigint[], $4::uuid[], $5::text[], $6::timestamptz[], $7::text[], $8::text[])
          as t (trader_id, event_no, device_id, ended_as, due_at, fault, device)
      ), recorded as (
        update push_deliveries message set lease_owner = null, leased_at = null, tries = message.tries + 1,
          fault = ending.fault, ended_as = ending.ended_as, due_at = coalesce(ending.due_at, message.due_at),
          ended_at = case when ending.ended_as is not null then $9::timestamptz end
        from ending
        where message.trader_id = ending.trader_id and message.event_no = ending.event_no
          and message.device_id = ending.device_id
          and message.lease_owner = any($1::int[]) and message.ended_at is null
        returning ending.device_id, ending.device
      ), told as (
        select device_id, bool_or(device = 'works') as works from recorded where device is not null group by device_id
      )
      update push_devices device set failing_since = case when told.works then null else $9::timestamptz end
      from told where device.id = told.device_id and (device.failing_since is null) <> told.works`,
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
 * Forgets devices that are gone, and what was to be sent there; not one that has another address meanwhile.
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
