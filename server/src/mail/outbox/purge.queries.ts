import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/** Deletes mails without a cause, and those to the operator. @returns how many of at most `limit` */
export async function deleteEndedMails(db: Queryable, endedBefore: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from outbox where id in (
      select id from outbox where ended_at < ${endedBefore} and facts <> '{}' and (cause is null or user_id is null)
      limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/** Takes the facts out of mails of a cause. @returns how many of at most `limit` */
export async function emptyEndedMails(db: Queryable, endedBefore: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update outbox set facts = '{}' where id in (
      select id from outbox where ended_at < ${endedBefore} and facts <> '{}' limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}
