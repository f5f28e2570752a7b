import type { SecondStep } from '@tradepost/contract/second-step'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { isFresh } from '../sessions/session-life.ts'
import { findSession } from '../sessions/sessions.queries.ts'
import { countUsableCodes } from './use-recovery-code.ts'

/**
 * Reads how many recovery codes are left, and whether changing the second step takes a mailed code (ADR 0031).
 * @throws `unauthorized` when the session has ended meanwhile
 */
export async function readSecondStep(
  deps: { db: Queryable; secret: SecretKey },
  caller: Caller,
  now: Date,
): Promise<SecondStep> {
  const session = await findSession(deps.db, caller.sessionId)
  if (!session) throw refusal('unauthorized')
  const recoveryCodesLeft = await countUsableCodes(deps.db, deps.secret, caller.userId)
  return { mailedCodeDue: !isFresh(session, now), recoveryCodesLeft }
}
