import type { Queryable } from '../../platform/database/queryable.ts'
import { FOLLOWED_COLUMNS, type Followed, toFollowed } from '../entitlements/followed-price.ts'

/** A follower who may have to be mailed of prices. @property renews false while an end is planned */
export type ToNotify = Followed & { subscriberId: string; knownCents: number | null; renews: boolean }

/** Subscriptions to a trader that were bought and give access, in the order of their ids. */
export async function listToNotify(
  db: Queryable,
  from: { traderId: string; after: string | null },
  limit: number,
): Promise<ToNotify[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(FOLLOWED_COLUMNS)
    .select(['subscriber_id', 'known_cents', 'cancel_at'])
    .where('trader_id', '=', from.traderId)
    .where('status', 'in', ['active', 'trialing', 'past_due'])
    .where('stripe_subscription_id', 'is not', null)
    .$if(from.after !== null, (query) => query.where('id', '>', from.after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...toFollowed(from.traderId, row),
    subscriberId: row.subscriber_id,
    knownCents: row.known_cents,
    renews: row.cancel_at === null,
  }))
}

/**
 * A follower is mailed now, or there is nothing to mail any more.
 * @returns false where the price has changed since `one` was read
 */
export async function forgetKnown(tx: Queryable, one: ToNotify): Promise<boolean> {
  const changed = await tx
    .updateTable('subscriptions')
    .set({ known_cents: null })
    .where('trader_id', '=', one.traderId)
    .where('id', '=', one.id)
    .where('known_cents', '=', one.knownCents)
    .where('price_cents', '=', one.price.priceCents)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}
