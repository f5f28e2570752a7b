import type { ClosingPlan } from '@tradepost/contract/closing'
import { isLaterDay } from '@tradepost/contract/trading-day'
import { isFresh } from '../auth/sessions/session-life.ts'
import { findSession } from '../auth/sessions/sessions.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { countPairs } from './closings.queries.ts'
import { listOpenOf } from './open-positions.queries.ts'

/** Reads the effects that closing the account would have now; changes nothing. @throws `unauthorized` for a session that has just ended */
export async function readPlan(
  { db }: { db: Queryable },
  { sessionId, userId }: Caller,
  now: Date,
): Promise<ClosingPlan> {
  const session = await findSession(db, sessionId)
  if (!session) throw refusal('unauthorized')
  const open = await listOpenOf(db, userId)
  return {
    ...(await countPairs(db, userId)),
    openPositions: open.length,
    openedToday: open.filter(({ openedAt }) => !isLaterDay(now, openedAt, null)).length,
    mailedCodeDue: !isFresh(session, now),
  }
}
