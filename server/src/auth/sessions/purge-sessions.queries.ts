import type { Queryable } from '../../platform/database/queryable.ts'

/** Deletes sessions that were signed out or have ended by idle time or age. */
export async function purgeSessions(
  db: Queryable,
  bounds: { refreshedAfter: Date; createdAfter: Date },
): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((eb) =>
      eb.or([
        eb('revoked_at', 'is not', null),
        eb('refreshed_at', '<=', bounds.refreshedAfter),
        eb('created_at', '<=', bounds.createdAfter),
      ]),
    )
    .execute()
}
