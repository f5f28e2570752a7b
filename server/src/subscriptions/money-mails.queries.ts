import type { Queryable } from '../platform/database.ts'

/** @returns whether it is new; the same kind, person and cause was written before otherwise */
export async function insertMoneyMail(
  tx: Queryable,
  mail: { id: string; kind: string; userId: string; cause: string; facts: object },
  now: Date,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('money_mails')
    .values({
      id: mail.id,
      kind: mail.kind,
      user_id: mail.userId,
      cause: mail.cause,
      facts: JSON.stringify(mail.facts),
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['kind', 'user_id', 'cause']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The newest cause of a kind of mail to somebody about one subscription, by Stripe's id; null when none was owed. */
export async function findLastCause(
  tx: Queryable,
  mail: { kind: string; userId: string; about: string },
): Promise<string | null> {
  const row = await tx
    .selectFrom('money_mails')
    .select('cause')
    .where('kind', '=', mail.kind)
    .where('user_id', '=', mail.userId)
    .where('cause', 'like', `${mail.about.replaceAll('_', '\\_')}:%`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.cause ?? null
}
