import type { Queryable } from '../platform/database.ts'

export type Refused = { userId: string; replyCode: number; status: string | null }

/** Writes down that an address does not exist; nobody writes to it again. */
export async function suppressAddress(db: Queryable, refused: Refused, now: Date): Promise<void> {
  await db
    .insertInto('suppressions')
    .values({
      user_id: refused.userId,
      smtp_code: refused.replyCode,
      smtp_status: refused.status,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute()
}

/** Notes that a person's server refused a mail of an event; once an event, with the first time. */
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

/** At how many events a person's server refused a mail, and when it did first. */
export function countRefusals(
  db: Queryable,
  userId: string,
): Promise<{ events: number; first: Date | null }> {
  return db
    .selectFrom('mail_refusals')
    .select(({ fn }) => [fn.countAll<number>().as('events'), fn.min('refused_at').as('first')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
}

/** A mail was taken: earlier refusals say nothing any more. */
export async function deleteRefusals(db: Queryable, userId: string): Promise<void> {
  await db.deleteFrom('mail_refusals').where('user_id', '=', userId).execute()
}

export type Suppression = { address: string; smtpCode: number; smtpStatus: string | null; since: Date }

/** Newest first. */
export function findSuppressions(db: Queryable): Promise<Suppression[]> {
  return db
    .selectFrom('suppressions')
    .innerJoin('users as person', 'person.id', 'suppressions.user_id')
    .select([
      'person.email as address',
      'suppressions.smtp_code as smtpCode',
      'suppressions.smtp_status as smtpStatus',
      'suppressions.created_at as since',
    ])
    .orderBy('suppressions.created_at', 'desc')
    .orderBy('address')
    .execute()
}

/**
 * @param address lower-case; null lifts all
 * @returns ids of the people who are mailed again
 */
export async function liftSuppressions(tx: Queryable, address: string | null): Promise<string[]> {
  const people = tx
    .selectFrom('users')
    .select('id')
    .$if(address !== null, (query) => query.where('email', '=', address as string))
  const lifted = await tx
    .deleteFrom('suppressions')
    .where('user_id', 'in', people)
    .returning('user_id')
    .execute()
  const ids = lifted.map(({ user_id }) => user_id)
  if (ids.length > 0) await tx.deleteFrom('mail_refusals').where('user_id', 'in', ids).execute()
  return ids
}
