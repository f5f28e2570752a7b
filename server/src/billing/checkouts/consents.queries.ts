import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import type { StripeConsent } from '../../stripe/checkouts.ts'
import type { Pair } from '../../stripe/subscriptions.ts'

/** Stripe's ids of the pair's subscriptions whose consent is stored. */
export async function listConsented(db: Queryable, pair: Pair): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select one.stripe_subscription_id as id from consents consent
    join subscriptions one on one.trader_id = consent.trader_id and one.id = consent.subscription_id
    where consent.trader_id = ${pair.traderId} and consent.user_id = ${pair.subscriberId}
      and one.stripe_subscription_id is not null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Once for each checkout, however often it is asked for; nothing for a subscription that is not written here. */
export async function insertConsent(
  tx: Queryable,
  { traderId }: Pick<Pair, 'traderId'>,
  consent: StripeConsent & { stripeSubscriptionId: string; acceptedAt: Date },
): Promise<void> {
  await sql`
    insert into consents (id, user_id, trader_id, subscription_id, terms_version, sentence, accepted_at, stripe_session_id)
    select ${newId()}::uuid, subscriber_id, trader_id, id, ${consent.termsVersion}, ${consent.sentence}, ${consent.acceptedAt}::timestamptz, ${consent.sessionId}
    from subscriptions where trader_id = ${traderId} and stripe_subscription_id = ${consent.stripeSubscriptionId}
    on conflict (stripe_session_id) do nothing`.execute(tx)
}
