import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

/** The statuses travel as one parameter, so each statement keeps one text. */
const oneOf = (statuses: readonly SubscriptionStatus[]) => sql<string>`any(${[...statuses]}::text[])`

/** Status of the pair's live subscription (at most one), or null. */
export async function findLiveStatus(
  db: Queryable,
  pair: { traderId: string; subscriberId: string },
): Promise<SubscriptionStatus | null> {
  const row = await db
    .selectFrom('subscriptions')
    .select('status')
    .where('trader_id', '=', pair.traderId)
    .where('subscriber_id', '=', pair.subscriberId)
    .where('status', '<>', 'canceled')
    .executeTakeFirst()
  return row ? (row.status as SubscriptionStatus) : null
}

/** The traders that somebody follows in one of these states. */
export async function listTradersFollowed(
  db: Queryable,
  subscriberId: string,
  statuses: readonly SubscriptionStatus[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('trader_id')
    .where('subscriber_id', '=', subscriberId)
    .where('status', '=', oneOf(statuses))
    .execute()
  return rows.map((row) => row.trader_id)
}

export async function countSubscribers(
  db: Queryable,
  traderId: string,
  statuses: readonly SubscriptionStatus[],
): Promise<number> {
  const { count } = await db
    .selectFrom('subscriptions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('trader_id', '=', traderId)
    .where('status', '=', oneOf(statuses))
    .executeTakeFirstOrThrow()
  return count
}

export async function isSuspended(db: Queryable, userId: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('suspended_at').where('id', '=', userId).executeTakeFirst()
  return row === undefined || row.suspended_at !== null
}

export type NewSubscription = {
  id: string
  traderId: string
  subscriberId: string
  mailNo: number
  status: SubscriptionStatus
  entitledFromEvent: number | null
  unsubscribeToken: string
  stripeSubscriptionId: string | null
  priceCents: number
  currency: string
  currentPeriodEnd: Date | null
  cancelAt: Date | null
  startedAt: Date
  endedAt: Date | null
}

/** Writes the row and where its unsubscribe link leads. */
export async function insertSubscription(tx: Queryable, subscription: NewSubscription): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({
      trader_id: subscription.traderId,
      id: subscription.id,
      mail_no: subscription.mailNo,
      subscriber_id: subscription.subscriberId,
      status: subscription.status,
      entitled_from_event: subscription.entitledFromEvent,
      unsubscribe_token: subscription.unsubscribeToken,
      stripe_subscription_id: subscription.stripeSubscriptionId,
      price_cents: subscription.priceCents,
      currency: subscription.currency,
      current_period_end: subscription.currentPeriodEnd,
      cancel_at: subscription.cancelAt,
      started_at: subscription.startedAt,
      ended_at: subscription.endedAt,
      synced_at: subscription.startedAt,
    })
    .execute()
  await tx
    .insertInto('unsubscribe_tokens')
    .values({
      token: subscription.unsubscribeToken,
      trader_id: subscription.traderId,
      subscription_id: subscription.id,
    })
    .execute()
}

export type Entitlement = {
  status: SubscriptionStatus
  /** The newest window: events after `from`, up to and including `until`; null while it is open. */
  from: number | null
  until: number | null
}

/** Call it under the trader's head's lock only: it is what the change is computed from. */
export async function findEntitlement(
  tx: Queryable,
  key: { traderId: string; id: string },
): Promise<Entitlement> {
  const row = await tx
    .selectFrom('subscriptions')
    .select(['status', 'entitled_from_event', 'entitled_until_event'])
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow()
  return {
    status: row.status as SubscriptionStatus,
    from: row.entitled_from_event,
    until: row.entitled_until_event,
  }
}

/** What was paid for last, and when it is to end. */
export async function findPeriod(
  tx: Queryable,
  key: { traderId: string; id: string },
): Promise<{ currentPeriodEnd: Date | null; cancelAt: Date | null }> {
  return tx
    .selectFrom('subscriptions')
    .select(['current_period_end as currentPeriodEnd', 'cancel_at as cancelAt'])
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow()
}

export async function updatePeriod(
  tx: Queryable,
  key: { traderId: string; id: string },
  period: { currentPeriodEnd: Date | null; cancelAt: Date | null },
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ current_period_end: period.currentPeriodEnd, cancel_at: period.cancelAt })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

export type StatusChange = Entitlement & {
  /** A window to put with the earlier ones: events after `from`, up to and including `until`. */
  closedWindow: { from: number; until: number } | null
  currentPeriodEnd: Date | null
  cancelAt: Date | null
}

export async function updateEntitlement(
  tx: Queryable,
  key: { traderId: string; id: string },
  change: StatusChange,
  now: Date,
): Promise<void> {
  const closed = change.closedWindow
  await tx
    .updateTable('subscriptions')
    .set({
      status: change.status,
      entitled_from_event: change.from,
      entitled_until_event: change.until,
      current_period_end: change.currentPeriodEnd,
      cancel_at: change.cancelAt,
      ended_at: change.status === 'canceled' ? now : null,
      synced_at: now,
      // An empty range adds nothing.
      earlier_windows: sql<string>`earlier_windows
        + int8multirange(int8range(${closed?.from ?? 0}::bigint, ${closed?.until ?? 0}::bigint, '(]'))`,
    })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}
