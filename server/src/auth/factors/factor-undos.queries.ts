import type { Insertable, Selectable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { FactorUndos } from '../../platform/database/schema.ts'

export type FactorUndoRow = Selectable<FactorUndos>

export async function insertFactorUndo(db: Queryable, undo: Insertable<FactorUndos>): Promise<void> {
  await db.insertInto('factor_undos').values(undo).execute()
}

/** A change and whether another has come after it. @param of.lock keeps it from changing until the transaction ends */
export async function findFactorUndo(
  db: Queryable,
  of: { id: string; lock: boolean },
): Promise<(FactorUndoRow & { overtaken: boolean }) | undefined> {
  const undo = await db
    .selectFrom('factor_undos')
    .selectAll()
    .where('id', '=', of.id)
    .$if(of.lock, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!undo) return undefined
  const later = await db
    .selectFrom('factor_undos')
    .select('id')
    .where('user_id', '=', undo.user_id)
    .where('created_at', '>', undo.created_at)
    .limit(1)
    .executeTakeFirst()
  return { ...undo, overtaken: later !== undefined }
}

/** Changes of a person that can still be undone, newest first; they keep from changing until the transaction ends. */
export function findFactorUndosSince(
  db: Queryable,
  of: { userId: string; since: Date },
  now: Date,
): Promise<FactorUndoRow[]> {
  return db
    .selectFrom('factor_undos')
    .selectAll()
    .where('user_id', '=', of.userId)
    .where('created_at', '>', of.since)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .forUpdate()
    .execute()
}

export async function markUndone(db: Queryable, id: string, now: Date): Promise<void> {
  await db.updateTable('factor_undos').set({ used_at: now }).where('id', '=', id).execute()
}

/** Forgets changes that can be undone no more, and the secrets of removed factors with them. */
export async function purgeFactorUndos(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('factor_undos').where('expires_at', '<=', now).execute()
}
