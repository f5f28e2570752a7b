import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/** Subscriptions to a trader that were bought and have not ended, in the order of their ids. */
export async function listBoughtLive(
  db: Queryable,
  from: { traderId: string; after: string | null },
  limit: number,
): Promise<{ id: string; stripeSubscriptionId: string }[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['id', 'stripe_subscription_id'])
    .where('trader_id', '=', from.traderId)
    .where('status', '<>', 'canceled')
    .where('stripe_subscription_id', 'is not', null)
    .$if(from.after !== null, (query) => query.where('id', '>', from.after ?? ''))
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ stripe_subscription_id: string }>()
    .execute()
  return rows.map((row) => ({ id: row.id, stripeSubscriptionId: row.stripe_subscription_id }))
}

/**
 * Whether a trader had a follower before the one who begins to have access now, who is counted already. Counts stay when
 * people are deleted, and somebody who returns counts again (ADR 0056).
 */
export async function hadFollowerBefore(tx: Queryable, traderId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('trader_follower_months')
    .select(sql<boolean>`sum(gained) > 1`.as('before'))
    .where('trader_id', '=', traderId)
    .executeTakeFirst()
  return row?.before ?? false
}

/** Traders who lost their payouts, for a while or for good, or are suspended, and are still paid for. */
export async function listTradersOutOfReach(db: Queryable): Promise<string[]> {
  const rows = await db
    .selectFrom('payout_accounts')
    .select('user_id')
    .where((eb) =>
      eb.or([
        eb('lost_at', 'is not', null),
        eb('closed_at', 'is not', null),
        eb.exists(
          eb
            .selectFrom('users')
            .select('users.id')
            .whereRef('users.id', '=', 'payout_accounts.user_id')
            .where('users.inactive_since', 'is not', null),
        ),
      ]),
    )
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('subscriptions')
          .select('subscriptions.id')
          .whereRef('subscriptions.trader_id', '=', 'payout_accounts.user_id')
          .where('subscriptions.status', '<>', 'canceled')
          .where('subscriptions.stripe_subscription_id', 'is not', null),
      ),
    )
    .execute()
  return rows.map((row) => row.user_id)
}

/**
 * Subscriptions whose payment has been owed since an instant or longer, by Stripe's ids.
 * @param since.afterTrial the instant for those that began with a trial
 */
export async function listOverdue(db: Queryable, since: { ever: Date; afterTrial: Date }): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('stripe_subscription_id')
    .where('status', '=', 'past_due')
    .where((eb) =>
      eb.or([
        eb('past_due_since', '<=', since.ever),
        eb.and([eb('past_due_since', '<=', since.afterTrial), eb('trial_ends_at', 'is not', null)]),
      ]),
    )
    .where('stripe_subscription_id', 'is not', null)
    .$narrowType<{ stripe_subscription_id: string }>()
    .execute()
  return rows.map((row) => row.stripe_subscription_id)
}

/** Subscriptions that somebody bought and that have not ended here, by Stripe's ids. */
export async function listBoughtBy(db: Queryable, subscriberId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('stripe_subscription_id')
    .where('subscriber_id', '=', subscriberId)
    .where('status', '<>', 'canceled')
    .where('stripe_subscription_id', 'is not', null)
    .$narrowType<{ stripe_subscription_id: string }>()
    .execute()
  return rows.map((row) => row.stripe_subscription_id)
}

/** These subscriptions, named by Stripe's ids, as they are stored here; those that are not stored are left out. */
export async function findBought(
  db: Queryable,
  stripeIds: string[],
): Promise<
  Map<
    string,
    {
      status: SubscriptionStatus
      currentPeriodEnd: Date | null
      cancelAt: Date | null
      paused: boolean
      renewalCents: number | null
    }
  >
> {
  const rows = await db
    .selectFrom('subscriptions')
    .select([
      'stripe_subscription_id',
      'status',
      'current_period_end',
      'cancel_at',
      'paused_since',
      'renewal_cents',
    ])
    .where('stripe_subscription_id', '=', anyOf(stripeIds))
    .$narrowType<{ stripe_subscription_id: string }>()
    .execute()
  return new Map(
    rows.map((row) => [
      row.stripe_subscription_id,
      {
        status: row.status,
        currentPeriodEnd: row.current_period_end,
        cancelAt: row.cancel_at,
        paused: row.paused_since !== null,
        renewalCents: row.renewal_cents,
      },
    ]),
  )
}

/** Notes that these were found at Stripe as they are stored here. */
export async function markSubscriptionsSeen(db: Queryable, stripeIds: string[], now: Date): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set({ synced_at: now })
    .where('stripe_subscription_id', '=', anyOf(stripeIds))
    .execute()
}

/** Bought subscriptions that live here and were not brought in line since an instant, in the order of their ids. */
export async function listUnseen(
  db: Queryable,
  before: Date,
  after: string | null,
  limit: number,
): Promise<{ id: string; stripeSubscriptionId: string }[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['id', 'stripe_subscription_id'])
    .where('status', '<>', 'canceled')
    .where('stripe_subscription_id', 'is not', null)
    .where((eb) => eb.or([eb('synced_at', 'is', null), eb('synced_at', '<', before)]))
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ stripe_subscription_id: string }>()
    .execute()
  return rows.map((row) => ({ id: row.id, stripeSubscriptionId: row.stripe_subscription_id }))
}

/** Lists travel as one parameter, so the statement keeps one text. */
const anyOf = (ids: string[]) => sql<string>`any(${ids}::text[])`
