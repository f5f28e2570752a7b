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

/** Whether the account is closed, which it stays until the transaction ends. */
export async function isClosedNow(tx: Queryable, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('closed_at')
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirst()
  return row !== undefined && row.closed_at !== null
}
