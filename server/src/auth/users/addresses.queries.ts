import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

const HOUR_MS = 3_600_000
/** How long an address counts as one that mails come back from; a mail that is taken ends it at once (ADR 0091). */
export const RETURNED_MS = 24 * HOUR_MS
/** The columns that count mails to an address: for devices that it knows, and for everybody else. */
const SENT_AT = { 'known device': 'known_sent_at', anybody: 'sent_at' } as const
/** The kind of client that asks for an address: a device that has signed in to it before, or anybody. Each has its own counts. */
export type Asker = keyof typeof SENT_AT
export const SENDS_AN_HOUR = 5

/** Whether mails to an address come back. Only the client that asked for its pending code can ask: the challenge proves it. */
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

/**
 * Counts a mail to an address that anybody may have asked for, as one for signing in is (rule G-04).
 * @param to.limits milliseconds between two mails, and mails in an hour; null for no limits
 * @returns false when a limit is reached; nothing is changed then
 */
export async function takeSend(
  db: Queryable,
  to: { email: string; limits: { spacingMs: number; anHour: number } | null },
  now: Date,
): Promise<boolean> {
  const { email, limits } = to
  const hourAgo = before(now, HOUR_MS)
  const { rows } = await sql`
    insert into sign_in_addresses as known (email, sent_at, updated_at)
    values (${email}, array[${now}::timestamptz], ${now})
    on conflict (email) do update
    set sent_at = array(select t from unnest(known.sent_at) t where t > ${hourAgo}) || excluded.sent_at,
      updated_at = excluded.updated_at
    where ${limits === null}::boolean or (
      not exists (select from unnest(known.sent_at) t where t > ${before(now, limits?.spacingMs ?? 0)})
      and (select count(*) from unnest(known.sent_at) t where t > ${hourAgo}) < ${limits?.anHour ?? 0}::int)
    returning email`.execute(db)
  return rows.length > 0
}

/** When mails went to the address within the hour, in the count of the asker; oldest first. */
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

/** Deletes addresses that were not touched in the last hour, and to which no mail came back in the last day. */
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
