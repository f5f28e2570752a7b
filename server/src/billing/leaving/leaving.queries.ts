import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { EndReason } from '../../stripe/subscriptions.ts'
import { entitledWindows } from '../entitlements/entitled-events.ts'

/** A subscription that its subscriber wants to leave. */
export type Leaver = {
  traderId: string
  id: string
  subscriberId: string
  /** The trader's; empty for one who has left. */
  username: string
  /** Null for one that was not bought. */
  stripeId: string | null
  status: SubscriptionStatus
  endReason: EndReason | null
  currency: string
  currentPeriodEnd: Date | null
  cancelAt: Date | null
  /** Of free days, also once they are over; null where there were none. */
  trialEndsAt: Date | null
  endedAt: Date | null
}

type Key = { traderId: string; id: string }

/** @returns null when it has gone */
export async function findLeaver(db: Queryable, key: Key): Promise<Leaver | null> {
  const row = await db
    .selectFrom('subscriptions')
    .leftJoin('accounts', 'accounts.user_id', 'subscriptions.trader_id')
    .select([
      'subscriptions.trader_id as traderId',
      'subscriptions.id',
      'subscriptions.subscriber_id as subscriberId',
      'accounts.username',
      'subscriptions.stripe_subscription_id as stripeId',
      'subscriptions.status',
      'subscriptions.end_reason as endReason',
      'subscriptions.currency',
      'subscriptions.current_period_end as currentPeriodEnd',
      'subscriptions.cancel_at as cancelAt',
      'subscriptions.trial_ends_at as trialEndsAt',
      'subscriptions.ended_at as endedAt',
    ])
    .where('subscriptions.trader_id', '=', key.traderId)
    .where('subscriptions.id', '=', key.id)
    .executeTakeFirst()
  if (!row) return null
  return { ...row, username: row.username ?? '', endReason: row.endReason as EndReason | null }
}

/** The subscription to the same trader that somebody pays for now, whichever it is; null for none. */
export async function findLiving(
  db: Queryable,
  { subscriberId, traderId }: { subscriberId: string; traderId: string },
): Promise<Leaver | null> {
  const row = await db
    .selectFrom('subscriptions')
    .select('id')
    .where('trader_id', '=', traderId)
    .where('subscriber_id', '=', subscriberId)
    .where('status', '<>', 'canceled')
    .where('stripe_subscription_id', 'is not', null)
    .executeTakeFirst()
  return row ? findLeaver(db, { traderId, id: row.id }) : null
}

/** Whether the trader opened or closed anything that this subscription was entitled to. @param from null for its beginning */
export async function wasDelivered(
  db: Queryable,
  { id, traderId }: Key,
  { from, to }: { from: Date | null; to: Date },
): Promise<boolean> {
  // Two statements: the tables may be on several nodes.
  const entitled = await sql<{ windows: string | null }>`
    select ${entitledWindows}::text as windows from subscriptions where trader_id = ${traderId} and id = ${id}`.execute(
    db,
  )
  const { rows } = await sql<{ delivered: boolean }>`
    select exists (
      select from position_events where trader_id = ${traderId} and kind in ('opened', 'closed')
        and (${from}::timestamptz is null or created_at >= ${from}) and created_at < ${to}
        and event_no::bigint <@ ${entitled.rows[0]?.windows ?? '{}'}::int8multirange
    ) as delivered`.execute(db)
  return rows[0]?.delivered === true
}

/** Cents that the withdrawal from a subscription returns. */
export async function sumReturned(
  db: Queryable,
  key: { traderId: string; stripeId: string },
): Promise<number> {
  const { cents } = await db
    .selectFrom('debts')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('amount_cents'), eb.val(0)).as('cents'))
    .where('trader_id', '=', key.traderId)
    .where('stripe_subscription_id', '=', key.stripeId)
    .where('kind', '=', 'refund')
    .where('cause', '=', 'withdrawn')
    .executeTakeFirstOrThrow()
  return Number(cents)
}
