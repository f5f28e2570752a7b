import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { MailReport } from './read-report.ts'

export type Source = 'mailbox' | 'mailgun'

/** Until the transaction ends, nobody else records a report: the counts stay exact. */
export async function lockReports(tx: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('mail-reports', 0))`.execute(tx)
}

/**
 * Stores a report of a mail, the first time. Of somebody who has changed their address a moment ago it may speak of the mailbox before, so
 * it does not count (rule G-119).
 * @returns the person whose mail it was; null for somebody without an account, for a report that was stored before, and for one that does not count
 */
export async function insertReport(
  tx: Queryable,
  { counts, report, source }: { report: MailReport; source: Source; counts: boolean },
  now: Date,
): Promise<string | null> {
  const { about, kind, readerId, smtpCode, status, tag, topic } = report
  const stored = await tx
    .insertInto('mail_reports')
    .values((eb) => ({
      kind,
      reader_id: readerId,
      tag,
      topic,
      user_id: eb.selectFrom('users').select('id').where('id', '=', readerId).where('erased_at', 'is', null),
      source,
      status,
      smtp_code: smtpCode,
      about,
      counts: sql<boolean>`${counts}::boolean and not exists (
        select from email_undos where user_id = ${readerId} and expires_at > ${now})`,
      reported_at: now,
    }))
    .onConflict((conflict) => conflict.doNothing())
    .returning(['user_id', 'counts'])
    .executeTakeFirst()
  return stored?.counts ? stored.user_id : null
}

/** How many mails to a person have bounced since an instant, as far as that counts, and when the first one did (null for none). */
export function countBounces(
  tx: Queryable,
  userId: string,
  since: Date,
): Promise<{ times: number; first: Date | null }> {
  return tx
    .selectFrom('mail_reports')
    .select(({ fn }) => [fn.countAll<number>().as('times'), fn.min('reported_at').as('first')])
    .where('user_id', '=', userId)
    .where('kind', '=', 'bounce')
    .where('counts', '=', true)
    .where('reported_at', '>', since)
    .executeTakeFirstOrThrow()
}

/** Counts the people whose mails have bounced since an instant for a reason of theirs. */
export async function countBouncing(tx: Queryable, since: Date): Promise<number> {
  const { people } = await tx
    .selectFrom('mail_reports')
    .select(({ fn }) => fn.count<number>('user_id').distinct().as('people'))
    .where('kind', '=', 'bounce')
    .where('about', '<>', 'policy')
    .where('reported_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(people)
}

/** How many mails about positions the mail server has taken since an instant, to the size of a range. */
export async function countTaken(tx: Queryable, since: Date): Promise<number> {
  const { mails } = await tx
    .selectFrom('delivery_ranges')
    .select(({ fn }) => fn.sum<string | null>('sent_count').as('mails'))
    .where('channel', '=', 'mail')
    .where('last_sent_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(mails ?? 0)
}

/** Takes back the bounces since an instant that have been held against people: they are mailed again. */
export async function withdrawBounces(tx: Queryable, since: Date): Promise<void> {
  await sql`with withdrawn as (
      update mail_reports set counts = false
      where kind = 'bounce' and counts and reported_at > ${since} returning user_id
    )
    delete from suppressions
    where cause = 'bounced' and created_at > ${since} and user_id in (select user_id from withdrawn)`.execute(
    tx,
  )
}

/** Counts a message that is held against nobody. */
export async function countUnread(
  db: Queryable,
  { reason, source }: { source: Source; reason: string },
  now: Date,
): Promise<void> {
  await db
    .insertInto('unread_reports')
    .values({ day: now.toISOString().slice(0, 10), source, reason, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'source', 'reason'])
        .doUpdateSet((eb) => ({ count: eb('unread_reports.count', '+', 1) })),
    )
    .execute()
}

/** @returns false where a signature with this hash has been taken already */
export async function takeSignature(tx: Queryable, hash: Buffer, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('mailgun_signatures')
    .values({ hash, seen_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Finds the person with this address; null for nobody. @param email lower-case */
export async function findUserByEmail(db: Queryable, email: string): Promise<string | null> {
  const row = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  return row?.id ?? null
}

/** @returns null for nobody's id */
export async function findEmail(db: Queryable, userId: string): Promise<string | null> {
  const row = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  return row?.email ?? null
}

/**
 * Stops the mails about positions to a person, as the link in them does: of the trader, or of all where none is given. The
 * subscriptions go on, and the first time counts.
 */
export async function muteReader(
  tx: Queryable,
  { traderId, userId }: { userId: string; traderId: string | null },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ mail_muted_at: sql`coalesce(mail_muted_at, ${now})` })
    .where('subscriber_id', '=', userId)
    .$if(traderId !== null, (query) => query.where('trader_id', '=', traderId as string))
    .execute()
}

/** Deletes the reports that no rule reads any more. */
export async function deleteOldReports(db: Queryable, before: Date): Promise<void> {
  await db.deleteFrom('mail_reports').where('reported_at', '<', before).execute()
  await db.deleteFrom('unread_reports').where('day', '<', sql<Date>`${before}::date`).execute()
}

/** Signatures of webhooks that nobody would take any more. */
export async function deleteOldSignatures(db: Queryable, before: Date): Promise<void> {
  await db.deleteFrom('mailgun_signatures').where('seen_at', '<', before).execute()
}
