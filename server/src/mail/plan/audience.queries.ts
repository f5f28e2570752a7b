import { sql } from 'kysely'
import { entitledBetween } from '../../billing/entitlements/entitled-events.ts'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** The sender mails the same people that the planner counts. */
const isEntitled = (eventNo: number) => entitledBetween(eventNo, eventNo)

/**
 * Cuts the next part of the event's frozen audience into ranges, by keyset from where the last range ended. The
 * audience is computed from numbers alone, so it is the same whenever this runs.
 * @param cut.recipients at most this many
 * @param cut.perRange recipients of one range
 * @returns recipients found; fewer than asked for means that the audience ends here
 */
export async function cutRanges(
  tx: Queryable,
  event: { traderId: string; eventNo: number },
  cut: { recipients: number; perRange: number },
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ recipients: number }>`
    with reached as (
      select coalesce(max(to_mail_no), 0) as mail_no from delivery_ranges
      where trader_id = ${event.traderId} and event_no = ${event.eventNo} and channel = 'mail'
    ), page as (
      select mail_no, row_number() over (order by mail_no) - 1 as place from (
        select mail_no from subscriptions
        where trader_id = ${event.traderId} and mail_no > (select mail_no from reached)
          and ${isEntitled(event.eventNo)}
        order by mail_no limit ${cut.recipients}
      ) part
    ), cut as (
      select max(mail_no) as to_no from page group by place / ${cut.perRange}::int
    ), bounds as (
      select coalesce(lag(to_no) over (order by to_no), (select mail_no from reached)) as from_no, to_no from cut
    ), written as (
      insert into delivery_ranges
        (trader_id, event_no, channel, from_mail_no, to_mail_no, progress_mail_no, created_at)
      select ${event.traderId}::uuid, ${event.eventNo}::bigint, 'mail', from_no, to_no, from_no, ${now}::timestamptz from bounds
    )
    select count(*)::int as recipients from page`.execute(tx)
  return rows[0]?.recipients ?? 0
}

type Part = { traderId: string; eventNo: number; after: number; upTo: number }

/**
 * Finds the recipients of an event's frozen audience with `after < mail_no <= upTo` who may be mailed now: not unsubscribed from the
 * trader or from all, not suspended, not suppressed, and not since they switched mails of all traders on again. In mailing order.
 * @returns one text, for a `RecipientPage`
 */
export async function findRecipients(db: Queryable, part: Part, now: Date): Promise<string> {
  const [row] = await selectPage(db, { ...part, now })
  return row?.page ?? ''
}

/** Returns one text: a row each costs the database and the worker more than all else of a mail's reading. No address has a line end but one that nobody can write to. */
const selectPage = compiledQuery<Part & { now: Date }, { page: string | null }>(
  (_db, part) => sql`
    select string_agg(
      concat(person.id, case when exists (select from mail_refusals where user_id = person.id) then 1 else 0 end,
        subscription.mail_no, chr(9), subscription.unsubscribe_token, chr(9), translate(person.email, chr(10), ' ')),
      chr(10) order by subscription.mail_no) as page
    from subscriptions subscription
    cross join lateral (
      select id, email from users where id = subscription.subscriber_id and inactive_since is null and position_mails_off_at is null limit 1
    ) person
    where subscription.trader_id = ${part.traderId}
      and subscription.mail_no > ${part.after} and subscription.mail_no <= ${part.upTo}
      and ${isEntitled(part.eventNo)}
      and subscription.mail_muted_at is null
      and (subscription.unmailed_until_event is null or subscription.unmailed_until_event < ${part.eventNo})
      and not exists (select from suppressions where user_id = person.id and (ends_at is null or ends_at > ${part.now}))`,
)
