import { sql } from 'kysely'
import type { Queryable } from '../../platform/database.ts'

/** What became of a sign-in mail. Of one that was not sent nothing is known. */
type Came = 'taken' | 'back' | 'unsent'

/**
 * Notes with an address what became of a sign-in mail to it (decision 0091). A mail that goes only to those who have a user says
 * nothing, since whether it went would be told with it; and one that was not sent costs the same statement as one that was.
 * @param mailId in the outbox, as its return path names it
 */
export async function noteSignInMail(
  db: Queryable,
  { mailId, came }: { mailId: string; came: Came },
  now: Date,
): Promise<void> {
  const returnedAt = came === 'back' ? now : null
  await sql`
    update sign_in_addresses address set returned_at = ${returnedAt}
    from outbox mail, otp_challenges challenge
    where mail.id = ${mailId} and mail.kind = 'sign_in' and challenge.id = (mail.facts ->> 'challengeId')::uuid
      and address.email = challenge.email and challenge.create_user and ${came !== 'unsent'}::boolean
      and address.returned_at is distinct from ${returnedAt}::timestamptz`.execute(db)
}
