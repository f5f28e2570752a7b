import { type Insertable, type Selectable, sql } from 'kysely'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { SigningKeys } from '../../platform/database/schema.ts'

export type SigningKeyRow = Selectable<SigningKeys>
export type NewSigningKey = Omit<Insertable<SigningKeys>, 'state' | 'alg' | 'public_jwk'> & {
  public_jwk: string
}

/** A literal, no parameter: the planner uses a partial index only for a condition that it knows. */
const SIGNING = sql.lit('signing')

/** Every key that tokens may still carry, or will. */
export function findSigningKeys(db: Queryable): Promise<SigningKeyRow[]> {
  return db.selectFrom('signing_keys').selectAll().where('state', '<>', 'retired').execute()
}

/**
 * Makes `key` the one that signs, in place of `replacing`, which goes on being published. Of several processes that do
 * this at once the unique index lets one win.
 * @param replacing the key that signs now, or null when there is none
 */
export async function insertSigningKey(
  db: Queryable,
  key: NewSigningKey,
  replacing: string | null,
  now: Date,
): Promise<void> {
  await withTransaction(db, async (tx) => {
    if (replacing) await endSigning(tx, replacing, now)
    await tx
      .insertInto('signing_keys')
      .values({ ...key, alg: 'ES256', state: 'signing' })
      .onConflict((conflict) => conflict.column('state').where('state', '=', SIGNING).doNothing())
      .execute()
  })
}

/**
 * Publishes a key that will sign later. The row of the one that signs is locked, so plans queue up.
 * @returns false when there is a plan already
 */
export async function planSigningKey(db: Queryable, key: NewSigningKey): Promise<boolean> {
  return withTransaction(db, async (tx) => {
    await tx.selectFrom('signing_keys').select('kid').where('state', '=', 'signing').forUpdate().execute()
    const planned = await tx
      .selectFrom('signing_keys')
      .select('kid')
      .where('state', '=', 'published')
      .where('signed_until', 'is', null)
      .executeTakeFirst()
    if (planned) return false
    await tx
      .insertInto('signing_keys')
      .values({ ...key, alg: 'ES256', state: 'published' })
      .execute()
    return true
  })
}

/** Lets a planned key sign in place of another; nothing happens when another process was first. */
export async function promoteSigningKey(
  db: Queryable,
  change: { to: string; from: string },
  now: Date,
): Promise<void> {
  await withTransaction(db, async (tx) => {
    if (!(await endSigning(tx, change.from, now))) return
    await tx
      .updateTable('signing_keys')
      .set({ state: 'signing', signs_from: now })
      .where('kid', '=', change.to)
      .where('state', '=', 'published')
      .execute()
  })
}

/** Takes keys out of publication that ended signing by `instant`; their private parts are wiped. */
export async function retireSigningKeys(db: Queryable, instant: Date): Promise<void> {
  await db
    .updateTable('signing_keys')
    .set({ state: 'retired', private_sealed: Buffer.alloc(0) })
    .where('state', '=', 'published')
    .where('signed_until', '<=', instant)
    .execute()
}

async function endSigning(tx: Queryable, kid: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signing_keys')
    .set({ state: 'published', signed_until: now })
    .where('kid', '=', kid)
    .where('state', '=', 'signing')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
