import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Identities, Users } from '../../platform/database/schema.ts'

/** Of somebody who is not erased. */
export type UserRow = Selectable<Users> & { email: string }
export type IdentityRow = Selectable<Identities>

export function findUser(db: Queryable, userId: string): Promise<UserRow | undefined> {
  return selectUser(db, userId).executeTakeFirst()
}

function selectUser(db: Queryable, userId: string) {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where('erased_at', 'is', null)
    .$narrowType<{ email: string }>()
}

/**
 * Notes that the person is being notified of wrong tries of their second factor.
 * @returns whether they had not been notified since
 */
export async function markNotifiedOfTries(
  db: Queryable,
  of: { userId: string; since: Date },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ factor_tries_told_at: now })
    .where('id', '=', of.userId)
    .where((eb) =>
      eb.or([eb('factor_tries_told_at', 'is', null), eb('factor_tries_told_at', '<=', of.since)]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The user, kept from changing until the transaction ends. */
export function lockUser(db: Queryable, userId: string): Promise<UserRow | undefined> {
  return selectUser(db, userId).forUpdate().executeTakeFirst()
}

/** @param changed.metadata as JSON */
export async function storeUserMetadata(
  db: Queryable,
  changed: { userId: string; metadata: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ user_metadata: changed.metadata, updated_at: now })
    .where('id', '=', changed.userId)
    .execute()
}

/** @param email normalised */
export async function findUserId(db: Queryable, email: string): Promise<string | null> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', email)
    .executeTakeFirst()
  return user?.id ?? null
}
