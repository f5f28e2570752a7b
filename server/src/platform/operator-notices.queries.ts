import type { Queryable } from './database.ts'

/**
 * Notes that there is cause for a mail to the operator.
 * @param tx a transaction
 * @returns when there was before, or null
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
