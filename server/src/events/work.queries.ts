import { sql } from 'kysely'
import type pg from 'pg'
import { LIVING_WORKERS } from '../platform/database/living-workers.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { LeaseTerms, WorkTable } from '../work/leases.queries.ts'
import type { EventKey, PositionEvent } from './events.queries.ts'

/** An event that was leased for a reader, and how often it was tried before. */
export type Work = PositionEvent & { tries: number }

export const EVENT_WORK: WorkTable = {
  name: 'event_work',
  key: { trader_id: 'uuid', reader: 'text', event_no: 'bigint' },
}

/** The result of a try. @property failure null once the reader is done with the event */
export type Ending = EventKey & { failure: Failure | null }

/** @property tries so far, with this one @property retryAt null parks the event @property fault in words without addresses or notes */
export type Failure = { tries: number; retryAt: Date | null; fault: string }

export type WorkTerms = LeaseTerms & { reader: string }

/**
 * Leases events for a reader, the oldest first, of each trader at most the first that is not done. A parked one holds up
 * none behind it. A worker is never given an event that it has in hand already.
 */
export async function leaseWork(client: pg.Client, terms: WorkTerms, limit: number): Promise<Work[]> {
  const leased = await lease(client, terms, limit)
  if (leased.length === 0) return []
  const { rows } = await client.query<PositionEvent>({
    name: 'read-leased-events',
    // Only the lists show on which nodes the events are (ADR 0069).
    text: `select event.trader_id as "traderId", event.event_no as "eventNo", event.position_id as "positionId",
        event.kind, event.created_at as "createdAt", event.request_id as "requestId"
      from position_events event
        join unnest($1::uuid[], $2::bigint[]) leased (trader_id, event_no)
          on leased.trader_id = event.trader_id and leased.event_no = event.event_no
      where event.trader_id = any($1::uuid[])`,
    values: [leased.map(({ traderId }) => traderId), leased.map(({ eventNo }) => eventNo)],
  })
  const tries = new Map(leased.map((work) => [`${work.traderId} ${work.eventNo}`, work.tries]))
  return rows.map((event) => ({ ...event, tries: tries.get(`${event.traderId} ${event.eventNo}`) ?? 0 }))
}

type Leased = EventKey & Pick<Work, 'tries'>

async function lease(client: pg.Client, terms: WorkTerms, limit: number): Promise<Leased[]> {
  const { rows } = await client.query<Leased>({
    name: 'lease-event-work',
    text: `with living as materialized (${LIVING_WORKERS}), next as (
        select trader_id, event_no from event_work work
        where reader = $1 and parked_at is null and (retry_at is null or retry_at <= $3)
          and (lease_owner is null or lease_owner <> $2
            and (leased_at < $4 or lease_owner not in (select number from living)))
          and not exists (select from event_work earlier
            where earlier.trader_id = work.trader_id and earlier.reader = $1 and earlier.event_no < work.event_no
              and earlier.parked_at is null)
          and not exists (select from event_backfills backfill
            where backfill.trader_id = work.trader_id and backfill.reader = $1)
        order by created_at, trader_id limit $5 for update skip locked
      )
      update event_work work set lease_owner = $2, leased_at = $3
      from next
      where work.trader_id = next.trader_id and work.reader = $1 and work.event_no = next.event_no
      returning work.trader_id as "traderId", work.event_no as "eventNo", work.tries`,
    values: [terms.reader, terms.number, terms.now, terms.staleBefore, limit],
  })
  return rows
}

/** A reader is done with events; senders are notified where mails wait for it. Without effect for events whose lease is lost. */
export async function deleteWork(
  client: pg.Client,
  work: { reader: string; numbers: readonly number[]; events: readonly EventKey[]; beforeMails: boolean },
): Promise<void> {
  await client.query({
    name: 'delete-event-work',
    text: `with done as (
        delete from event_work work
        using unnest($1::uuid[], $2::bigint[]) done (trader_id, event_no)
        where work.trader_id = done.trader_id and work.reader = $3 and work.event_no = done.event_no
          and work.lease_owner = any($4::int[])
        returning 1
      )
      select pg_notify('deliveries', '') where $5 and exists (select from done)`,
    values: [
      work.events.map(({ traderId }) => traderId),
      work.events.map(({ eventNo }) => eventNo),
      work.reader,
      work.numbers,
      work.beforeMails,
    ],
  })
}

/** Notes tries without success and gives their leases back. Without effect for those whose lease is lost. */
export async function recordFailures(
  client: pg.Client,
  work: { reader: string; numbers: readonly number[]; failed: readonly (EventKey & Failure)[] },
  now: Date,
): Promise<void> {
  const { failed } = work
  await client.query({
    name: 'record-event-failures',
    text: `update event_work work set tries = failed.tries, retry_at = failed.retry_at, last_fault = failed.fault,
        parked_at = case when failed.retry_at is null then $8::timestamptz end, lease_owner = null, leased_at = null
      from unnest($3::uuid[], $4::bigint[], $5::int[], $6::timestamptz[], $7::text[])
        failed (trader_id, event_no, tries, retry_at, fault)
      where work.trader_id = failed.trader_id and work.reader = $1 and work.event_no = failed.event_no
        and work.lease_owner = any($2::int[])`,
    values: [
      work.reader,
      work.numbers,
      failed.map(({ traderId }) => traderId),
      failed.map(({ eventNo }) => eventNo),
      failed.map(({ tries }) => tries),
      failed.map(({ retryAt }) => retryAt),
      failed.map(({ fault }) => fault),
      now,
    ],
  })
}

export type ParkedWork = {
  reader: string
  trader: string | null
  eventNo: number
  kind: string
  createdAt: Date
  tries: number
  fault: string | null
}

/** Lists the work that failed too often, oldest first. */
export async function listParkedWork(db: Queryable, limit: number): Promise<ParkedWork[]> {
  return db
    .selectFrom('event_work as work')
    .innerJoin('position_events as event', (join) =>
      join.onRef('event.trader_id', '=', 'work.trader_id').onRef('event.event_no', '=', 'work.event_no'),
    )
    .leftJoin('accounts as account', 'account.user_id', 'work.trader_id')
    .select([
      'work.reader',
      'account.username as trader',
      'work.event_no as eventNo',
      'event.kind',
      'work.created_at as createdAt',
      'work.tries',
      'work.last_fault as fault',
    ])
    .where('work.parked_at', 'is not', null)
    .orderBy('work.created_at')
    .limit(limit)
    .execute()
}

/** Has everything that a reader parked tried again from the beginning. @returns how many events */
export async function unparkWork(db: Queryable, reader: string): Promise<number> {
  const result = await db
    .updateTable('event_work')
    .set({ parked_at: null, tries: 0, retry_at: null })
    .where('reader', '=', reader)
    .where('parked_at', 'is not', null)
    .executeTakeFirst()
  if (result.numUpdatedRows > 0n) await sql`select pg_notify('event_work', '')`.execute(db)
  return Number(result.numUpdatedRows)
}
