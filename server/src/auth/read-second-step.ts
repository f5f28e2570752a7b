import type { SecondStep } from '@tradepost/contract/second-step'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/api-door.ts'
import { refusal } from '../platform/http/refusal.ts'
import { isFresh } from './session-life.ts'
import { findSession } from './sessions.queries.ts'

/** What the account page must know before it changes the second step of signing in. @throws `unauthorized` */
export async function readSecondStep(
  deps: { db: Queryable },
  caller: Caller,
  now: Date,
): Promise<SecondStep> {
  const session = await findSession(deps.db, caller.sessionId)
  if (!session) throw refusal('unauthorized')
  return { mailedCodeDue: !isFresh(session, now) }
}
