import { sql } from 'kysely'
import { entitledBetween } from '../billing/entitlements/entitled-events.ts'
import { compiledQuery } from '../platform/database/queryable.ts'
import { isNotifiedTogether } from '../positions/record/notified-together.ts'

/** The mail of an event to one reader, as far as it is known: its range, and the reader's place in the range. */
export type MailedRange = {
  viewerId: string
  traderId: string
  eventNo: number
  from: number
  to: number
  mailNo: number
  /** Instants, ms. */
  firstSentAt: number
  lastSentAt: number
}

/** `readers`: each once. Of the others as many of each, in one order: an event and its reader. */
type AskedRanges = { readers: string[]; viewerIds: string[]; traderIds: string[]; eventNos: number[] }

const inMs = (instant: string) => sql<number>`floor(extract(epoch from ${sql.ref(instant)}) * 1000)::float8`

/**
 * The ranges in which readers were mailed of events, where they went as a whole and passed nobody over for a reason that held for
 * this reader: mails switched off, suspended, no address that takes mail, a mail that was refused or came later.
 */
export const findMailedRanges = compiledQuery(
  (_db, { eventNos, readers, traderIds, viewerIds }: AskedRanges) => sql<MailedRange>`
    with follower as materialized (
      select follower.* from unnest(${readers}::uuid[]) reader (id) join subscriptions follower on follower.subscriber_id = reader.id
    )
    select event.viewer_id as "viewerId", event.trader_id as "traderId", event.event_no as "eventNo",
      range.from_mail_no as "from", range.to_mail_no as "to", follower.mail_no as "mailNo",
      ${inMs('range.first_sent_at')} as "firstSentAt", ${inMs('range.last_sent_at')} as "lastSentAt"
    from unnest(${viewerIds}::uuid[], ${traderIds}::uuid[], ${eventNos}::bigint[]) event (viewer_id, trader_id, event_no)
    join follower on follower.trader_id = event.trader_id and follower.subscriber_id = event.viewer_id
      and ${entitledBetween(sql<number>`event.event_no`, sql<number>`event.event_no`)}
    join delivery_ranges range on range.trader_id = event.trader_id and range.event_no = event.event_no
      and range.channel = 'mail' and range.from_mail_no < follower.mail_no and range.to_mail_no >= follower.mail_no
    where range.done_at is not null and range.sent_count > 0
      and range.first_sent_at is not null and range.last_sent_at is not null
      and event.event_no > coalesce(follower.mails_unknown_until_event, 0)
      and (follower.mail_muted_at is null or follower.mail_muted_at > range.done_at)
      and not exists (
        select from users where id = event.viewer_id and position_mails_off_at <= range.done_at
      )
      and not exists (
        select from suppressions
        where user_id = event.viewer_id and created_at <= range.done_at and (ends_at is null or ends_at > range.done_at)
      )
      and not exists (
        select from delivery_exceptions exception
        where exception.trader_id = event.trader_id and exception.event_no = event.event_no
          and exception.channel = 'mail' and exception.mail_no = follower.mail_no
      )`,
)

/** A range counts as so many points, evenly from its first mail to its last. */
const POINTS = 10

/**
 * Mails of events, by the seconds from publishing until a mail server took them, rounded up to a tenth. Of a range only its first and last
 * mail are recorded: the others count as evenly distributed between them. Mails that came later by themselves are among them.
 * @param events rows with `trader_id`, `event_no` and `created_at`
 */
const mailsBySeconds = (events: ReturnType<typeof sql>) => sql`
  select trader_id, event_no, greatest(ceil(extract(epoch from sent_at - published_at) * 10) / 10, 0) as seconds, sum(mails) as mails
  from (
    select event.trader_id, event.event_no, event.created_at as published_at,
      range.first_sent_at + (range.last_sent_at - range.first_sent_at) * (point / ${sql.lit(POINTS)}::float8) as sent_at,
      range.sent_count::numeric / ${sql.lit(POINTS)} as mails
    from (${events}) event
    join delivery_ranges range on range.trader_id = event.trader_id and range.event_no = event.event_no
      and range.channel = 'mail' and range.sent_count > 0
    cross join generate_series(1, ${sql.lit(POINTS)}) point
    union all
    select event.trader_id, event.event_no, event.created_at, exception.updated_at, 1
    from (${events}) event
    join delivery_exceptions exception on exception.trader_id = event.trader_id and exception.event_no = event.event_no
      and exception.channel = 'mail' and exception.state = 'sent'
  ) points
  group by 1, 2, 3`

