import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

const HOUR_MS = 3_600_000
/** How long an address counts as one that mails come back from; a mail that is taken ends it at once (decision 0091). */
const RETURNED_MS = 24 * HOUR_MS
/** Where what is sent to an address is counted: for devices that it knows, and for everybody else. */
const SENT_AT = { 'known device': 'known_sent_at', anybody: 'sent_at' } as const
const WRONG_AT = { 'known device': 'known_wrong_at', anybody: 'wrong_at' } as const
type Asker = keyof typeof SENT_AT
export const SENDS_AN_HOUR = 5

/**
 * Counts a mail to the address for those who ask, and locks the address until the transaction ends.
 * @param send.spacingMs between two mails, or null when neither this nor the hourly limit counts
 * @returns whether mails to the address come back, or null when no mail may go
 */
export async function takeSend(
  db: Queryable,
  send: { email: string; asker: Asker; spacingMs: number | null },
  now: Date,
): Promise<{ returned: boolean } | null> {
  const hourAgo = before(now, HOUR_MS)
  const column = SENT_AT[send.asker]
  const sentAt = sql.ref(`address.${column}`)
  const { rows } = await sql<{ returned: boolean }>`
    insert into sign_in_addresses as address (email, ${sql.ref(column)}, updated_at)
    values (${send.email}, array[${now}::timestamptz], ${now})
    on conflict (email) do update
    set ${sql.ref(column)} = array(select t from unnest(${sentAt}) t where t > ${hourAgo}) || excluded.${sql.ref(column)},
      updated_at = excluded.updated_at
    where ${send.spacingMs === null}::boolean or (
      not exists (select from unnest(${sentAt}) t where t > ${before(now, send.spacingMs ?? 0)})
      and (select count(*) from unnest(${sentAt}) t where t > ${hourAgo}) < ${SENDS_AN_HOUR}::int)
    returning coalesce(returned_at > ${before(now, RETURNED_MS)}, false) as returned`.execute(db)
  return rows[0] ?? null
}

/** Whether mails to an address come back, for those alone who asked for the code that it waits for: they made up the challenge. */
export async function isReturned(
  db: Queryable,
  asked: { email: string; codeChallenge: string },
  now: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('otp_challenges as challenge')
    .innerJoin('sign_in_addresses as address', 'address.email', 'challenge.email')
    .select('address.email')
    .where('challenge.email', '=', asked.email)
    .where('challenge.code_challenge', '=', asked.codeChallenge)
    .where('challenge.consumed_at', 'is', null)
    .where('address.returned_at', '>', before(now, RETURNED_MS))
    .executeTakeFirst()
  return row !== undefined
}

/** When mails went to the address within the hour, for those who ask; oldest first. */
export async function findSends(
  db: Queryable,
  of: { email: string; asker: Asker },
  now: Date,
): Promise<Date[]> {
  const address = await db
    .selectFrom('sign_in_addresses')
    .select(`${SENT_AT[of.asker]} as sent_at`)
    .where('email', '=', of.email)
    .executeTakeFirst()
  const hourAgo = before(now, HOUR_MS)
  return (address?.sent_at ?? []).map((instant) => new Date(instant)).filter((instant) => instant > hourAgo)
}

/** Gives back the try that turned out right, and locks the address: always before its challenges, as requests do. */
export async function returnTry(db: Queryable, of: { email: string; asker: Asker }): Promise<void> {
  const wrongAt = sql.ref(WRONG_AT[of.asker])
  await sql`update sign_in_addresses set ${wrongAt} = ${wrongAt}[:cardinality(${wrongAt}) - 1]
    where email = ${of.email}`.execute(db)
}

/** Locks the address that a link was mailed to, as `returnTry` does for a code. */
export async function lockAddressOfLink(db: Queryable, linkSha256: Buffer): Promise<void> {
  await sql`select from sign_in_addresses
    where email = (select email from otp_challenges where link_sha256 = ${linkSha256}) for update`.execute(db)
}

/** Forgets addresses of which the last hour knows nothing, and the last day no mail that came back. */
export async function purgeAddresses(db: Queryable, now: Date): Promise<void> {
  await db
    .deleteFrom('sign_in_addresses')
    .where('updated_at', '<', before(now, HOUR_MS))
    .where((eb) => eb.or([eb('returned_at', 'is', null), eb('returned_at', '<', before(now, RETURNED_MS))]))
    .execute()
}

function before(now: Date, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds)
}
