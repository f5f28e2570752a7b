import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'
import type { OtpChallenges } from '../platform/schema.ts'

export type ChallengeRow = Selectable<OtpChallenges>

const HOUR_MS = 3_600_000
export const WRONG_TRIES_AN_HOUR = 10
export const WRONG_TRIES_A_CODE = 5
/** Where tries are counted, of an address and of a code: for devices that the address knows, and for everybody else. */
const COUNTS = {
  'known device': { address: 'known_wrong_at', code: 'known_wrong_tries' },
  anybody: { address: 'wrong_at', code: 'wrong_tries' },
} as const

/** Makes `challenge` the live one of its address and purpose: whatever was live before is dead. */
export async function replaceChallenge(
  db: Queryable,
  challenge: Insertable<OtpChallenges>,
  now: Date,
): Promise<void> {
  await db
    .updateTable('otp_challenges')
    .set({ consumed_at: now })
    .where('email', '=', challenge.email)
    .where('purpose', '=', challenge.purpose)
    .where('consumed_at', 'is', null)
    .execute()
  await db.insertInto('otp_challenges').values(challenge).execute()
}

/** The newest request of an address that was not used, however old. */
export function findPending(
  db: Queryable,
  of: { email: string; purpose: string },
): Promise<ChallengeRow | undefined> {
  return db
    .selectFrom('otp_challenges')
    .selectAll()
    .where('email', '=', of.email)
    .where('purpose', '=', of.purpose)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
}

/** A challenge that still waits to be used, whether or not its mail has gone out. */
export function findLiveChallenge(db: Queryable, id: string, now: Date): Promise<ChallengeRow | undefined> {
  return db
    .selectFrom('otp_challenges')
    .selectAll()
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .where('code_expires_at', '>', now)
    .executeTakeFirst()
}

/** Puts new secrets in the place of earlier ones. @returns whether the challenge was still live */
export async function storeSecrets(
  db: Queryable,
  id: string,
  secrets: Pick<
    Insertable<OtpChallenges>,
    'secret_key_id' | 'code_hmac' | 'link_sha256' | 'code_expires_at' | 'link_expires_at'
  >,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('otp_challenges')
    .set(secrets)
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .where('code_expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Counts a try at the live code of an address before anyone looks whether it is right, so parallel tries are counted
 * too: 5 a code and 10 an address and hour, for known devices and for everybody else (decision G-04). A right one gives
 * the address's back (`returnTry`).
 * @returns the challenge, or undefined when there is no live code or no try left
 */
export async function takeTry(
  db: Queryable,
  code: { email: string; purpose: string; asker: keyof typeof COUNTS },
  now: Date,
): Promise<ChallengeRow | undefined> {
  const hourAgo = new Date(now.getTime() - HOUR_MS)
  const { address, code: tries } = COUNTS[code.asker]
  const wrongAt = sql.ref(`address.${address}`)
  const wrongTries = sql.ref(`c.${tries}`)
  const live = sql`c.email = address.email and c.purpose = ${code.purpose} and c.consumed_at is null
    and c.code_hmac is not null and c.code_expires_at > ${now} and ${wrongTries} < ${WRONG_TRIES_A_CODE}::int`
  const { rows } = await sql<ChallengeRow>`
    with counted as (
      update sign_in_addresses as address
      set ${sql.ref(address)} = array(select t from unnest(${wrongAt}) t where t > ${hourAgo}) || ${now}::timestamptz,
        updated_at = ${now}
      where address.email = ${code.email}
        and (select count(*) from unnest(${wrongAt}) t where t > ${hourAgo}) < ${WRONG_TRIES_AN_HOUR}::int
        and exists (select from otp_challenges c where ${live})
      returning address.email)
    update otp_challenges c set ${sql.ref(tries)} = ${wrongTries} + 1
    from counted as address where ${live}
    returning c.*`.execute(db)
  return rows[0]
}

/** Uses a code up. @returns undefined when it has been used, replaced or has expired meanwhile */
export function consumeCode(
  db: Queryable,
  challenge: { id: string; code_hmac: Buffer | null },
  now: Date,
): Promise<ChallengeRow | undefined> {
  return db
    .updateTable('otp_challenges')
    .set({ consumed_at: now })
    .where('id', '=', challenge.id)
    .where('consumed_at', 'is', null)
    .where('code_hmac', '=', challenge.code_hmac)
    .where('code_expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** Uses a link up. @returns undefined when there is no live one of that hash */
export function consumeLink(
  db: Queryable,
  link: { sha256: Buffer; purpose: string },
  now: Date,
): Promise<ChallengeRow | undefined> {
  return db
    .updateTable('otp_challenges')
    .set({ consumed_at: now })
    .where('link_sha256', '=', link.sha256)
    .where('purpose', '=', link.purpose)
    .where('consumed_at', 'is', null)
    .where('link_expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Ends what was uncertain of a mail's place among those of the whole product (`count` in `rate_limits`, by `key`): it keeps it
 * when it has gone, else gives it back, once. The challenge is locked before the count, as requests do.
 */
export async function settlePlace(
  db: Queryable,
  of: { id: string; key: string; hasGone: boolean },
): Promise<void> {
  await sql`
    with held as (select id, place_in from otp_challenges where id = ${of.id} and place_in is not null for update),
    settled as (update otp_challenges c set place_in = null from held where c.id = held.id)
    update rate_limits r set count = r.count - 1 from held
    where not ${of.hasGone}::boolean and r.key = ${of.key} and r.window_start = held.place_in and r.count > 0`.execute(
    db,
  )
}

/** @param placeIn the window in which the mail has a place that it may give back */
export async function storePlace(db: Queryable, id: string, placeIn: Date): Promise<void> {
  await db.updateTable('otp_challenges').set({ place_in: placeIn }).where('id', '=', id).execute()
}

/** Whose live link this is. */
export async function findLinkEmail(db: Queryable, linkSha256: Buffer, now: Date): Promise<string | null> {
  const challenge = await db
    .selectFrom('otp_challenges')
    .select('email')
    .where('link_sha256', '=', linkSha256)
    .where('consumed_at', 'is', null)
    .where('link_expires_at', '>', now)
    .executeTakeFirst()
  return challenge?.email ?? null
}

/** After a sign-in nothing that was mailed to the address before works any more. */
export async function consumeAllOf(db: Queryable, email: string, now: Date): Promise<void> {
  await db
    .updateTable('otp_challenges')
    .set({ consumed_at: now })
    .where('email', '=', email)
    .where('consumed_at', 'is', null)
    .execute()
}

export async function purgeChallenges(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('otp_challenges').where('link_expires_at', '<', now).execute()
}
