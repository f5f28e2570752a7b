import { type Selectable, sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { OtpChallenges } from '../../platform/database/schema.ts'

export type ChallengeRow = Selectable<OtpChallenges>

const HOUR_MS = 3_600_000
export const WRONG_TRIES_AN_HOUR = 10
export const WRONG_TRIES_A_CODE = 5
/** Where tries are counted, of an address and of a code: for devices that the address knows, and for everybody else. */
const COUNTS = {
  'known device': { address: 'known_wrong_at', code: 'known_wrong_tries' },
  anybody: { address: 'wrong_at', code: 'wrong_tries' },
} as const

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

export type LiveChallenge = Pick<
  ChallengeRow,
  'id' | 'email' | 'purpose' | 'create_user' | 'code_challenge'
> & {
  has_user: boolean
  user_id: string | null
  closing_id: string | null
  erase_at: Date | null
  reason: string | null
  is_kept: boolean
}

/**
 * Selects the challenges that are unused and not expired, whether their address has a user, or is kept for one who has another now (rule
 * G-119), and the closing of their account, if any.
 */
export async function findLiveChallenges(db: Queryable, ids: string[], now: Date): Promise<LiveChallenge[]> {
  const { rows } = await sql<LiveChallenge>`
    select challenge.id, challenge.email, purpose, create_user, code_challenge, person.id is not null as has_user, person.id as user_id,
      closing.id as closing_id, closing.erase_at, closing.reason,
      exists (
        select from email_undos undo
        where undo.old_email = challenge.email and undo.expires_at > ${now} and undo.used_at is null and undo.overtaken_at is null
      ) as is_kept
    from otp_challenges challenge
    left join users person on lower(person.email) = challenge.email
    left join closings closing on closing.user_id = person.id and closing.reopened_at is null
    where challenge.id = any(${ids}::uuid[]) and consumed_at is null and code_expires_at > ${now}`.execute(db)
  return rows
}

/** Puts new secrets in the place of earlier ones. @returns ids of the challenges that were still live */
export async function storeSecrets(
  db: Queryable,
  secrets: { id: string; codeHmac: Buffer; linkSha256: Buffer }[],
  all: { secretKeyId: string; codeExpiresAt: Date; linkExpiresAt: Date },
  now: Date,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    update otp_challenges challenge
    set secret_key_id = ${all.secretKeyId}, code_hmac = drawn.code_hmac, link_sha256 = drawn.link_sha256,
      code_expires_at = ${all.codeExpiresAt}, link_expires_at = ${all.linkExpiresAt}
    from unnest(${secrets.map(({ id }) => id)}::uuid[], ${secrets.map(({ codeHmac }) => codeHmac)}::bytea[],
      ${secrets.map(({ linkSha256 }) => linkSha256)}::bytea[]) as drawn (id, code_hmac, link_sha256)
    where challenge.id = drawn.id and consumed_at is null and challenge.code_expires_at > ${now}
    returning challenge.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Counts a try at the live code of an address before the code is compared, so parallel tries are counted too: 5 a code and 10
 * an address and hour, for known devices and for everybody else (rule G-04). A right one gives the address's try back
 * (`signInByCode`). The commit does not wait for the disk: the next commit, of the refusal or of the session, does, so the count is on
 * disk before the answer (ADR 0104).
 * @returns the challenge, or undefined when there is no live code or no try left
 */
export async function takeTry(
  db: Queryable,
  code: { email: string; purpose: string; asker: keyof typeof COUNTS },
  now: Date,
): Promise<ChallengeRow | undefined> {
  const { asker, email, purpose } = code
  const hourAgo = new Date(now.getTime() - HOUR_MS)
  const [challenge] = await triedBy[asker](db, { email, purpose, now, hourAgo })
  return challenge
}

type Try = { email: string; purpose: string; now: Date; hourAgo: Date }

const triedBy = { 'known device': tryIn(COUNTS['known device']), anybody: tryIn(COUNTS.anybody) }

function tryIn({ address, code: tries }: (typeof COUNTS)[keyof typeof COUNTS]) {
  const wrongAt = sql.ref(`address.${address}`)
  const wrongTries = sql.ref(`c.${tries}`)
  return compiledQuery((_db, { email, hourAgo, now, purpose }: Try) => {
    const live = sql`c.email = address.email and c.purpose = ${purpose} and c.consumed_at is null
      and c.code_hmac is not null and c.code_expires_at > ${now} and ${wrongTries} < ${WRONG_TRIES_A_CODE}::int`
    return sql<ChallengeRow>`
      with counted as (
        update sign_in_addresses as address
        set ${sql.ref(address)} = array(select t from unnest(${wrongAt}) t where t > ${hourAgo}) || ${now}::timestamptz,
          updated_at = ${now}
        where address.email = ${email}
          and (select count(*) from unnest(${wrongAt}) t where t > ${hourAgo}) < ${WRONG_TRIES_AN_HOUR}::int
          and exists (select from otp_challenges c where ${live})
        returning address.email),
      tried as (
        update otp_challenges c set ${sql.ref(tries)} = ${wrongTries} + 1
        from counted as address where ${live}
        returning c.*)
      select tried.* from tried, set_config('synchronous_commit', 'off', true)`
  })
}

/** The address of a live link, or null when the link is not live. */
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

export async function purgeChallenges(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('otp_challenges').where('link_expires_at', '<', now).execute()
}
