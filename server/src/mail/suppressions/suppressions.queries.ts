import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * A recipient whom the mail server refused, with the SMTP reply code and, where it gave one, the enhanced status code. For a report that
 * came only after the mail had been taken, `cause` names its kind; `refused` unless given.
 */
export type RefusedRecipient = {
  userId: string
  replyCode: number | null
  status: string | null
  cause?: 'bounced' | 'complained'
  /** The end of the suppression (UTC), which then is of mails about positions alone; for good unless given. */
  endsAt?: Date
}

/**
 * Suppresses a person's address: no mail about positions and money goes there until it is lifted. Keeps an earlier suppression that does not
 * end by itself.
 */
export async function suppressAddress(db: Queryable, refused: RefusedRecipient, now: Date): Promise<void> {
  await db
    .insertInto('suppressions')
    .values({
      user_id: refused.userId,
      smtp_code: refused.replyCode,
      smtp_status: refused.status,
      cause: refused.cause ?? 'refused',
      created_at: now,
      ends_at: refused.endsAt ?? null,
    })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet(({ ref }) => ({
          smtp_code: ref('excluded.smtp_code'),
          smtp_status: ref('excluded.smtp_status'),
          cause: ref('excluded.cause'),
          created_at: ref('excluded.created_at'),
          ends_at: ref('excluded.ends_at'),
        }))
        .where('suppressions.ends_at', 'is not', null),
    )
    .execute()
}

/** Stores that a mail of an event was refused to a person. One row for each event, with the first refusal's time. */
export async function insertRefusal(
  db: Queryable,
  refused: { userId: string; traderId: string; eventNo: number },
  now: Date,
): Promise<void> {
  await db
    .insertInto('mail_refusals')
    .values({
      user_id: refused.userId,
      trader_id: refused.traderId,
      event_no: refused.eventNo,
      refused_at: now,
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'trader_id', 'event_no']).doNothing())
    .execute()
}

/** Counts the events whose mail was refused to a person, and finds the first time (UTC; null for none). */
export function countRefusals(db: Queryable, userId: string): Promise<{ times: number; first: Date | null }> {
  return db
    .selectFrom('mail_refusals')
    .select(({ fn }) => [fn.countAll<number>().as('times'), fn.min('refused_at').as('first')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
}

/** Counts the people to whom a mail of this event was refused, and has not been taken since. */
export async function countRefusedAt(
  db: Queryable,
  { eventNo, traderId }: { traderId: string; eventNo: number },
): Promise<number> {
  const { people } = await db
    .selectFrom('delivery_exceptions')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('trader_id', '=', traderId)
    .where('event_no', '=', eventNo)
    .where('channel', '=', 'mail')
    .where('refusals', '>', 0)
    .where('state', 'in', ['retry', 'refused'])
    .executeTakeFirstOrThrow()
  return people
}

/** Forgets a person's refusals, since a mail to them was taken. */
export async function deleteRefusals(db: Queryable, userId: string): Promise<void> {
  await db.deleteFrom('mail_refusals').where('user_id', '=', userId).execute()
}

export type Suppression = {
  address: string
  cause: 'refused' | 'bounced' | 'complained'
  smtpCode: number | null
  smtpStatus: string | null
  since: Date
  /** When it ends by itself (UTC); null for never. */
  endsAt: Date | null
}

/** All suppressed addresses, newest first. */
export function findSuppressions(db: Queryable): Promise<Suppression[]> {
  return db
    .selectFrom('suppressions')
    .innerJoin('users as person', 'person.id', 'suppressions.user_id')
    .select([
      'person.email as address',
      sql<Suppression['cause']>`suppressions.cause`.as('cause'),
      'suppressions.smtp_code as smtpCode',
      'suppressions.smtp_status as smtpStatus',
      'suppressions.created_at as since',
      'suppressions.ends_at as endsAt',
    ])
    .orderBy('suppressions.created_at', 'desc')
    .orderBy('address')
    .$narrowType<{ address: string }>()
    .execute()
}

/**
 * Lets mails go to suppressed people again.
 * @param email of one person, lower-case; null lifts all
 * @returns ids of the people who are mailed again
 */
export async function liftSuppressions(tx: Queryable, email: string | null): Promise<string[]> {
  const people = tx
    .selectFrom('users')
    .select('id')
    .$if(email !== null, (query) => query.where('email', '=', email as string))
  return forgetRefusals(tx, await suppressed(tx).where('user_id', 'in', people).execute())
}

/**
 * Lets mails go to one person again whose address was suppressed for refusals or bounces, not for a complaint.
 * @returns whether they had been suppressed so
 */
export async function liftRefused(tx: Queryable, userId: string): Promise<boolean> {
  const lifted = suppressed(tx).where('user_id', '=', userId).where('cause', '<>', 'complained')
  return (await forgetRefusals(tx, await lifted.execute())).length > 0
}

const suppressed = (tx: Queryable) => tx.deleteFrom('suppressions').returning('user_id')

/** Nothing that was held against these people before counts a second time. @returns their ids */
async function forgetRefusals(tx: Queryable, people: { user_id: string }[]): Promise<string[]> {
  const ids = people.map(({ user_id }) => user_id)
  if (ids.length > 0) {
    await tx.deleteFrom('mail_refusals').where('user_id', 'in', ids).execute()
    // Reports stay, so that none is recorded again.
    await tx.updateTable('mail_reports').set({ counts: false }).where('user_id', 'in', ids).execute()
  }
  return ids
}

/** Forgets suppressions that are over by themselves. */
export async function purgeEndedSuppressions(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('suppressions').where('ends_at', '<=', now).execute()
}