export type MailingRow = {
  traderId: string
  eventNo: number
  /** Mails that were taken. */
  sent: number
  /** Decimal texts; null without a mail. */
  halfSeconds: string | null
  mostSeconds: string | null
  done: boolean
}

/** How the mails of a trader's events went. @param publishedAt as many as `eventNos`, in their order */
export const findMailings = compiledQuery(
  (
    _db,
    { eventNos, publishedAt, traderId }: { traderId: string; eventNos: number[]; publishedAt: Date[] },
  ) => sql<MailingRow>`
    with event as (
      select ${traderId}::uuid as trader_id, event_no, created_at
      from unnest(${eventNos}::bigint[], ${publishedAt}::timestamptz[]) asked (event_no, created_at)
    ), mails as (${mailsBySeconds(sql`select * from event`)}
    ), running as (
      select *, sum(mails) over (partition by event_no order by seconds) as so_far,
        sum(mails) over (partition by event_no) as of_all
      from mails
    )
    select event.trader_id as "traderId", event.event_no as "eventNo",
      coalesce(round(max(running.of_all)), 0)::int as sent,
      min(running.seconds) filter (where running.so_far >= running.of_all * 0.5)::text as "halfSeconds",
      min(running.seconds) filter (where running.so_far >= running.of_all * 0.95)::text as "mostSeconds",
      not exists (
        select from event_work where trader_id = event.trader_id and reader = 'mail' and event_no = event.event_no
      ) and not exists (
        select from delivery_ranges where trader_id = event.trader_id and event_no = event.event_no and channel = 'mail'
          and done_at is null
      ) as done
    from event
    left join running on running.event_no = event.event_no
    group by event.trader_id, event.event_no
    order by event.event_no desc`,
)

export type OwnEvent = {
  eventNo: number
  kind: 'opened' | 'closed' | 'adjusted'
  at: Date
  symbol: string
  username: string | null
}

/** A trader's latest events that are mailed, newest first. */
export const findLatestEvents = compiledQuery(
  (_db, { limit, traderId }: { traderId: string; limit: number }) => sql<OwnEvent>`
    select event.event_no as "eventNo", event.kind, event.created_at as at, position.symbol, account.username
    from position_events event
    join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    left join accounts account on account.user_id = event.trader_id
    where event.trader_id = ${traderId} and event.kind <> 'settled'
      and not ${isNotifiedTogether({ traderId: sql<string>`event.trader_id`, eventNo: sql<number>`event.event_no` })}
    order by event.created_at desc, event.event_no desc limit ${limit}`,
)

export type DeliveryRow = {
  events: number
  mails: number
  /** Decimal texts, seconds; null without a mail. */
  half: string | null
  most: string | null
  nearlyAll: string | null
}

/** How all mails of the events of a span went, with no regard to whose they are. */
export const findDelivery = compiledQuery(
  (_db, { since, until }: { since: Date; until: Date }) => sql<DeliveryRow>`
    with mails as (${mailsBySeconds(sql`
      select trader_id, event_no, created_at from position_events
      where created_at >= ${since} and created_at < ${until}`)}
    ), by_seconds as (
      select seconds, sum(mails) as mails from mails group by seconds
    ), running as (
      select seconds, sum(mails) over (order by seconds) as so_far, sum(mails) over () as of_all from by_seconds
    )
    select (select count(*)::int from (select distinct trader_id, event_no from mails) told) as events,
      coalesce(round(max(of_all)), 0)::int as mails,
      min(seconds) filter (where so_far >= of_all * 0.5)::text as half,
      min(seconds) filter (where so_far >= of_all * 0.95)::text as most,
      min(seconds) filter (where so_far >= of_all * 0.99)::text as "nearlyAll"
    from running`,
)
