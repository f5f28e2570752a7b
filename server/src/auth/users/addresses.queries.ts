import type { Queryable } from '../../platform/database/queryable.ts'

const HOUR_MS = 3_600_000
/** How long an address counts as one that mails come back from; a mail that is taken ends it at once (ADR 0091). */
export const RETURNED_MS = 24 * HOUR_MS
/** The columns that count mails to an address: for devices that it knows, and for everybody else. */
const SENT_AT = { 'known device': 'known_sent_at', anybody: 'sent_at' } as const
type Asker = keyof typeof SENT_AT
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
