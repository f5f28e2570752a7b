import type { Insertable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { RecoveryCodes } from '../../platform/database/schema.ts'

/** Puts new codes in the place of all that the person had. */
export async function replaceRecoveryCodes(
  db: Queryable,
  userId: string,
  codes: Insertable<RecoveryCodes>[],
): Promise<void> {
  await deleteRecoveryCodes(db, userId)
  await db.insertInto('recovery_codes').values(codes).execute()
}

/** Uses a code up. @param of.hmacs under every AUTH_SECRET of ours @returns whether the person had it and had not used it */
export async function consumeRecoveryCode(
  db: Queryable,
  of: { userId: string; hmacs: Buffer[] },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', of.userId)
    .where('code_hmac', 'in', of.hmacs)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** How many codes the person can still use. @param secretKeyIds those of our AUTH_SECRETs: codes of others fit no more */
export async function countRecoveryCodes(
  db: Queryable,
  userId: string,
  secretKeyIds: string[],
): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('secret_key_id', 'in', secretKeyIds)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteRecoveryCodes(db: Queryable, userId: string): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}
