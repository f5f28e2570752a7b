import type { Insertable, Selectable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Exports } from '../../platform/database/schema.ts'

export type ExportRow = Selectable<Exports>

/** When a person asked for files since an instant, the newest first. */
export async function listExportsSince(db: Queryable, userId: string, since: Date): Promise<Date[]> {
  const rows = await db
    .selectFrom('exports')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map((row) => row.created_at)
}

export async function insertExport(db: Queryable, row: Insertable<Exports>): Promise<void> {
  await db.insertInto('exports').values(row).execute()
}

/** Ends the links of a person that still count. */
export async function replaceExports(db: Queryable, userId: string, now: Date): Promise<void> {
  await db
    .updateTable('exports')
    .set({ replaced_at: now })
    .where('user_id', '=', userId)
    .where('replaced_at', 'is', null)
    .where('taken_at', 'is', null)
    .where('expires_at', '>', now)
    .execute()
}

export function findExport(db: Queryable, id: string): Promise<ExportRow | undefined> {
  return db.selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Counts the beginning of a file. @returns false when the link counts no more; nothing is changed then */
export async function beginExport(
  db: Queryable,
  { id, most }: { id: string; most: number },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('exports')
    .set((eb) => ({ begins: eb('begins', '+', 1) }))
    .where('id', '=', id)
    .where('taken_at', 'is', null)
    .where('replaced_at', 'is', null)
    .where('expires_at', '>', now)
    .where('begins', '<', most)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** @returns false when it was taken before, by another request */
export async function markTaken(db: Queryable, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('exports')
    .set({ taken_at: now })
    .where('id', '=', id)
    .where('taken_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Forgets links that ended before an instant. */
export async function purgeExports(db: Queryable, before: Date): Promise<void> {
  await db.deleteFrom('exports').where('expires_at', '<=', before).execute()
}
