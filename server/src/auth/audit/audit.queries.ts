import type { Insertable, Selectable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { AuditLog } from '../../platform/database/schema.ts'

export type AuditRow = Selectable<AuditLog>

export async function insertAudit(db: Queryable, entry: Insertable<AuditLog>): Promise<void> {
  await db.insertInto('audit_log').values(entry).execute()
}

/** The newest entries first; of one user and their address's hashes when `of` is given. */
export function findAudit(
  db: Queryable,
  of: { userId: string | null; emailHmacs: string[] } | null,
  limit: number,
): Promise<AuditRow[]> {
  return db
    .selectFrom('audit_log')
    .selectAll()
    .$if(of !== null, (query) =>
      query.where((eb) =>
        eb.or([
          ...(of?.userId ? [eb('user_id', '=', of.userId)] : []),
          ...(of?.emailHmacs ?? []).map((hmac) => eb('email_hmac', '=', hmac)),
        ]),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function purgeAuditBefore(db: Queryable, instant: Date): Promise<void> {
  await db.deleteFrom('audit_log').where('at', '<', instant).execute()
}
