import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Writes the events of a trader's positions since an instant, as mailed to those who follow now: with the record of their mails, and
 * with no work for any reader, so that nobody is really mailed.
 */
export async function insertPastEvents(db: Queryable, traderId: string, since: Date): Promise<void> {
  await sql`
    with told as (
      select id, 'opened' as kind, opened_at as at from positions
      where trader_id = ${traderId} and opened_at >= ${since}::timestamptz
      union all
      select id, 'closed', closed_at from positions
      where trader_id = ${traderId} and closed_at >= ${since}::timestamptz
    ), numbered as (
      select told.*, row_number() over (order by at, id) as place from told
    ), head as (
      update traders set last_event_no = last_event_no + (select count(*) from told)
      where trader_id = ${traderId} returning last_event_no - (select count(*) from told) as before
    ), followers as (
      select count(*)::int as count, max(mail_no) as last from subscriptions
      where trader_id = ${traderId} and entitled_from_event is not null and entitled_until_event is null
    ), events as (
      insert into position_events
        (trader_id, event_no, position_id, kind, created_at)
      select ${traderId}::uuid, before + place, id, kind, at from numbered, head
      returning event_no, created_at
    ), plans as (
      insert into mail_plans (trader_id, event_no, channel, audience_size, planned_at)
      select ${traderId}::uuid, event_no, 'mail', followers.count, created_at from events, followers
    )
    insert into delivery_ranges (trader_id, event_no, channel, from_mail_no, to_mail_no, progress_mail_no, sent_count,
      first_sent_at, last_sent_at, done_at, created_at)
    select ${traderId}::uuid, event_no, 'mail', 0, last, last, count, created_at + interval '0.3 s', taken_at, taken_at, created_at
    from events, followers, lateral (select created_at + interval '1.2 s' + interval '0.23 s' * (event_no % 9) as taken_at) taken
    where count > 0`.execute(db)
}

/** Marks as read, for everybody who follows a trader, what was published before an instant. */
export async function markPastRead(db: Queryable, traderId: string, before: Date): Promise<void> {
  await sql`
    insert into activity_reads (user_id, trader_id, event_no)
    select distinct subscriber_id, trader_id, seen.last
    from subscriptions, lateral (
      select max(event_no) as last from position_events
      where trader_id = ${traderId} and created_at < ${before}::timestamptz
    ) seen
    where trader_id = ${traderId} and seen.last is not null
    on conflict do nothing`.execute(db)
}
