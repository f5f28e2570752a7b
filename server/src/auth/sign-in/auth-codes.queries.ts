import type { Insertable, Selectable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { AuthCodes } from '../../platform/database/schema.ts'

/** A code that a redirect hands to a client, which exchanges it once for a session (PKCE). */
export type AuthCodeRow = Selectable<AuthCodes>

export async function insertAuthCode(db: Queryable, code: Insertable<AuthCodes>): Promise<void> {
  await db.insertInto('auth_codes').values(code).execute()
}

/** A code that was not exchanged yet. Expiry is the caller's to check. @param sha256 of the code */
export function findAuthCode(db: Queryable, sha256: Buffer): Promise<AuthCodeRow | undefined> {
  return db
    .selectFrom('auth_codes')
    .selectAll()
    .where('code_sha256', '=', sha256)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
}

/** Marks a code as used. @returns false when another call has used it before */
export async function consumeAuthCode(db: Queryable, sha256: Buffer, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('auth_codes')
    .set({ consumed_at: now })
    .where('code_sha256', '=', sha256)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function purgeAuthCodes(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('auth_codes').where('expires_at', '<', now).execute()
}
