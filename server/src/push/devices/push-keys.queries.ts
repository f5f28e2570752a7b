import type { Insertable, Selectable } from 'kysely'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { PushKeys } from '../../platform/database/schema.ts'

export type PushKeyRow = Selectable<PushKeys>

/** All key pairs: the one that new devices get, and those that earlier devices use. */
export function findPushKeys(db: Queryable): Promise<PushKeyRow[]> {
  return db.selectFrom('push_keys').selectAll().execute()
}

/**
 * Gives new devices this pair, in the place of another. Of several processes that do this at once the unique index lets one win.
 * @param replacing the pair that they get now, or null when there is none
 */
export async function insertPushKey(
  db: Queryable,
  key: Insertable<PushKeys>,
  replacing: string | null,
  now: Date,
): Promise<void> {
  await withTransaction(db, async (tx) => {
    if (replacing)
      await tx
        .updateTable('push_keys')
        .set({ replaced_at: now })
        .where('id', '=', replacing)
        .where('replaced_at', 'is', null)
        .execute()
    await tx
      .insertInto('push_keys')
      .values(key)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}
