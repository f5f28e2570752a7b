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

/**
 * Cuts the next part of the event's frozen audience into ranges, by keyset from where the last range ended. The
 * audience is computed from numbers alone (see the subscriptions table), so it is the same whenever this runs.
 * @param cut.recipients at most this many
 * @param cut.perRange recipients of one range
 * @returns recipients found; fewer than asked for means that the audience ends here
 */
export async function cutRanges(
  tx: Queryable,
  event: EventKey,
  cut: { recipients: number; perRange: number },
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ recipients: number }>`
    with reached as (
      select coalesce(max(to_mail_no), 0) as mail_no from delivery_ranges
      where trader_id = ${event.traderId} and event_no = ${event.eventNo}
    ), page as (
      select mail_no, row_number() over (order by mail_no) - 1 as place from (
        select mail_no from subscriptions
        where trader_id = ${event.traderId} and mail_no > (select mail_no from reached)
          and ((entitled_from_event < ${event.eventNo}
              and (entitled_until_event is null or entitled_until_event >= ${event.eventNo}))
            or earlier_windows @> ${event.eventNo}::bigint)
        order by mail_no limit ${cut.recipients}
      ) part
    ), cut as (
      select max(mail_no) as to_no from page group by place / ${cut.perRange}::int
    ), bounds as (
      select coalesce(lag(to_no) over (order by to_no), (select mail_no from reached)) as from_no, to_no from cut
    ), written as (
      insert into delivery_ranges (trader_id, event_no, from_mail_no, to_mail_no, progress_mail_no, created_at)
      select ${event.traderId}::uuid, ${event.eventNo}::bigint, from_no, to_no, from_no, ${now}::timestamptz from bounds
    )
    select count(*)::int as recipients from page`.execute(tx)
  return rows[0]?.recipients ?? 0
}

/** Adds to the event's audience; `ended` says that nobody is left to be planned. Whoever listens hears of new ranges. */
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
