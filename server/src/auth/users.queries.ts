import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'
import type { Identities, Users } from '../platform/schema.ts'

export type UserRow = Selectable<Users>
export type IdentityRow = Selectable<Identities>

/**
 * The user of an address that has just been proved, made if needed.
 * @returns undefined when the user is suspended; nothing is changed then
 */
export function upsertUser(
  db: Queryable,
  user: Omit<Insertable<Users>, 'user_metadata'> & { user_metadata: string },
): Promise<UserRow | undefined> {
  return db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) =>
      conflict
        .expression(sql`lower(email)`)
        .doUpdateSet((eb) => ({
          email_confirmed_at: eb.fn.coalesce('users.email_confirmed_at', 'excluded.email_confirmed_at'),
          last_sign_in_at: eb.ref('excluded.last_sign_in_at'),
          updated_at: eb.ref('excluded.updated_at'),
        }))
        .where('users.suspended_at', 'is', null),
    )
    .returningAll()
    .executeTakeFirst()
}

export function upsertIdentity(
  db: Queryable,
  identity: Omit<Insertable<Identities>, 'identity_data'> & { identity_data: string },
): Promise<IdentityRow> {
  return db
    .insertInto('identities')
    .values(identity)
    .onConflict((conflict) =>
      conflict.columns(['provider', 'provider_id']).doUpdateSet((eb) => ({
        last_sign_in_at: eb.ref('excluded.last_sign_in_at'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function findUser(db: Queryable, userId: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
}

/**
 * Notes that the person is being told of wrong tries of their second factor.
 * @returns whether they had not been told since
 */
export async function markToldOfTries(
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
  return db.selectFrom('users').selectAll().where('id', '=', userId).forUpdate().executeTakeFirst()
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

export function findIdentities(db: Queryable, userId: string): Promise<IdentityRow[]> {
  return db.selectFrom('identities').selectAll().where('user_id', '=', userId).orderBy('created_at').execute()
}
