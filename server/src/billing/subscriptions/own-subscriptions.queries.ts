import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

export type OwnSubscription = {
  id: string
  traderId: string
  username: string
  status: SubscriptionStatus
  stripeSubscriptionId: string | null
  currentPeriodEnd: Date | null
  cancelAt: Date | null
  /** Nothing is charged since then: the trader cannot be paid, or somebody paused it at Stripe. */
  pausedSince: Date | null
  mutedAt: Date | null
  startedAt: Date
  priceCents: number
  currency: string
}

/** One of the caller's own; null for anybody else's. @param id a uuid */
export async function findOwn(
  db: Queryable,
  subscriberId: string,
  id: string,
): Promise<OwnSubscription | null> {
  const [row] = await selectOwnOne(db, { subscriberId, id })
  return row ? toOwn(row) : null
}

const selectOwnOne = compiledQuery((db, { id, subscriberId }: { subscriberId: string; id: string }) =>
  own(db, subscriberId).where('subscriptions.id', '=', id),
)

/** The one of a pair that lives, or null. */
export async function findLive(
  db: Queryable,
  pair: Pair,
): Promise<{ id: string; status: SubscriptionStatus } | null> {
  const [row] = await selectLive(db, pair)
  return row ? { id: row.id, status: row.status } : null
}

type Pair = { traderId: string; subscriberId: string }

const selectLive = compiledQuery((db, { subscriberId, traderId }: Pair) =>
  db
    .selectFrom('subscriptions')
    .select(['id', 'status'])
    .where('trader_id', '=', traderId)
    .where('subscriber_id', '=', subscriberId)
    .where('status', '<>', 'canceled'),
)

/** Whether a pair's newest subscription ended because its free days were refused. */
export async function wasLastTrialRefused(db: Queryable, pair: Pair): Promise<boolean> {
  const [row] = await selectLastEnd(db, pair)
  return row?.end_reason === 'trial_used'
}

const selectLastEnd = compiledQuery((db, { subscriberId, traderId }: Pair) =>
  db
    .selectFrom('subscriptions')
    .select('end_reason')
    .where('trader_id', '=', traderId)
    .where('subscriber_id', '=', subscriberId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

/** Turns mails on, or off: the first time they were turned off counts. */
export async function switchMail(
  db: Queryable,
  key: { traderId: string; id: string },
  enabled: boolean,
  now: Date,
): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set((eb) => ({ mail_muted_at: enabled ? null : eb.fn.coalesce('mail_muted_at', eb.val(now)) }))
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

function own(db: Queryable, subscriberId: string) {
  return db
    .selectFrom('subscriptions')
    .leftJoin('accounts', 'accounts.user_id', 'subscriptions.trader_id')
    .select([
      'subscriptions.id',
      'subscriptions.trader_id',
      'accounts.username',
      'subscriptions.status',
      'subscriptions.stripe_subscription_id',
      'subscriptions.current_period_end',
      'subscriptions.cancel_at',
      'subscriptions.paused_since',
      'subscriptions.mail_muted_at',
      'subscriptions.started_at',
      'subscriptions.price_cents',
      'subscriptions.currency',
    ])
    .where('subscriptions.subscriber_id', '=', subscriberId)
}

type Row = Awaited<ReturnType<ReturnType<typeof own>['executeTakeFirstOrThrow']>>

function toOwn(row: Row): OwnSubscription {
  return {
    id: row.id,
    traderId: row.trader_id,
    username: row.username ?? '',
    status: row.status,
    stripeSubscriptionId: row.stripe_subscription_id,
    currentPeriodEnd: row.current_period_end,
    cancelAt: row.cancel_at,
    pausedSince: row.paused_since,
    mutedAt: row.mail_muted_at,
    startedAt: row.started_at,
    priceCents: row.price_cents,
    currency: row.currency,
  }
}
