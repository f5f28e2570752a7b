import type { PaidMonth } from '@tradepost/contract/paid-months'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import { entitledBetween } from '../entitlements/entitled-events.ts'

/** An event that can be what a month was paid for. @property mailedNo the event whose mail brought it: a settlement has none of its own */
export type Spoken = { eventNo: number; mailedNo: number }

/**
 * The events of a trader in a month that are the trader's own word (rule G-127): openings, closes, and unsettled closes once they are settled.
 * Left out are changes by the operator, closes by the product or the operator, and positions that were struck.
 */
export async function listSpoken(db: Queryable, traderId: string, month: PaidMonth): Promise<Spoken[]> {
  const { rows } = await sql<Spoken>`
    select event.event_no as "eventNo", coalesce(closing.event_no, event.event_no) as "mailedNo"
    from position_events event
    join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    left join position_events closing on event.kind = 'settled' and closing.trader_id = event.trader_id
      and closing.position_id = event.position_id and closing.kind = 'closed'
    where event.trader_id = ${traderId} and event.created_at >= ${month.start} and event.created_at < ${month.end}
      and position.struck_at is null
      and (event.kind = 'opened' or (not position.closed_by_operator and (event.kind = 'settled'
        or (event.kind = 'closed' and not position.unsettled and position.settled_at is null))))
    order by event.event_no`.execute(db)
  return rows
}

/**
 * Whether an event reached a follower. Their place in its mails was dealt with: a mail server took it, or the follower had chosen not to be
 * mailed, or their address takes no mails; what they are entitled to is in the product at once. Where the mail was given up for another
 * reason, a notification that was taken counts, and Activity that was opened since.
 */
const isReached = sql`(
  ${entitledBetween(sql<number>`event.mailed_no`, sql<number>`event.mailed_no`)}
  and exists (select from delivery_ranges range where range.trader_id = followed.trader_id and range.event_no = event.mailed_no
    and range.channel = 'mail' and range.from_mail_no < followed.mail_no and range.to_mail_no >= followed.mail_no
    and range.progress_mail_no >= followed.mail_no)
  and not exists (select from delivery_exceptions failed where failed.trader_id = followed.trader_id
    and failed.event_no = event.mailed_no and failed.channel = 'mail' and failed.mail_no = followed.mail_no
    and failed.state in ('retry', 'failed'))
  or exists (select from activity_reads seen where seen.user_id = followed.subscriber_id and seen.trader_id = followed.trader_id
    and seen.event_no >= event.event_no)
  or exists (select from push_deliveries push where push.trader_id = followed.trader_id and push.event_no = event.event_no
    and push.user_id = followed.subscriber_id and push.ended_as = 'sent'))`

/** Whether its mail to a follower is still on the way. */
const isOnItsWay = sql`(
  exists (select from event_work work where work.trader_id = followed.trader_id and work.reader = 'mail'
    and work.event_no = event.mailed_no and work.parked_at is null)
  or exists (select from delivery_ranges range where range.trader_id = followed.trader_id and range.event_no = event.mailed_no
    and range.channel = 'mail' and range.from_mail_no < followed.mail_no and range.to_mail_no >= followed.mail_no
    and range.progress_mail_no < followed.mail_no)
  or exists (select from delivery_exceptions later where later.trader_id = followed.trader_id and later.event_no = event.mailed_no
    and later.channel = 'mail' and later.mail_no = followed.mail_no and later.state = 'retry'))`

/** How events stand to one follower: those that they were entitled to at the event itself. */
export async function findReach(
  db: Queryable,
  follower: { traderId: string; subscriptionId: string },
  events: readonly Spoken[],
): Promise<{ reached: boolean; onItsWay: boolean }> {
  const { rows } = await sql<{ reached: boolean; onItsWay: boolean }>`
    select coalesce(bool_or(${isReached}), false) as reached, coalesce(bool_or(${isOnItsWay}), false) as "onItsWay"
    from unnest(${events.map(({ eventNo }) => eventNo)}::bigint[], ${events.map(({ mailedNo }) => mailedNo)}::bigint[])
      event (event_no, mailed_no)
    join subscriptions followed on followed.trader_id = ${follower.traderId} and followed.id = ${follower.subscriptionId}
      and ${entitledBetween(sql<number>`event.event_no`, sql<number>`event.event_no`)}`.execute(db)
  return rows[0] ?? { reached: false, onItsWay: false }
}
