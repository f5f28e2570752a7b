import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { FollowedPrice } from '../prices/followers-price.ts'
import { FOLLOWED_COLUMNS, type Followed, toFollowed } from './followed-price.ts'

type Key = { traderId: string; id: string }

/** By Stripe's id; null for one that has no row. */
export async function findFollowed(
  tx: Queryable,
  key: { traderId: string; subscriptionId: string },
): Promise<Followed | null> {
  const row = await tx
    .selectFrom('subscriptions')
    .select(FOLLOWED_COLUMNS)
    .where('trader_id', '=', key.traderId)
    .where('stripe_subscription_id', '=', key.subscriptionId)
    .executeTakeFirst()
  return row ? toFollowed(key.traderId, row) : null
}

/**
 * One of somebody's own that renews, locked: an agreement is written of what is read here.
 * @param id a uuid
 * @returns null where there is none of theirs; `renews` false where nothing renews
 */
export async function lockOwnFollowed(
  tx: Queryable,
  subscriberId: string,
  id: string,
): Promise<{ followed: Followed; stripeId: string | null; renews: boolean } | null> {
  const row = await tx
    .selectFrom('subscriptions')
    .select(FOLLOWED_COLUMNS)
    .select(['trader_id', 'stripe_subscription_id', 'status', 'cancel_at'])
    .where('subscriber_id', '=', subscriberId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return null
  const renews = ['active', 'trialing', 'past_due'].includes(row.status) && row.cancel_at === null
  return { followed: toFollowed(row.trader_id, row), stripeId: row.stripe_subscription_id, renews }
}

/** Notes what a follower agrees to, and what they keep without it. Safe to repeat: the first time of it counts. */
export async function storeAgreement(
  tx: Queryable,
  key: Key,
  agreed: { cents: number; keptCents: number; proposedAt: Date; from: Date },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({
      kept_cents: agreed.keptCents,
      kept_since: sql<Date>`coalesce(kept_since, ${now})`,
      agreed_cents: agreed.cents,
      agreed_at: now,
      proposed_at: agreed.proposedAt,
      agreed_from: agreed.from,
      charged_from: null,
    })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

/** Forgets an agreement. The price that they keep stays noted: Stripe may have the higher price by now. */
export async function takeAgreementBack(tx: Queryable, key: Key): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ agreed_cents: null, agreed_at: null, proposed_at: null, agreed_from: null, charged_from: null })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

/** Notes which renewal has the price that was agreed to, unless that was taken back meanwhile. @param proposedAt of the agreement */
export async function storeChargedFrom(
  tx: Queryable,
  key: Key,
  proposedAt: Date,
  chargedFrom: Date,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ charged_from: sql<Date>`coalesce(charged_from, ${chargedFrom})` })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where('proposed_at', '=', proposedAt)
    .execute()
}

/**
 * The price at Stripe is the follower's from now on: it was agreed to and charged, or is lower than what they kept. Does nothing where they
 * have agreed to another one since it was read.
 */
export async function settlePrice(tx: Queryable, key: Key, { agreement }: FollowedPrice): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ kept_cents: null, kept_since: null })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .where(sql<boolean>`proposed_at is not distinct from ${agreement?.proposedAt ?? null}::timestamptz`)
    .execute()
}

/** Notes which price a follower knows who is to pay less: they are mailed of it once. */
export async function storeKnown(tx: Queryable, key: Key, cents: number): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ known_cents: sql<number>`coalesce(known_cents, ${cents})` })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

/** Subscriptions whose agreement has come due, or whose renewal passed unseen, by Stripe's ids (rule G-122). */
export async function listAgreedDue(db: Queryable, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('stripe_subscription_id')
    .where('agreed_cents', 'is not', null)
    .where('kept_cents', 'is not', null)
    .where('status', 'in', ['active', 'trialing', 'past_due'])
    .where('stripe_subscription_id', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('current_period_end', '<=', now),
        eb.and([eb('charged_from', 'is', null), eb('current_period_end', '>=', eb.ref('agreed_from'))]),
      ]),
    )
    .$narrowType<{ stripe_subscription_id: string }>()
    .execute()
  return rows.map((row) => row.stripe_subscription_id)
}
