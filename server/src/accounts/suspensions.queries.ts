import type { Queryable } from '../platform/database/queryable.ts'

/** @returns whether it is new: false for somebody who is suspended already */
export async function markSuspended(tx: Queryable, userId: string, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('users')
    .set({ suspended_at: now })
    .where('id', '=', userId)
    .where('suspended_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** @returns since when it was so; null for somebody who is not suspended */
export async function markRestored(tx: Queryable, userId: string): Promise<Date | null> {
  const before = await tx
    .selectFrom('users')
    .select('suspended_at')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!before?.suspended_at) return null
  await tx.updateTable('users').set({ suspended_at: null }).where('id', '=', userId).execute()
  return before.suspended_at
}

export async function insertSuspension(
  tx: Queryable,
  suspension: { id: string; userId: string; reason: string },
  now: Date,
): Promise<void> {
  const { id, reason, userId } = suspension
  await tx.insertInto('suspensions').values({ id, user_id: userId, reason, suspended_at: now }).execute()
}

export async function closeSuspension(
  tx: Queryable,
  userId: string,
  because: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('suspensions')
    .set({ restored_at: now, restored_because: because })
    .where('user_id', '=', userId)
    .where('restored_at', 'is', null)
    .execute()
}
