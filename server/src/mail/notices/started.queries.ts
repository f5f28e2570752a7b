import type { HoldLength } from '@tradepost/contract/hold-length'
import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import { companyNameOf } from '../../quotes/symbols/company-name-of.ts'

/** A subscription as the mail about its beginning needs it. */
export type StartedSubscription = {
  id: string
  traderId: string
  status: SubscriptionStatus
  /** Whether its follower has the trader's mails or those of all traders switched off. */
  silent: boolean
  unsubscribeToken: string
}

/** These subscriptions; those that have gone with their people are left out. @param ids as many as `traderIds`, in their order */
export async function findStarted(
  db: Queryable,
  { ids, traderIds }: { ids: string[]; traderIds: string[] },
): Promise<StartedSubscription[]> {
  const { rows } = await sql<StartedSubscription>`
    select subscription.id, subscription.trader_id as "traderId", subscription.status,
      subscription.mail_muted_at is not null or person.position_mails_off_at is not null as silent,
      subscription.unsubscribe_token as "unsubscribeToken"
    from unnest(${traderIds}::uuid[], ${ids}::uuid[]) as wanted (trader_id, id)
    join subscriptions subscription
      on subscription.trader_id = wanted.trader_id and subscription.id = wanted.id
    join users person on person.id = subscription.subscriber_id`.execute(db)
  return rows
}

/** An active position, and how many its trader has in all; struck ones are not counted. */
export type OpenPosition = {
  traderId: string
  symbol: string
  companyName: string | null
  openPrice: string
  openedAt: Date
  holdLength: HoldLength
  openNotes: string
  total: number
}

/** The newest active positions of each of these traders, newest first, without struck ones. */
export async function listNewestOpen(
  db: Queryable,
  traderIds: string[],
  limitOfEach: number,
): Promise<OpenPosition[]> {
  const { rows } = await sql<OpenPosition>`
    select open.trader_id as "traderId", open.symbol, ${companyNameOf('open')} as "companyName", open.open_price as "openPrice",
      open.opened_at as "openedAt", open.hold_length as "holdLength", open.open_notes as "openNotes", open.total
    from (
      select position.*, (count(*) over (partition by trader_id))::int as total,
        row_number() over (partition by trader_id order by opened_at desc, id desc) as place
      from positions position where trader_id = any(${traderIds}::uuid[]) and closed_at is null and struck_at is null
    ) open
    where open.place <= ${limitOfEach}
    order by open.opened_at desc, open.id desc`.execute(db)
  return rows
}
