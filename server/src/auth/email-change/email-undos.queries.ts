import type { Insertable, Selectable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { EmailUndos } from '../../platform/database/schema.ts'

export type EmailUndoRow = Selectable<EmailUndos>

export async function insertEmailUndo(db: Queryable, undo: Insertable<EmailUndos>): Promise<void> {
  await db.insertInto('email_undos').values(undo).execute()
}

export function findEmailUndo(db: Queryable, id: string): Promise<EmailUndoRow | undefined> {
  return db.selectFrom('email_undos').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The changes of a person, kept from changing until the transaction ends. */
export function lockEmailUndos(db: Queryable, userId: string): Promise<EmailUndoRow[]> {
  return db
    .selectFrom('email_undos')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export function findEmailUndos(db: Queryable, ids: string[]): Promise<EmailUndoRow[]> {
  return db.selectFrom('email_undos').selectAll().where('id', 'in', ids).execute()
}

/** Marks a change as taken back, and those that were made after it as overtaken by that. */
export async function markEmailUndone(
  db: Queryable,
  undo: Pick<EmailUndoRow, 'id' | 'user_id' | 'created_at'>,
  now: Date,
): Promise<void> {
  await db.updateTable('email_undos').set({ used_at: now }).where('id', '=', undo.id).execute()
  await db
    .updateTable('email_undos')
    .set({ overtaken_at: now })
    .where('user_id', '=', undo.user_id)
    .where('created_at', '>', undo.created_at)
    .where('used_at', 'is', null)
    .where('overtaken_at', 'is', null)
    .execute()
}

/** Forgets changes that can be taken back no more: their old addresses are free from then on. */
export async function purgeEmailUndos(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('email_undos').where('expires_at', '<=', now).execute()
}
