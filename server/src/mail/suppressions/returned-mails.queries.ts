import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/** The result of a sign-in mail; `unsent` gives no evidence about its address. @property mailId in the outbox, as its return path names it */
export type SignInOutcome = { mailId: string; came: 'taken' | 'back' | 'unsent' }

/**
 * Records with their addresses how sign-in mails ended (ADR 0091), of several to one address the last. A mail that goes only to
 * people who have an account is not recorded, since the record would reveal that it went; and one that was not sent costs the same statement
 * as one that was.
 */
export async function noteSignInMails(db: Queryable, outcomes: SignInOutcome[], now: Date): Promise<void> {
  await sql`
    update sign_in_addresses address set returned_at = last.returned_at
    from (
      select distinct on (challenge.email) challenge.email,
        case when outcome.came = 'back' then ${now}::timestamptz end as returned_at
      from unnest(${outcomes.map(({ mailId }) => mailId)}::uuid[], ${outcomes.map(({ came }) => came)}::text[])
        with ordinality as outcome (mail_id, came, place)
      join outbox mail on mail.id = outcome.mail_id and mail.kind = 'sign_in'
      join otp_challenges challenge on challenge.id = (mail.facts ->> 'challengeId')::uuid
      where challenge.create_user and outcome.came <> 'unsent'
      order by challenge.email, outcome.place desc
    ) last
    where address.email = last.email and address.returned_at is distinct from last.returned_at`.execute(db)
}
