import type { Queryable } from '../platform/database/queryable.ts'

/** A person's open positions, the oldest first. */
export async function listOpenOf(
  db: Queryable,
  traderId: string,
): Promise<{ symbol: string; openedAt: Date }[]> {
  return db
    .selectFrom('positions')
    .select(['symbol', 'opened_at as openedAt'])
    .where('trader_id', '=', traderId)
    .where('closed_at', 'is', null)
    .orderBy('opened_at')
    .execute()
}
