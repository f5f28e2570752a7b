import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

const HOUR_MS = 3_600_000
export const SENDS_AN_HOUR = 5

/**
 * Counts a mail to the address, and locks the address until the transaction ends.
 * @param spacingMs between two mails, or null when neither this nor the hourly limit counts
 * @returns whether the mail may go
 */
export async function takeSend(
  db: Queryable,
  send: { email: string; spacingMs: number | null },
  now: Date,
): Promise<boolean> {
  const hourAgo = before(now, HOUR_MS)
  const { rows } = await sql`
    insert into sign_in_addresses as address (email, sent_at, updated_at)
    values (${send.email}, array[${now}::timestamptz], ${now})
    on conflict (email) do update
    set sent_at = array(select t from unnest(address.sent_at) t where t > ${hourAgo}) || excluded.sent_at,
      updated_at = excluded.updated_at
    where ${send.spacingMs === null}::boolean or (
      not exists (select from unnest(address.sent_at) t where t > ${before(now, send.spacingMs ?? 0)})
      and (select count(*) from unnest(address.sent_at) t where t > ${hourAgo}) < ${SENDS_AN_HOUR}::int)
    returning email`.execute(db)
  return rows.length > 0
}

/** When mails went to the address within the hour, oldest first. */
export async function findSends(db: Queryable, email: string, now: Date): Promise<Date[]> {
  const address = await db
    .selectFrom('sign_in_addresses')
    .select('sent_at')
    .where('email', '=', email)
    .executeTakeFirst()
  const hourAgo = before(now, HOUR_MS)
  return (address?.sent_at ?? []).map((instant) => new Date(instant)).filter((instant) => instant > hourAgo)
}

/** Gives back the try that turned out right, and locks the address: always before its challenges, as requests do. */
export async function returnTry(db: Queryable, email: string): Promise<void> {
  await sql`update sign_in_addresses set wrong_at = wrong_at[:cardinality(wrong_at) - 1]
    where email = ${email}`.execute(db)
}

/** Locks the address that a link was mailed to, as `returnTry` does for a code. */
export async function lockAddressOfLink(db: Queryable, linkSha256: Buffer): Promise<void> {
  await sql`select from sign_in_addresses
    where email = (select email from otp_challenges where link_sha256 = ${linkSha256}) for update`.execute(db)
}

/** Forgets addresses of which the last hour knows nothing. */
export async function purgeAddresses(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('sign_in_addresses').where('updated_at', '<', before(now, HOUR_MS)).execute()
}

function before(now: Date, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds)
}
