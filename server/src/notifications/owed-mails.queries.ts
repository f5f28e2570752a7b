import type { Queryable } from '../platform/database.ts'

/** A money mail that is still to be sent, and where to. */
export type UnsentMoneyMail = { kind: string; facts: unknown; userId: string; address: string }

/**
 * @returns undefined when it was sent or forgotten, went with its reader, or may not be sent now: to nobody who is
 *   suspended (but that they are), to no address that was refused for good
 */
export function findOwedMail(db: Queryable, id: string): Promise<UnsentMoneyMail | undefined> {
  return (
    db
      .selectFrom('money_mails as mail')
      .innerJoin('users as person', 'person.id', 'mail.user_id')
      .select(['mail.kind', 'mail.facts', 'person.id as userId', 'person.email as address'])
      .where('mail.id', '=', id)
      .where('mail.sent_at', 'is', null)
      .where('mail.facts', '<>', '{}')
      // That they are suspended is told to them alone.
      .where(({ eb, or }) =>
        or([eb('person.suspended_at', 'is', null), eb('mail.kind', '=', 'account_suspended')]),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('suppressions').select('user_id').whereRef('suppressions.user_id', '=', 'person.id'),
          ),
        ),
      )
      .executeTakeFirst()
  )
}

export async function markMailSent(db: Queryable, id: string, now: Date): Promise<void> {
  await db.updateTable('money_mails').set({ sent_at: now }).where('id', '=', id).execute()
}

/**
 * Takes the words out of old mails; that a person was told of a cause stays, so that they are not told again.
 * @returns how many of at most `limit`
 */
export async function emptyMoneyMails(db: Queryable, owedBefore: Date, limit: number): Promise<number> {
  const result = await db
    .updateTable('money_mails')
    .set({ facts: '{}' })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('money_mails')
        .select('id')
        .where('created_at', '<', owedBefore)
        .where('facts', '<>', '{}')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
