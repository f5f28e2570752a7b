import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Stores that a problem of this kind was seen at `now`, and locks its row until the transaction ends.
 * @param tx a transaction, so that two callers do not both find no earlier time
 * @returns when the problem was last seen before (UTC); null when this is the first time
 */
export async function noteCause(tx: Queryable, kind: string, now: Date): Promise<Date | null> {
  const before = await tx
    .selectFrom('operator_notices')
    .select('seen_at')
    .where('kind', '=', kind)
    .forUpdate()
    .executeTakeFirst()
  await tx
    .insertInto('operator_notices')
    .values({ kind, seen_at: now })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet({ seen_at: now }))
    .execute()
  return before?.seen_at ?? null
}
