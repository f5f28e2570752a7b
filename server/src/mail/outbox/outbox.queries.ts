import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Outbox } from '../../platform/database/schema.ts'

/** Stores a mail and announces it; nothing happens when its cause, or its id, is there already. */
export async function insertMail(tx: Queryable, mail: Insertable<Outbox>): Promise<void> {
  await sql`
    with mail as (
      insert into outbox
        (id, kind, lane, user_id, facts, cause, created_at, due_at, expires_at, place_in)
      values (${mail.id}, ${mail.kind}, ${mail.lane}, ${mail.user_id}, ${mail.facts}, ${mail.cause}, ${mail.created_at},
        ${mail.due_at}, ${mail.expires_at}, ${mail.place_in})
      on conflict do nothing
      returning lane)
    select pg_notify('outbox', lane) from mail`.execute(tx)
}

/**
 * Inserts a mail to each of several people.
 * @param mail the columns that their rows have in common
 * @param readers ids of the rows, and the ids of their readers, in one order
 * @returns how many were not there already
 */
export async function insertMails(
  tx: Queryable,
  mail: Omit<Insertable<Outbox>, 'id' | 'user_id' | 'place_in'>,
  readers: { ids: string[]; userIds: string[] },
): Promise<number> {
  const { rows } = await sql<{ stored: number }>`
    with stored as (
      insert into outbox (id, kind, lane, user_id, facts, cause, created_at, due_at, expires_at)
      select reader.id, ${mail.kind}, ${mail.lane}, reader.user_id, ${mail.facts}::jsonb, ${mail.cause},
        ${mail.created_at}::timestamptz, ${mail.due_at}::timestamptz, ${mail.expires_at}::timestamptz
      from unnest(${readers.ids}::uuid[], ${readers.userIds}::uuid[]) reader (id, user_id)
      on conflict do nothing
      returning lane)
    select count(*)::int as stored, pg_notify('outbox', max(lane)) from stored having count(*) > 0`.execute(
    tx,
  )
  return rows[0]?.stored ?? 0
}

/** A person as a mail to them sees them. `suppressed`: their address was refused for good; one that rests after a bounce has single mails. */
export type Reader = {
  userId: string
  address: string
  suspended: boolean
  closed: boolean
  suppressed: boolean
}

/** Finds the people among these who still have an account. */
export async function findReaders(db: Queryable, userIds: string[]): Promise<Reader[]> {
  const { rows } = await sql<Reader>`
    select person.id as "userId", person.email as address, person.suspended_at is not null as suspended,
      person.closed_at is not null as closed,
      exists (select from suppressions where user_id = person.id and ends_at is null) as suppressed
    from users person where person.id = any(${userIds}::uuid[]) and person.email is not null`.execute(db)
  return rows
}

/** The newest cause of a kind of mail to somebody about one subscription, by Stripe's id; null when none was owed. */
export async function findLastCause(
  tx: Queryable,
  mail: { kind: string; userId: string; about: string },
): Promise<string | null> {
  const row = await tx
    .selectFrom('outbox')
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
