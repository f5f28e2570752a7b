import { withTransaction } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import type { BearerSession } from '../sessions/authenticate.ts'
import { lockFactor, markChallenged } from '../users/factors.queries.ts'
import { insertFactorChallenge } from './factor-challenges.queries.ts'

const CHALLENGE_LIFE_MS = 300_000

/**
 * Asks for a code of a factor, for this session alone and for five minutes.
 * @throws `factor_unknown`
 */
export async function challengeFactor(
  deps: AuthDeps,
  caller: BearerSession,
  factorId: string,
  now: Date,
): Promise<{ id: string; type: string; expiresAt: Date }> {
  const id = newId()
  const expiresAt = new Date(now.getTime() + CHALLENGE_LIFE_MS)
  return withTransaction(deps.db, async (tx) => {
    const factor = await lockFactor(tx, { id: factorId, userId: caller.userId })
    if (!factor) throw new AuthFault('factor_unknown')
    await markChallenged(tx, factor.id, now)
    await insertFactorChallenge(tx, {
      id,
      factor_id: factor.id,
      session_id: caller.sessionId,
      expires_at: expiresAt,
      created_at: now,
    })
    return { id, type: factor.factor_type, expiresAt }
  })
}
