import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type Unsubscribing = {
  traderId: string
  subscriberId: string
  trader: string | null
  /** Whether the subscriber has the mails about all traders switched off. */
  allOff: boolean
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
    .innerJoin('users as person', 'person.id', 'subscription.subscriber_id')
    .leftJoin('accounts as account', 'account.user_id', 'link.trader_id')
    .select([
      'subscription.trader_id as traderId',
      'subscription.subscriber_id as subscriberId',
      'account.username as trader',
      'person.position_mails_off_at as allOffAt',
    ])
    .where('link.token', '=', token)
    .executeTakeFirst()
  if (!row) return null
  const { allOffAt, ...found } = row
  return { ...found, allOff: allOffAt !== null }
}

/**
 * Stops a trader's mails to one person, where the first time counts, or starts them again. All subscriptions of the two count: the link of a mail
 * outlives the one that it was sent for, and whoever follows again expects it to work.
 */
export async function switchMails(
  db: Queryable,
  pair: { traderId: string; subscriberId: string },
  enabled: boolean,
  now: Date,
): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set({ mail_muted_at: enabled ? null : sql<Date>`coalesce(mail_muted_at, ${now})` })
    .where('trader_id', '=', pair.traderId)
    .where('subscriber_id', '=', pair.subscriberId)
    .execute()
}

/** Finds whose mails before renewals a link stops; null for a token that nobody was given. */
export async function findByRenewalToken(db: Queryable, token: string): Promise<{ userId: string } | null> {
  const row = await db
    .selectFrom('renewal_mails')
    .select('user_id as userId')
    .where('unsubscribe_token', '=', token)
    .executeTakeFirst()
  return row ?? null
}

/** Stops somebody's mails before renewals; the first time counts. */
export async function stopRenewalMails(db: Queryable, userId: string, now: Date): Promise<void> {
  await db
    .updateTable('renewal_mails')
    .set({ stopped_at: sql`coalesce(stopped_at, ${now})` })
    .where('user_id', '=', userId)
    .execute()
}
