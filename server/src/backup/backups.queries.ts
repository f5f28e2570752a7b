import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** Notes a backup before it is taken, so that it holds its own moment. @param takenAt UTC */
export async function insertBackup(db: Queryable, takenAt: Date): Promise<void> {
  await db.insertInto('backups').values({ taken_at: takenAt }).execute()
}

/** Of one that failed. */
export async function deleteBackup(db: Queryable, takenAt: Date): Promise<void> {
  await db.deleteFrom('backups').where('taken_at', '=', takenAt).execute()
}

/** The moment of the backup that this database was restored from, while that is not settled; null otherwise. */
export async function findUnsettled(db: Queryable): Promise<Date | null> {
  const row = await db
    .selectFrom('backups')
    .select('taken_at')
    .where('restored_at', 'is not', null)
    .where('settled_at', 'is', null)
    .orderBy('taken_at', 'desc')
    .executeTakeFirst()
  return row?.taken_at ?? null
}

/**
 * Notes in a database that it was restored.
 * @param takenAt of the backup; the newest that the database knows unless given
 * @returns the backup's moment; null when there is no such backup in it
 */
export async function markRestored(db: Queryable, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ takenAt: Date }>`
    update backups set restored_at = ${now}, settled_at = null
    where taken_at = (select max(taken_at) from backups) returning taken_at as "takenAt"`.execute(db)
  return rows[0]?.takenAt ?? null
}

export async function markSettled(tx: Queryable, now: Date): Promise<void> {
  await tx
    .updateTable('backups')
    .set({ settled_at: now })
    .where('restored_at', 'is not', null)
    .where('settled_at', 'is', null)
    .execute()
}

/** Mails that wait: about positions (of a range the places that are left, so at most that many), and single ones. */
export async function countWaitingMails(db: Queryable): Promise<{ ofEvents: number; single: number }> {
  const { rows } = await sql<{ ofEvents: number; single: number }>`
    select (select coalesce(sum(to_mail_no - progress_mail_no), 0)::int from delivery_ranges
        where channel = 'mail' and done_at is null)
      + (select count(*)::int from delivery_exceptions where channel = 'mail' and state = 'retry') as "ofEvents",
      (select count(*)::int from outbox where ended_at is null) as single`.execute(db)
  return rows[0] ?? { ofEvents: 0, single: 0 }
}

/** Major version of the server, such as 15. */
export async function findServerVersion(db: Queryable): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int / 10000 as version`.execute(db)
  return rows[0]?.version ?? 0
}

/** Whether a database holds anything: tables, views, sequences or schemas that are not PostgreSQL's own. */
export async function isEmpty(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists (
      select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname not like 'pg\\_%' and nspname <> 'information_schema'
    ) and not exists (
      select from pg_namespace where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')
    ) as empty`.execute(db)
  return rows[0]?.empty ?? false
}
