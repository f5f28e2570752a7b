import type { TrialDays } from '@tradepost/contract/trial'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/**
 * The prices that a trader has named, in cents of `currency`, and the free days that they offer before the first one, null for none;
 * server/migrations/0017_own_prices.sql explains them.
 */
export type NamedPrices = {
  monthlyCents: number
  yearlyCents: number | null
  currency: string
  trialDays: TrialDays | null
}

/** Null for a trader who has named none. */
export async function findNamedPrices(db: Queryable, traderId: string): Promise<NamedPrices | null> {
  const [row] = await selectNamedPrices(db, { traderId })
  return row ?? null
}

const selectNamedPrices = compiledQuery((db, { traderId }: { traderId: string }) =>
  db
    .selectFrom('own_prices')
    .select([
      'monthly_cents as monthlyCents',
      'yearly_cents as yearlyCents',
      'currency',
      'trial_days as trialDays',
    ])
    .where('trader_id', '=', traderId)
    .$narrowType<{ trialDays: TrialDays | null }>(),
)

/** The same, and since when each amount has been the present one without a break. */
export type DatedPrices = Omit<NamedPrices, 'trialDays'> & {
  monthlySince: Date
  yearlySince: Date | null
  changedAt: Date
  /** The change up to which followers have been mailed; null before the first. */
  notifiedUntil: Date | null
}

/** Null for a trader who has named none. */
export async function findDatedPrices(db: Queryable, traderId: string): Promise<DatedPrices | null> {
  const row = await db
    .selectFrom('own_prices')
    .select(['monthly_cents as monthlyCents', 'yearly_cents as yearlyCents', 'currency'])
    .select(['monthly_since as monthlySince', 'yearly_since as yearlySince', 'changed_at as changedAt'])
    .select('notified_until as notifiedUntil')
    .where('trader_id', '=', traderId)
    .executeTakeFirst()
  return row ?? null
}

/** @param notifyAt when followers are mailed of the change, unless another one follows before */
export async function putNamedPrices(
  tx: Queryable,
  traderId: string,
  { notifyAt, ...named }: NamedPrices & { notifyAt: Date },
  now: Date,
): Promise<void> {
  const before = await findDatedPrices(tx, traderId)
  const isOther = before?.currency !== named.currency
  const monthlyStays = !isOther && before?.monthlyCents === named.monthlyCents
  const yearlyStays = !isOther && before?.yearlyCents === named.yearlyCents
  const row = {
    monthly_cents: named.monthlyCents,
    monthly_since: monthlyStays ? before.monthlySince : now,
    yearly_cents: named.yearlyCents,
    yearly_since: named.yearlyCents === null ? null : yearlyStays ? before.yearlySince : now,
    currency: named.currency,
    trial_days: named.trialDays,
    changed_at: now,
    notify_at: notifyAt,
  }
  await tx
    .insertInto('own_prices')
    .values({ trader_id: traderId, ...row })
    .onConflict((conflict) => conflict.column('trader_id').doUpdateSet(row))
    .execute()
}

/** Notes that followers have been mailed of the changes up to an instant; a later one stays due. */
export async function settleNotices(db: Queryable, traderId: string, changedAt: Date): Promise<void> {
  await db
    .updateTable('own_prices')
    .set((eb) => ({
      notified_until: changedAt,
      notify_at: eb.case().when('changed_at', '=', changedAt).then(null).else(eb.ref('notify_at')).end(),
    }))
    .where('trader_id', '=', traderId)
    .execute()
}

/**
 * Keeps a trader's prices as they are until the transaction ends: `share` for a checkout that begins at them, `update` for a change of
 * them. The payout account is locked, which everybody has who is paid.
 */
export async function lockPrices(tx: Queryable, traderId: string, as: 'share' | 'update'): Promise<void> {
  const account = tx.selectFrom('payout_accounts').select('user_id').where('user_id', '=', traderId)
  await (as === 'share' ? account.forShare() : account.forUpdate()).execute()
}

/**
 * How many followers pay less than a trader's present price of their interval: those who have not agreed to it, and those who have and
 * wait for the renewal that has it.
 */
export async function countFollowersBelow(
  db: Queryable,
  traderId: string,
): Promise<{ followersBelow: number; followersAgreed: number }> {
  const { rows } = await sql<{ below: number; agreed: number }>`
    select (count(*) filter (where not agreed))::int as below, (count(*) filter (where agreed))::int as agreed from (
      select coalesce(followed.kept_cents is not null and followed.agreed_cents = present.cents
        and followed.proposed_at = present.since, false) as agreed
      from own_prices named, subscriptions followed, lateral (select
          case followed.billing_interval when 'year' then named.yearly_cents else named.monthly_cents end as cents,
          case followed.billing_interval when 'year' then named.yearly_since else named.monthly_since end as since) present
      where named.trader_id = ${traderId} and followed.trader_id = ${traderId} and followed.currency = named.currency
        and followed.status in ('active', 'trialing', 'past_due') and followed.stripe_subscription_id is not null
        and followed.cancel_at is null and least(followed.kept_cents, followed.price_cents) < present.cents
    ) follower`.execute(db)
  const [counted] = rows
  return { followersBelow: counted?.below ?? 0, followersAgreed: counted?.agreed ?? 0 }
}
