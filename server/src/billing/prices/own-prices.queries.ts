import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** The prices that a trader has named, in cents of `currency`; server/migrations/0017_own_prices.sql explains them. */
export type NamedPrices = { monthlyCents: number; yearlyCents: number | null; currency: string }

/** Null for a trader who has named none. */
export async function findNamedPrices(db: Queryable, traderId: string): Promise<NamedPrices | null> {
  const [row] = await selectNamedPrices(db, { traderId })
  return row ?? null
}

const selectNamedPrices = compiledQuery((db, { traderId }: { traderId: string }) =>
  db
    .selectFrom('own_prices')
    .select(['monthly_cents as monthlyCents', 'yearly_cents as yearlyCents', 'currency'])
    .where('trader_id', '=', traderId),
)

export async function putNamedPrices(
  tx: Queryable,
  traderId: string,
  named: NamedPrices,
  now: Date,
): Promise<void> {
  const row = {
    monthly_cents: named.monthlyCents,
    yearly_cents: named.yearlyCents,
    currency: named.currency,
    changed_at: now,
  }
  await tx
    .insertInto('own_prices')
    .values({ trader_id: traderId, ...row })
    .onConflict((conflict) => conflict.column('trader_id').doUpdateSet(row))
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
