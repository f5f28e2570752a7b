import { type Queryable, withTransaction } from '../platform/database.ts'

const EVENTS = 3
const SPAN_MS = 72 * 3_600_000

type Refused = { userId: string; replyCode: number; status: string | null }

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

/**
 * Counts a refusal of a person whose address may exist; who was refused at three events, the first at least 72 hours ago,
 * is suppressed (decisions 3.5, Delivery).
 */
export async function countRefusal(
  db: Queryable,
  refused: Refused & { traderId: string; eventNo: number },
  now: Date,
): Promise<void> {
  const { userId, traderId, eventNo } = refused
  await withTransaction(db, async (tx) => {
    await tx
      .insertInto('mail_refusals')
      .values({ user_id: userId, trader_id: traderId, event_no: eventNo, refused_at: now })
      .onConflict((conflict) => conflict.columns(['user_id', 'trader_id', 'event_no']).doNothing())
      .execute()
    const counted = await tx
      .selectFrom('mail_refusals')
      .select(({ fn }) => [fn.countAll<number>().as('events'), fn.min('refused_at').as('first')])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    const lasting = counted.first !== null && now.getTime() - counted.first.getTime() >= SPAN_MS
    if (counted.events >= EVENTS && lasting) await suppressAddress(tx, refused, now)
  })
}

/** A mail was taken: earlier refusals say nothing any more. */
export async function forgetRefusals(db: Queryable, userId: string): Promise<void> {
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
