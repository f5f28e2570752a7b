import { type Selectable, sql } from 'kysely'
import { batchedLookup, compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { Sessions } from '../../platform/database/schema.ts'

export type SessionRow = Selectable<Sessions>

/** From where a session is used. */
type Client = { ip: string; userAgent: string | null }

/** A session and what its user may do. */
export async function findSession(db: Queryable, sessionId: string) {
  const [session] = await selectSession(db, { sessionId })
  return session
}

const selectSession = compiledQuery((db, { sessionId }: { sessionId: string }) =>
  withUser(db).selectAll('sessions').where('sessions.id', '=', sessionId),
)

/** Looks the session of each request up: one look at two primary keys and at a small index, for all that ask at once. */
export const findBearer = batchedLookup(async (db, sessionIds: string[]) => {
  const rows = await selectBearers(db, { sessionIds })
  return new Map(rows.map((row) => [row.id, row]))
})

const selectBearers = compiledQuery((db, { sessionIds }: { sessionIds: string[] }) =>
  withUser(db)
    .select([
      'sessions.id',
      'sessions.user_id',
      'sessions.aal',
      'sessions.created_at',
      'sessions.refreshed_at',
      'sessions.seen_at',
      'sessions.reauthenticated_at',
      'sessions.revoked_at',
      'sessions.refresh_counter',
      'sessions.successor_seen',
    ])
    .where('sessions.id', '=', sql<string>`any(${sessionIds}::uuid[])`),
)

function withUser(db: Queryable) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.email', 'users.suspended_at', 'users.closed_at'])
    .$narrowType<{ email: string }>()
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('mfa_factors')
            .whereRef('mfa_factors.user_id', '=', 'sessions.user_id')
            .where('mfa_factors.status', '=', 'verified'),
        )
        .$castTo<boolean>()
        .as('has_verified_factor'),
    )
}

/**
 * The live sessions of a user, the one that was used last first; of more than `limit` the others are left out.
 * @param bounds as of `sessionBounds`
 */
export function findLiveSessions(
  db: Queryable,
  userId: string,
  bounds: { refreshedAfter: Date; createdAfter: Date },
  limit: number,
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('refreshed_at', '>', bounds.refreshedAfter)
    .where('created_at', '>', bounds.createdAfter)
    .orderBy((eb) => eb.fn('greatest', ['refreshed_at', 'seen_at']), 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Notes from where a session is used. */
export async function markSessionSeen(
  db: Queryable,
  sessionId: string,
  client: Client,
  now: Date,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ seen_at: now, seen_ip: client.ip, seen_user_agent: client.userAgent })
    .where('id', '=', sessionId)
    .execute()
}

/** Notes that the person who uses the session has proved the mailbox again. */
export async function markReauthenticated(db: Queryable, sessionId: string, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ reauthenticated_at: now }).where('id', '=', sessionId).execute()
}

/** Ends one session, if it has not ended. */
export async function revokeSession(db: Queryable, id: string, now: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Notes that the newest pair of tokens has been presented; once for each pair. */
export async function markSuccessorSeen(db: Queryable, sessionId: string, counter: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ successor_seen: true })
    .where('id', '=', sessionId)
    .where('refresh_counter', '=', counter)
    .where('successor_seen', '=', false)
    .execute()
}

/** A session, kept from changing until the transaction ends. */
export function lockSession(db: Queryable, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Raises a locked session to aal2; the newest refresh token of aal1 gets no successor. @param raised.amr as JSON */
export function raiseSession(
  db: Queryable,
  raised: { id: string; factorId: string; amr: string; client: Client },
  now: Date,
): Promise<SessionRow> {
  return db
    .updateTable('sessions')
    .set((eb) => ({
      aal: 'aal2',
      amr: raised.amr,
      factor_id: raised.factorId,
      raised_from: eb.ref('refresh_counter'),
      refresh_counter: eb('refresh_counter', '+', 2),
      // The number between the two was never handed out.
      successor_seen: true,
      refreshed_at: now,
      seen_at: now,
      seen_ip: raised.client.ip,
      seen_user_agent: raised.client.userAgent,
    }))
    .where('id', '=', raised.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Ends a person's sessions that were not confirmed with their second factor. */
export async function revokeUnraised(db: Queryable, userId: string, now: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('aal', '=', 'aal1')
    .where('revoked_at', 'is', null)
    .execute()
}

/** Ends all sessions of a person. */
export async function revokeAllSessions(db: Queryable, userId: string, now: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Takes back what a factor confirmed. */
export async function lowerSessions(db: Queryable, factorId: string): Promise<void> {
  await sql`update sessions set aal = 'aal1', factor_id = null,
      amr = coalesce((select jsonb_agg(entry) from jsonb_array_elements(amr) entry where entry->>'method' not in ('totp', 'mfa/recovery_code')), '[]')
    where factor_id = ${factorId}`.execute(db)
}

/**
 * Hands out the next refresh token: only if the presented one is the newest, the session lives and its user is neither
 * suspended nor closed. Of several at once one wins (rule G-82).
 * @returns the rotated session, or undefined
 */
export async function rotateSession(
  db: Queryable,
  presented: { sessionId: string; counter: number },
  bounds: { refreshedAfter: Date; createdAfter: Date },
  client: Client,
  now: Date,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .from('users')
    .set({
      refresh_counter: presented.counter + 1,
      refreshed_at: now,
      successor_seen: false,
      seen_at: now,
      seen_ip: client.ip,
      seen_user_agent: client.userAgent,
    })
    .whereRef('users.id', '=', 'sessions.user_id')
    .where('users.inactive_since', 'is', null)
    .where('sessions.id', '=', presented.sessionId)
    .where('sessions.refresh_counter', '=', presented.counter)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.refreshed_at', '>', bounds.refreshedAfter)
    .where('sessions.created_at', '>', bounds.createdAfter)
    .returningAll('sessions')
    .executeTakeFirst()
}

/** Ends a session of which an old refresh token was presented. One statement: it stands whatever the request answers. */
export async function revokeReplayed(
  db: Queryable,
  presented: { sessionId: string; counter: number },
  now: Date,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', presented.sessionId)
    .where('refresh_counter', '>', presented.counter)
    .where('revoked_at', 'is', null)
    .execute()
}

export type SignOutScope = 'global' | 'local' | 'others'

/** Ends all sessions of a user, this one, or all but this one; of these perhaps only those without a second factor. */
export async function revokeSessions(
  db: Queryable,
  of: { userId: string; sessionId: string; scope: SignOutScope; onlyAal1: boolean },
  now: Date,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', of.userId)
    .where('revoked_at', 'is', null)
    .$if(of.onlyAal1, (query) => query.where('aal', '=', 'aal1'))
    .$if(of.scope === 'local', (query) => query.where('id', '=', of.sessionId))
    .$if(of.scope === 'others', (query) => query.where('id', '<>', of.sessionId))
    .execute()
}
