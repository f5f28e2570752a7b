import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Writes the events of all positions of a trader, as mailed to those who followed at that time: with the record of their mails, and
 * with work for the record alone, so that nobody is really mailed. The followers' windows begin and end among them.
 */
export async function insertPastEvents(db: Queryable, traderId: string): Promise<void> {
  await sql`
    with told as (
      select id, 'opened' as kind, opened_at as at from positions where trader_id = ${traderId}
      union all
      select id, 'closed', closed_at from positions where trader_id = ${traderId} and closed_at is not null
    ), numbered as (
      select told.*, row_number() over (order by at, id) as event_no from told
    ), head as (
      update traders set last_event_no = (select count(*) from told) where trader_id = ${traderId}
    ), events as (
      insert into position_events (trader_id, event_no, position_id, kind, created_at)
      select ${traderId}::uuid, event_no, id, kind, at from numbered
      returning event_no, created_at
    ), to_log as (
      insert into event_work (trader_id, reader, event_no, created_at)
      select ${traderId}::uuid, name, event_no, created_at from events join event_readers on name = 'record'
    ), followers as (
      select event_no, created_at, count(mail_no)::int as count, max(mail_no) as last
      from events left join subscriptions
        on trader_id = ${traderId} and started_at < created_at and (ended_at is null or ended_at >= created_at)
      group by event_no, created_at
    ), plans as (
      insert into mail_plans (trader_id, event_no, channel, audience_size, planned_at)
      select ${traderId}::uuid, event_no, 'mail', count, created_at from followers
    )
    insert into delivery_ranges (trader_id, event_no, channel, from_mail_no, to_mail_no, progress_mail_no, sent_count,
      first_sent_at, last_sent_at, done_at, created_at)
    select ${traderId}::uuid, event_no, 'mail', 0, last, last, count, created_at + interval '0.3 s', taken_at, taken_at, created_at
    from followers, lateral (select created_at + interval '1.2 s' + interval '0.23 s' * (event_no % 9) as taken_at) taken
    where count > 0`.execute(db)
  await sql`
    update subscriptions set
      entitled_from_event = ${eventsUntil(traderId, 'started_at')},
      entitled_until_event = case when entitled_until_event is not null then ${eventsUntil(traderId, 'ended_at')} end
    where trader_id = ${traderId}`.execute(db)
}

/** The number of a trader's last event by an instant of a subscription. */
function eventsUntil(traderId: string, instant: string) {
  return sql`(select count(*) from position_events
    where trader_id = ${traderId} and created_at <= subscriptions.${sql.ref(instant)})`
}

/** From now on what Stripe said of a trader's followers was said at an instant: it was written as at the time of their start. */
export async function markSynced(db: Queryable, traderId: string, at: Date): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set({ synced_at: at })
    .where('trader_id', '=', traderId)
    .where('stripe_subscription_id', 'is not', null)
    .execute()
  await db.updateTable('invoices').set({ synced_at: at }).where('trader_id', '=', traderId).execute()
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

/** All who follow a trader or did, with the time between. */
export async function listFollowings(
  db: Queryable,
  traderId: string,
): Promise<{ id: string; startedAt: Date; endedAt: Date | null }[]> {
  return db
    .selectFrom('subscriptions')
    .select(['id', 'started_at as startedAt', 'ended_at as endedAt'])
    .where('trader_id', '=', traderId)
    .orderBy('mail_no')
    .execute()
}

/** A month that was paid for, in cents; `feeCents` of them are the platform's. */
export type PastPayment = { paidAt: Date; until: Date; cents: number; feeCents: number; currency: string }

/**
 * Writes payments of past months of a subscription, with what went on to the trader. Stripe's sandbox knows nothing of them: its time
 * cannot be led back.
 */
export async function insertPastPayments(
  db: Queryable,
  { id, traderId }: { traderId: string; id: string },
  payments: readonly PastPayment[],
): Promise<void> {
  if (payments.length === 0) return
  await db
    .insertInto('invoices')
    .values(
      payments.map(({ cents, currency, feeCents, paidAt, until }, nth) => ({
        trader_id: traderId,
        invoice_id: `in_demo_${id}_${nth}`,
        subscription_id: id,
        status: 'paid',
        amount_due_cents: cents,
        amount_paid_cents: cents,
        transferred_cents: cents,
        fee_cents: feeCents,
        currency,
        period_start: paidAt,
        period_end: until,
        created_at: paidAt,
        paid_at: paidAt,
        synced_at: paidAt,
      })),
    )
    .execute()
}
