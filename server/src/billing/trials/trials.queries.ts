import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/** A person as trials know them: hashes of one address and one card, the newest secret's first; none where it is not known. */
export type PersonKeys = { userId: string; addresses: Buffer[]; cards: Buffer[] }

/** Null for somebody who is erased. */
export async function findEmail(db: Queryable, userId: string): Promise<string | null> {
  const row = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  return row?.email ?? null
}

/** Whether a person was granted a trial with this trader ever, or with anybody since an instant. */
export async function hadTrial(
  db: Queryable,
  { addresses, cards, userId }: PersonKeys,
  { since, traderId }: { traderId: string; since: Date },
): Promise<boolean> {
  const { rows } = await sql`select from trials
    where granted and (trader_id = ${traderId} or began_at > ${since}) and (
      user_id = ${userId} or address_hmac = any(${addresses}::bytea[]) or card_hmac = any(${cards}::bytea[]))
    limit 1`.execute(db)
  return rows.length > 0
}

/** Keeps everybody else from deciding about the same person until the transaction ends. @param keys in one order everywhere */
export async function lockTrialKeys(tx: Queryable, keys: readonly string[]): Promise<void> {
  for (const key of keys)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`trial:${key}`}, 0))`.execute(tx)
}

/** The decision about a subscription's trial; null where there is none. */
export async function findVerdict(tx: Queryable, stripeSubscriptionId: string): Promise<boolean | null> {
  const row = await tx
    .selectFrom('trials')
    .select('granted')
    .where('stripe_subscription_id', '=', stripeSubscriptionId)
    .executeTakeFirst()
  return row?.granted ?? null
}

export async function insertVerdict(
  tx: Queryable,
  trial: { stripeSubscriptionId: string; traderId: string; granted: boolean; beganAt: Date },
  { addresses, cards, userId }: PersonKeys,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('trials')
    .values({
      stripe_subscription_id: trial.stripeSubscriptionId,
      trader_id: trial.traderId,
      user_id: userId,
      address_hmac: addresses[0] ?? null,
      card_hmac: cards[0] ?? null,
      granted: trial.granted,
      began_at: trial.beganAt,
      decided_at: now,
    })
    .execute()
}

export type EndingTrial = {
  stripeSubscriptionId: string
  subscriberId: string
  trader: string
  /** Of the first payment. */
  amountCents: number
  /** The price behind a discount that ends, and the first renewal that has it; null without such a discount. */
  fullCents: number
  fullFrom: Date | null
  currency: string
  interval: string
  endsAt: Date
}

/** Trials that end after `now` and until an instant, and are paid for behind it; whoever has ended theirs is left out. */
export async function listEndingTrials(db: Queryable, now: Date, until: Date): Promise<EndingTrial[]> {
  const { rows } = await sql<EndingTrial>`
    select one.stripe_subscription_id as "stripeSubscriptionId", one.subscriber_id as "subscriberId", account.username as trader,
      coalesce(one.renewal_cents, one.price_cents) as "amountCents", one.price_cents as "fullCents",
      one.renewal_cents_until as "fullFrom", one.currency, one.billing_interval as interval, one.trial_ends_at as "endsAt"
    from subscriptions one join accounts account on account.user_id = one.trader_id
    where one.status = 'trialing' and one.trial_ends_at > ${now} and one.trial_ends_at <= ${until} and one.cancel_at is null
      and one.paused_since is null and one.stripe_subscription_id is not null and account.username is not null`.execute(
    db,
  )
  return rows
}

/** Deletes what is kept of people who were erased before an instant. */
export async function purgeTrialsOfErased(db: Queryable, before: Date): Promise<void> {
  await sql`delete from trials trial using users person
    where person.id = trial.user_id and person.erased_at <= ${before}`.execute(db)
}
