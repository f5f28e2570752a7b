import { sql } from 'kysely'
import { entitledBetween } from '../billing/entitlements/entitled-events.ts'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import { type ShownPosition, shownColumns } from '../positions/record/shown-position.ts'
import { companyNameOf } from '../quotes/symbols/company-name-of.ts'

/** A trader whose events a viewer receives. */
export type Received = {
  traderId: string
  /** Number of the trader's last event. */
  lastEventNo: number
  /** The last event that the subscription came too late for; null of a trader who is not followed any more. */
  since: number | null
  /** Of the viewer, when one of their subscriptions changed last. */
  changedAt: Date | null
}

/**
 * The traders whose events a viewer receives: the viewer first, those whom the viewer follows now, and of `others` those whom the viewer
 * once followed.
 * @param others uuids
 */
export async function findReceived(db: Queryable, viewerId: string, others: string[]): Promise<Received[]> {
  return selectReceived(db, { viewerId, others })
}

const selectReceived = compiledQuery(
  (_db, { others, viewerId }: { viewerId: string; others: string[] }) => sql<Received>`
    select ${viewerId}::uuid as "traderId",
      coalesce((select last_event_no from traders where trader_id = ${viewerId}), 0) as "lastEventNo", 0::bigint as since,
      (select max(greatest(started_at, ended_at, synced_at)) from subscriptions where subscriber_id = ${viewerId}) as "changedAt"
    union all
    select traders.trader_id, traders.last_event_no,
      max(followed.entitled_from_event) filter (where followed.entitled_until_event is null), null
    from subscriptions followed join traders on traders.trader_id = followed.trader_id
    where followed.subscriber_id = ${viewerId} and followed.entitled_from_event is not null
      and (followed.entitled_until_event is null or followed.trader_id = any(${others}::uuid[]))
    group by traders.trader_id`,
)

/** When the last event of the traders that a viewer receives was published; null before the first. */
export async function findLastPublishedAt(
  db: Queryable,
  received: readonly Received[],
): Promise<Date | null> {
  const [row] = await selectLastPublishedAt(db, {
    traderIds: received.map(({ traderId }) => traderId),
    eventNos: received.map(({ lastEventNo }) => lastEventNo),
  })
  return row?.at ?? null
}

const selectLastPublishedAt = compiledQuery(
  (_db, { eventNos, traderIds }: { traderIds: string[]; eventNos: number[] }) => sql<{ at: Date | null }>`
    select max(event.created_at) as at
    from position_events event
    join unnest(${traderIds}::uuid[], ${eventNos}::bigint[]) heard (trader_id, event_no)
      on heard.trader_id = event.trader_id and heard.event_no = event.event_no
    where event.trader_id = any(${traderIds}::uuid[])`,
)

export type PublishedEvent = ShownPosition & {
  eventNo: number
  kind: 'opened' | 'closed' | 'settled' | 'adjusted'
  createdAt: Date
  /** Decimal texts; null of a position that is active. */
  closePrice: string | null
  percentageGain: string | null
  unsettled: boolean
  username: string
  companyName: string | null
  /** Ids of the viewers who were entitled to this event. */
  entitled: string[]
}

type Asked = { traderId: string; after: number; viewers: string[]; limit: number }

/** The events of a trader after one of them, in order, and which viewers were entitled at each. */
export const findEventsAfter = compiledQuery(
  (_db, { after, limit, traderId, viewers }: Asked) => sql<PublishedEvent>`
    with follower as materialized (
      select subscriber_id, entitled_from_event, entitled_until_event, earlier_windows
      from subscriptions where trader_id = ${traderId} and subscriber_id = any(${viewers}::uuid[])
    ), account as materialized (
      select username from accounts where user_id = ${traderId}
    )
    select event.event_no as "eventNo", event.kind, event.created_at as "createdAt", ${shownColumns('position')},
      position.close_price as "closePrice", position.percentage_gain as "percentageGain", position.unsettled, account.username, ${companyNameOf('position')} as "companyName",
      array(
        select subscriber_id::text from follower
        where ${entitledBetween(sql<number>`event.event_no`, sql<number>`event.event_no`)}
        union all
        select event.trader_id::text where event.trader_id = any(${viewers}::uuid[])
      ) as entitled
    from position_events event
    join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    cross join account
    where event.trader_id = ${traderId} and event.event_no > ${after}
    order by event.event_no
    limit ${limit}`,
)

/**
 * Which of these symbols these traders hold, since when, and whether the ticker is another company's by now; in the order of symbols, so that it
 * reveals nothing of what others hold.
 */
export const findHolders = compiledQuery(
  (_db, { symbols, traderIds }: { symbols: string[]; traderIds: string[] }) => sql<{
    traderId: string
    symbol: string
    openedAt: Date
    isLost: boolean
  }>`
    select trader_id as "traderId", symbol, opened_at as "openedAt", ticker_lost_on is not null as "isLost" from positions
    where closed_at is null and symbol = any(${symbols}::text[]) and trader_id = any(${traderIds}::uuid[])
    order by symbol`,
)

/** The columns that decide whether somebody's payouts are complete, as one text; '' without an account. */
export async function findPayoutState(db: Queryable, userId: string): Promise<string> {
  const [row] = await selectPayoutState(db, { userId })
  return row?.state ?? ''
}

const selectPayoutState = compiledQuery(
  (_db, { userId }: { userId: string }) => sql<{ state: string }>`
    select concat_ws(' ', transfers_status, reason, complete_at, closed_at) as state from payout_accounts where user_id = ${userId}`,
)
