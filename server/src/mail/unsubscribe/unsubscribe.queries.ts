import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type Unsubscribing = {
  traderId: string
  subscriptionId: string
  subscriberId: string
  trader: string | null
}

/** Finds the subscription of an unsubscribe link; null for a token that nobody was given. */
export async function findByToken(db: Queryable, token: string): Promise<Unsubscribing | null> {
  const row = await db
    .selectFrom('unsubscribe_tokens as link')
    .innerJoin('subscriptions as subscription', (join) =>
      join
        .onRef('subscription.trader_id', '=', 'link.trader_id')
        .onRef('subscription.id', '=', 'link.subscription_id'),
    )
    .leftJoin('accounts as account', 'account.user_id', 'link.trader_id')
    .select([
      'subscription.trader_id as traderId',
      'subscription.id as subscriptionId',
      'subscription.subscriber_id as subscriberId',
      'account.username as trader',
    ])
    .where('link.token', '=', token)
    .executeTakeFirst()
  return row ?? null
}

/** Stops the mails of a subscription; the first time counts. */
export async function muteMails(
  db: Queryable,
  subscription: { traderId: string; subscriptionId: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set({ mail_muted_at: sql`coalesce(mail_muted_at, ${now})` })
    .where('trader_id', '=', subscription.traderId)
    .where('id', '=', subscription.subscriptionId)
    .execute()
}
