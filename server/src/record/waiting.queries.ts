import { sql } from 'kysely'
import type { EventKey } from '../events/events.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'

/** An event that is not logged yet. */
export type WaitingEvent = EventKey & {
  /** Of the newest event up to it: clocks of processes may disagree, numbers of a trader may not. */
  order: Date
  /** Whether it was published before the log began. */
  isFromBefore: boolean
}

/**
 * The oldest events that wait for the log, in its order; none while earlier events of before the log are still being handed to it. Those
 * of a trader wait behind one that was given up.
 * @param blocked traders whose events are left out
 * @param tx holds the lock of the head
 */
export async function findWaiting(
  tx: Queryable,
  blocked: readonly string[],
  limit: number,
): Promise<WaitingEvent[]> {
  const { rows } = await sql<WaitingEvent>`
    with page as (
      select trader_id, max(event_no) as last_no from (
        select trader_id, event_no from event_work work
        where reader = 'record' and parked_at is null and not trader_id = any(${blocked}::uuid[])
          and not exists (select from event_work earlier
            where earlier.trader_id = work.trader_id and earlier.reader = work.reader
              and earlier.event_no < work.event_no and earlier.parked_at is not null)
          and not exists (select from record_plan plan
            where plan.trader_id = work.trader_id and plan.event_no = work.event_no)
        order by created_at limit ${limit}
      ) oldest group by trader_id
    )
    select work.trader_id as "traderId", work.event_no as "eventNo",
      max(work.created_at) over (partition by work.trader_id order by work.event_no) as "order",
      work.created_at < reader.registered_at as "isFromBefore"
    from page
      join event_work work on work.trader_id = page.trader_id and work.reader = 'record'
        and work.event_no <= page.last_no and work.parked_at is null
      join event_readers reader on reader.name = work.reader
    where not exists (select from record_plan plan
        where plan.trader_id = work.trader_id and plan.event_no = work.event_no)
      and not exists (select from event_backfills where reader = 'record')
    order by "order", "traderId", "eventNo"`.execute(tx)
  return rows
}

/** An event as the log and price checks know it: a row for each entry of its position, one without where there is none. */
export type KnownRow = {
  nth: number
  /** Of the trader's record; all null without one. */
  recordId: Buffer | null
  saltKey: Buffer | null
  seq: number | null
  openCount: number | null
  closedCount: number | null
  lastLeaf: Buffer | null
  /** When the price of its opening was quoted: price checks of more than a day ago are gone. */
  quotedAt: Date | null
  change: string | null
  openedSeq: number | null
  /** Whether the trader had a record, and has none. */
  isErased: boolean
}

/** @param events in order, numbered from 1 in the answer */
export async function findKnown(
  tx: Queryable,
  events: readonly { traderId: string; positionId: string; openPreviewId: string }[],
): Promise<KnownRow[]> {
  const { rows } = await sql<KnownRow>`
    select asked.nth::int, preview.quoted_at as "quotedAt", record.record_id as "recordId", record.salt_key as "saltKey", record.seq,
      record.open_count as "openCount", record.closed_count as "closedCount", record.last_leaf as "lastLeaf",
      plan.change, plan.seq as "openedSeq",
      record.record_id is null and exists (select from record_plan earlier where earlier.trader_id = asked.trader_id) as "isErased"
    from unnest(${events.map(({ traderId }) => traderId)}::uuid[], ${events.map(({ positionId }) => positionId)}::uuid[],
        ${events.map(({ openPreviewId }) => openPreviewId)}::uuid[]) with ordinality asked (trader_id, position_id, preview_id, nth)
      left join price_previews preview on preview.trader_id = asked.trader_id and preview.id = asked.preview_id
      left join records record on record.trader_id = asked.trader_id
      left join record_plan plan on plan.trader_id = asked.trader_id and plan.position_id = asked.position_id`.execute(
    tx,
  )
  return rows
}

export async function isLogged(db: Queryable, { eventNo, traderId }: EventKey): Promise<boolean> {
  const row = await db
    .selectFrom('record_plan')
    .select('log_index')
    .where('trader_id', '=', traderId)
    .where('event_no', '=', eventNo)
    .executeTakeFirst()
  return row !== undefined
}
