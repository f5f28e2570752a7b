import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { MfaFactors } from '../../platform/database/schema.ts'

export type FactorRow = Selectable<MfaFactors>

/** The columns that count wrong tries of a factor: by the kind of device, and by the kind of code. */
const WRONG_AT = {
  'known device': { app: 'known_wrong_at', recovery: 'known_recovery_wrong_at' },
  anybody: { app: 'wrong_at', recovery: 'recovery_wrong_at' },
} as const

/** @property way the code of the authenticator app, or a recovery code */
export type FactorTry = {
  asker: keyof typeof WRONG_AT
  way: keyof (typeof WRONG_AT)[keyof typeof WRONG_AT]
}

export function findFactors(db: Queryable, userId: string): Promise<FactorRow[]> {
  return db
    .selectFrom('mfa_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
}

/** A factor of the user, kept from changing until the transaction ends: tries at it queue up. */
export function lockFactor(
  db: Queryable,
  of: { id: string; userId: string },
): Promise<FactorRow | undefined> {
  return db
    .selectFrom('mfa_factors')
    .selectAll()
    .where('id', '=', of.id)
    .where('user_id', '=', of.userId)
    .forUpdate()
    .executeTakeFirst()
}

/** @returns whether the name was free */
export async function insertFactor(db: Queryable, factor: Insertable<MfaFactors>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('mfa_factors')
    .values(factor)
    .onConflict((conflict) => conflict.columns(['user_id', 'friendly_name']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Forgets enrolments of the user that were given up: nobody has touched them since. */
export async function deleteGivenUp(db: Queryable, userId: string, since: Date): Promise<void> {
  await db
    .deleteFrom('mfa_factors')
    .where('user_id', '=', userId)
    .where('status', '=', 'unverified')
    .where((eb) => eb(eb.fn.coalesce('last_challenged_at', 'created_at'), '<=', since))
    .execute()
}

/** Forgets every enrolment of the user that was begun and not confirmed. */
export async function deleteUnverified(db: Queryable, userId: string): Promise<void> {
  await db
    .deleteFrom('mfa_factors')
    .where('user_id', '=', userId)
    .where('status', '=', 'unverified')
    .execute()
}

export async function deleteFactor(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('mfa_factors').where('id', '=', id).execute()
}

/** The user's other enrolments of that type, which a confirmed one makes pointless. */
export async function deleteOtherUnverified(db: Queryable, factor: FactorRow): Promise<void> {
  await db
    .deleteFrom('mfa_factors')
    .where('user_id', '=', factor.user_id)
    .where('factor_type', '=', factor.factor_type)
    .where('status', '=', 'unverified')
    .where('id', '<>', factor.id)
    .execute()
}

export async function markChallenged(db: Queryable, id: string, now: Date): Promise<void> {
  await db.updateTable('mfa_factors').set({ last_challenged_at: now }).where('id', '=', id).execute()
}

/** When wrong tries like this one were made; older ones may be among them. */
export function wrongTriesOf(factor: FactorRow, { asker, way }: FactorTry): Date[] {
  return factor[WRONG_AT[asker][way]].map((at) => new Date(at))
}

/** @param of.since tries before it are forgotten */
export async function addWrongTry(
  db: Queryable,
  of: FactorTry & { id: string; since: Date },
  now: Date,
): Promise<void> {
  const wrongAt = sql.ref(WRONG_AT[of.asker][of.way])
  await sql`update mfa_factors
    set ${wrongAt} = array(select t from unnest(${wrongAt}) t where t > ${of.since}) || ${now}::timestamptz
    where id = ${of.id}`.execute(db)
}

/** Confirms a factor and remembers the step whose code was used. @returns whether no later step had been used */
export async function confirmFactor(
  db: Queryable,
  used: { id: string; step: number },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mfa_factors')
    .set({ status: 'verified', last_step: used.step, updated_at: now })
    .where('id', '=', used.id)
    .where((eb) => eb.or([eb('last_step', 'is', null), eb('last_step', '<', used.step)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
