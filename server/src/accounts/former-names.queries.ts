import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** A name as a hasty reader sees it (ADR 0084). */
export async function skeletonOf(db: Queryable, username: string): Promise<string> {
  const { rows } = await sql<{ skeleton: string }>`select username_skeleton(${username}) as skeleton`.execute(
    db,
  )
  return rows[0]?.skeleton ?? ''
}

export async function insertFormerName(tx: Queryable, nameHmac: Buffer, freeAt: Date): Promise<void> {
  await tx
    .insertInto('former_usernames')
    .values({ name_hmac: nameHmac, free_at: freeAt })
    .onConflict((conflict) => conflict.column('name_hmac').doUpdateSet({ free_at: freeAt }))
    .execute()
}

export async function isFormerName(db: Queryable, nameHmacs: Buffer[], now: Date): Promise<boolean> {
  const { rows } = await sql`select from former_usernames
    where name_hmac = any(${nameHmacs}::bytea[]) and free_at > ${now} limit 1`.execute(db)
  return rows.length > 0
}

/** Deletes those that anybody may have again. */
export async function purgeFormerNames(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('former_usernames').where('free_at', '<=', now).execute()
}
