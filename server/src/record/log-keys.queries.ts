import type { Insertable, Selectable } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'
import type { RecordKeys } from '../platform/database/schema.ts'

export type LogKeyRow = Selectable<RecordKeys>

/** Every key of the log, the oldest first. */
export function findLogKeys(db: Queryable): Promise<LogKeyRow[]> {
  return db.selectFrom('record_keys').selectAll().orderBy('signs_from').execute()
}

/** Has the private half of each key forgotten that another one has replaced before an instant. */
export async function forgetReplacedKeys(db: Queryable, replacedBefore: Date): Promise<void> {
  await db
    .updateTable('record_keys as replaced')
    .set({ private_sealed: null, secret_key_id: null })
    .where('private_sealed', 'is not', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('record_keys as newer')
          .select('newer.vkey')
          .whereRef('newer.signs_from', '>', 'replaced.signs_from')
          .where('newer.signs_from', '<=', replacedBefore),
      ),
    )
    .execute()
}

export async function insertLogKey(db: Queryable, key: Insertable<RecordKeys>): Promise<void> {
  await db.insertInto('record_keys').values(key).execute()
}
