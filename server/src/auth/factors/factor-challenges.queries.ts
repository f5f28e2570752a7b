import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { MfaChallenges } from '../../platform/database/schema.ts'

export type FactorChallengeRow = Selectable<MfaChallenges>

export async function insertFactorChallenge(
  db: Queryable,
  challenge: Insertable<MfaChallenges>,
): Promise<void> {
  await db.insertInto('mfa_challenges').values(challenge).execute()
}

/** A challenge of that factor that this session asked for. */
export function findFactorChallenge(
  db: Queryable,
  of: { id: string; factorId: string; sessionId: string },
): Promise<FactorChallengeRow | undefined> {
  return db
    .selectFrom('mfa_challenges')
    .selectAll()
    .where('id', '=', of.id)
    .where('factor_id', '=', of.factorId)
    .where('session_id', '=', of.sessionId)
    .executeTakeFirst()
}

export async function countWrongAnswer(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('mfa_challenges')
    .set({ wrong_tries: sql`wrong_tries + 1` })
    .where('id', '=', id)
    .execute()
}

export async function closeFactorChallenge(db: Queryable, id: string, now: Date): Promise<void> {
  await db.updateTable('mfa_challenges').set({ verified_at: now }).where('id', '=', id).execute()
}

export async function purgeFactorChallenges(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('mfa_challenges').where('expires_at', '<', now).execute()
}
