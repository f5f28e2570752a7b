import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** `any` of one array parameter: the statement keeps one text, and one plan, whatever the number of statuses. */
const oneOf = (statuses: readonly SubscriptionStatus[]) => sql<SubscriptionStatus>`any(${statuses}::text[])`

/** The status of the pair's subscription that is not canceled (the database allows one); null when there is none. */
export async function findLiveStatus(db: Queryable, pair: Pair): Promise<SubscriptionStatus | null> {
  const [row] = await selectLiveStatus(db, pair)
  return row?.status ?? null
}

type Pair = { traderId: string; subscriberId: string }

const selectLiveStatus = compiledQuery((db, { subscriberId, traderId }: Pair) =>
  db
    .selectFrom('subscriptions')
    .select('status')
    .where('trader_id', '=', traderId)
    .where('subscriber_id', '=', subscriberId)
    .where('status', '<>', 'canceled'),
)

/** How many people have a subscription to the trader in one of these statuses. */
export async function countSubscribers(
  db: Queryable,
  traderId: string,
  statuses: readonly SubscriptionStatus[],
): Promise<number> {
  const [counted] = await selectSubscriberCount(db, { traderId, statuses })
  return counted?.count ?? 0
}

type Counted = { traderId: string; statuses: readonly SubscriptionStatus[] }

const selectSubscriberCount = compiledQuery((db, { statuses, traderId }: Counted) =>
  db
    .selectFrom('subscriptions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('trader_id', '=', traderId)
    .where('status', '=', oneOf(statuses)),
)

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

/** Writes the subscription and its unsubscribe token, which leads from a mail's link to this row. */
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
  /**
   * The newest window of the trader's events that the subscriber may read: after event number `from`, up to and including
   * `until`. `from` is null before the first window, `until` while the window is open (ADR 0004).
   */
  from: number | null
  until: number | null
}

/** Call it while the trader's row in `traders` is locked: a change of entitlement is computed from the answer. */
export async function findEntitlement(
  tx: Queryable,
  key: { traderId: string; id: string },
): Promise<Entitlement & { subscriberId: string }> {
  const row = await tx
    .selectFrom('subscriptions')
    .select(['subscriber_id', 'status', 'entitled_from_event', 'entitled_until_event'])
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow()
  return {
    subscriberId: row.subscriber_id,
    status: row.status,
    from: row.entitled_from_event,
    until: row.entitled_until_event,
  }
}

/** The end of the month that was paid last, and the instant at which the subscription is planned to end (both UTC). */
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
  /** A window that this change closes and that is added to the earlier ones; null when it closes none. */
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
      // When no window closes, both bounds are 0: an empty range, which adds nothing.
      earlier_windows: sql<string>`earlier_windows
        + int8multirange(int8range(${closed?.from ?? 0}::bigint, ${closed?.until ?? 0}::bigint, '(]'))`,
    })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}
