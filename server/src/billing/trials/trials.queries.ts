import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/** A person as trials know them: hashes of one address and one card under each secret that counts, the newest first; null where it is not known. */
export type PersonKeys = { userId: string; hashed: HashedPerson[] }

type HashedPerson = { secretKeyId: string; address: Buffer | null; card: Buffer | null }

/** Null for somebody who is erased. */
export async function findEmail(db: Queryable, userId: string): Promise<string | null> {
  const row = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  return row?.email ?? null
}

/**
 * Whether a person was granted a trial with this trader ever, or with anybody since an instant. A row is asked with the hashes of the secret
 * under which it was written.
 */
export async function hadTrial(
  db: Queryable,
  { hashed, userId }: PersonKeys,
  { since, traderId }: { traderId: string; since: Date },
): Promise<boolean> {
  const ids = hashed.map(({ secretKeyId }) => secretKeyId)
  const addresses = hashed.map(({ address }) => address)
  const cards = hashed.map(({ card }) => card)
  const counts = sql`trial.granted and (trial.trader_id = ${traderId} or trial.began_at > ${since})`
  const isOfSecret = sql`coalesce(trial.secret_key_id, known.secret_key_id) = known.secret_key_id`
  const { rows } = await sql`
    with known as (
      select * from unnest(${ids}::text[], ${addresses}::bytea[], ${cards}::bytea[]) known (secret_key_id, address, card))
    select from trials trial where trial.user_id = ${userId} and ${counts}
    union all
    select from known join trials trial on trial.address_hmac = known.address and ${isOfSecret} where ${counts}
    union all
    select from known join trials trial on trial.card_hmac = known.card and ${isOfSecret} where ${counts}
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
  { hashed: [newest], userId }: PersonKeys,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('trials')
    .values({
      stripe_subscription_id: trial.stripeSubscriptionId,
      trader_id: trial.traderId,
      user_id: userId,
      secret_key_id: newest?.secretKeyId ?? null,
      address_hmac: newest?.address ?? null,
      card_hmac: newest?.card ?? null,
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
