import { sql } from 'kysely'
import type { Queryable } from '../../platform/database.ts'

/** Makes a mail of money_mails that the version before has not sent one of the outbox; nothing the second time. */
export async function adoptMoneyMail(
  db: Queryable,
  id: string,
  at: { now: Date; expiresAt: Date },
): Promise<void> {
  await sql`
    with adopted as (
      update outbox mail set ended_at = null, ended_as = null, due_at = ${at.now}, expires_at = ${at.expiresAt}
      from money_mails old
      where mail.id = ${id} and mail.ended_as = 'left' and mail.facts <> '{}' and old.id = mail.id and old.sent_at is null
      returning mail.lane)
    select pg_notify('outbox', lane) from adopted`.execute(db)
}

/** Takes the place of a challenge's mail among the limited ones from the challenge. @returns its window; null when it has none */
export async function takePlaceOfChallenge(tx: Queryable, challengeId: string): Promise<Date | null> {
  const { rows } = await sql<{ place_in: Date }>`
    with held as (select id, place_in from otp_challenges where id = ${challengeId} and place_in is not null for update)
    update otp_challenges challenge set place_in = null from held where challenge.id = held.id
    returning held.place_in`.execute(tx)
  return rows[0]?.place_in ?? null
}

/** Whose account a request for a code is about, and when it was made; null when it has been replaced. */
export async function findRequest(
  db: Queryable,
  requestId: string,
): Promise<{ userId: string; at: Date } | null> {
  const { rows } = await sql<{ userId: string; at: Date }>`
    select user_id as "userId", sent_at[cardinality(sent_at)] as at from account_codes
    where request_id = ${requestId}`.execute(db)
  return rows[0] ?? null
}
