import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

/** What the mails of an event tell. */
export type EventStory = {
  kind: 'opened' | 'closed'
  at: Date
  trader: string | null
  symbol: string
  holdLength: HoldLength
  openPrice: string
  openNotes: string
  closePrice: string | null
  closeNotes: string | null
  percentageGain: string | null
}

/** @returns null when the event went with its trader */
export async function findEventStory(
  db: Queryable,
  event: { traderId: string; eventNo: number },
): Promise<EventStory | null> {
  const row = await db
    .selectFrom('position_events as event')
    .innerJoin('positions as position', (join) =>
      join.onRef('position.trader_id', '=', 'event.trader_id').onRef('position.id', '=', 'event.position_id'),
    )
    .leftJoin('accounts as account', 'account.user_id', 'event.trader_id')
    .select([
      'event.kind',
      'event.created_at as at',
      'account.username as trader',
      'position.symbol',
      'position.hold_length as holdLength',
      'position.open_price as openPrice',
      'position.open_notes as openNotes',
      'position.close_price as closePrice',
      'position.close_notes as closeNotes',
      'position.percentage_gain as percentageGain',
    ])
    .where('event.trader_id', '=', event.traderId)
    .where('event.event_no', '=', event.eventNo)
    .executeTakeFirst()
  return row ? { ...row, kind: row.kind === 'closed' ? 'closed' : 'opened' } : null
}

export type Recipient = {
  mailNo: number
  userId: string
  address: string
  unsubscribeToken: string
  /** Whether their server refused a mail since it last took one. */
  refusedBefore: boolean
}

/**
 * Those of an event's frozen audience with `after < mail_no <= upTo` who may be mailed now: not unsubscribed, not
 * suspended, no address that was refused for good. In mailing order.
 */
export async function findRecipients(
  db: Queryable,
  part: { traderId: string; eventNo: number; after: number; upTo: number },
): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select subscription.mail_no as "mailNo", person.id as "userId", person.email as address,
      subscription.unsubscribe_token as "unsubscribeToken",
      exists (select from mail_refusals where user_id = person.id) as "refusedBefore"
    from subscriptions subscription
    join users person on person.id = subscription.subscriber_id
    where subscription.trader_id = ${part.traderId}
      and subscription.mail_no > ${part.after} and subscription.mail_no <= ${part.upTo}
      and ((entitled_from_event < ${part.eventNo}
          and (entitled_until_event is null or entitled_until_event >= ${part.eventNo}))
        or earlier_windows @> ${part.eventNo}::bigint)
      and subscription.mail_muted_at is null
      and person.suspended_at is null
      and not exists (select from suppressions where user_id = person.id)
    order by subscription.mail_no`.execute(db)
  return rows
}
