import { sql } from 'kysely'
import { entitledBetween } from '../../billing/entitlements/entitled-events.ts'
import type { Queryable } from '../../platform/database/queryable.ts'

/** A trader whose prices a retraction took back, and the numbers of the events that publish it. */
export type NotifiedTogether = { traderId: string; eventNos: number[] }

/** A page of a retraction's traders, in the order of their ids. */
export async function listTraders(
  db: Queryable,
  retractionId: string,
  { after, limit }: { after: string; limit: number },
): Promise<NotifiedTogether[]> {
  const { rows } =
    await sql<NotifiedTogether>`select trader_id as "traderId", jsonb_agg(event_no order by event_no) as "eventNos"
    from position_adjustments where retraction_id = ${retractionId} and trader_id > ${after}
    group by trader_id order by trader_id limit ${limit}`.execute(db)
  return rows
}

/** A retraction as its mails show it: the price is decimal text, US dollars. */
export type RetractionStory = {
  id: string
  symbol: string
  from: Date
  to: Date
  price: string
  reason: string
}

export async function findRetractions(db: Queryable, ids: string[]): Promise<RetractionStory[]> {
  return db
    .selectFrom('price_retractions')
    .select(['id', 'symbol', 'from_at as from', 'to_at as to', 'price', 'reason'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
}

/** Traders whom these people ever followed. */
export async function listTradersOf(db: Queryable, readerIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ traderId: string }>`select distinct trader_id as "traderId" from subscriptions
    where subscriber_id = any(${readerIds}::uuid[]) and entitled_from_event is not null`.execute(db)
  return rows.map(({ traderId }) => traderId)
}

/** A price that a retraction took back; prices are decimal texts in US dollars. */
export type RetractedPrice = {
  retractionId: string
  traderId: string
  eventNo: number
  positionId: string
  end: 'open' | 'close'
  before: string
  now: string
  openedAt: Date
  /** Percent, exact decimal text, with all corrections; null while it is open or its close is unsettled. */
  percentageGain: string | null
}

/** Prices of these traders that retractions took back, by trader and in the order of their events. */
export async function listPrices(
  db: Queryable,
  { retractionIds, traderIds }: { retractionIds: string[]; traderIds: string[] },
): Promise<RetractedPrice[]> {
  const { rows } = await sql<RetractedPrice>`
    select correction.retraction_id as "retractionId", correction.trader_id as "traderId", correction.event_no as "eventNo",
      correction.position_id as "positionId", correction.corrected as end, correction.price_before as before,
      correction.price_after as now, position.opened_at as "openedAt",
      case when not position.unsettled then position.percentage_gain end as "percentageGain"
    from position_adjustments correction
      join positions position on position.trader_id = correction.trader_id and position.id = correction.position_id
    where correction.retraction_id = any(${retractionIds}::uuid[]) and correction.trader_id = any(${traderIds}::uuid[])
    order by correction.trader_id, correction.event_no`.execute(db)
  return rows
}

/** `unsubscribeToken`: of the subscription by which a reader receives an event. */
export type ReceivedEvent = { readerId: string; traderId: string; eventNo: number; unsubscribeToken: string }

/** Which of these events these people are mailed of. @param events traders and numbers, in one order */
export async function findReceived(
  db: Queryable,
  readerIds: string[],
  { eventNos, traderIds }: { traderIds: string[]; eventNos: number[] },
): Promise<ReceivedEvent[]> {
  const { rows } = await sql<ReceivedEvent>`
    select subscriber_id as "readerId", event.trader_id as "traderId", event.event_no as "eventNo",
      unsubscribe_token as "unsubscribeToken"
    from unnest(${traderIds}::uuid[], ${eventNos}::bigint[]) event (trader_id, event_no)
      join subscriptions on subscriptions.trader_id = event.trader_id and subscriber_id = any(${readerIds}::uuid[])
        and ${entitledBetween(sql<number>`event.event_no`, sql<number>`event.event_no`)}
    where mail_muted_at is null and event.event_no > coalesce(unmailed_until_event, 0)
      and not exists (select from users where id = subscriber_id and position_mails_off_at is not null)`.execute(
    db,
  )
  return rows
}

/** Usernames of traders, by id. */
export async function findNames(db: Queryable, traderIds: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('accounts')
    .select(['user_id', 'username'])
    .where('user_id', '=', sql<string>`any(${traderIds}::uuid[])`)
    .execute()
  return new Map(rows.flatMap(({ user_id, username }) => (username === null ? [] : [[user_id, username]])))
}
